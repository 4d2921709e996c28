"""Swiss tournaments: who meets whom, who sits out, who stands first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest

from service.tournament.formats import check, expected_matches, known_blocks, next_stage, ranking, with_defaults
from service.tournament.plan import Plan, PlanError
from service.tournament.results import MatchResult
from service.tournament.simulation import SimulatedField, finished, played_through
from service.tournament.stages import Stage
from service.tournament.swiss import draw_tables

SIMULATED = SimulatedField(tuple(100.0 * index for index in range(14)))
PLAN = Plan("swiss", SIMULATED.names, (), 4, 2, None, "rotations", "seed", rounds=6)


def test_pairs_meet_again_only_where_that_cannot_be_avoided() -> None:
    stages, _ = played_through(SIMULATED, replace(PLAN, players=2, rounds=9), np.random.default_rng(1))

    met = Counter(frozenset(table) for stage in stages for table in stage.pools)
    assert len(stages) == 9
    assert set(met.values()) == {1}


def test_nobody_sits_out_twice_before_all_did_once() -> None:
    stages, _ = played_through(SIMULATED, replace(PLAN, players=3, rounds=8), np.random.default_rng(1))

    byes = Counter(dict.fromkeys(PLAN.entrants, 0))
    for stage in stages:
        assert len(stage.byes) == 14 % 3
        byes.update(stage.byes)
        assert max(byes.values()) - min(byes.values()) <= 1


def test_the_second_round_seats_the_best_together() -> None:
    plan = replace(PLAN, entrants=PLAN.entrants[:8], players=2, deals=1)
    first = next_stage(plan, (), (), ())
    assert first is not None
    winners = [table[0] for table in first.pools]
    second = next_stage(plan, (first,), list(_won(plan, (first,), winners)), ())

    assert second is not None
    assert [set(table) <= set(winners) for table in second.pools] == [True, True, False, False]


def _won(plan: Plan, stages: Sequence[Stage], winners: Iterable[str]) -> Iterator[MatchResult]:
    """Results of all matches, in which the winners beat all others."""
    best = set(winners)
    for block in known_blocks(plan, stages):
        for pairing in block.pairings:
            yield finished(pairing.match, block.number, pairing.seats, [int(name in best) for name in pairing.seats])


def test_a_draw_follows_from_seed_and_results_alone() -> None:
    stages, results = played_through(SIMULATED, PLAN, np.random.default_rng(1))
    shuffled_results = list(results)
    Random(1).shuffle(shuffled_results)

    for number, stage in enumerate(stages):
        upto = known_blocks(PLAN, stages[:number]).matches
        known = [result for result in shuffled_results if result.match < upto]
        assert next_stage(PLAN, stages[:number], known, ()) == stage
    assert next_stage(replace(PLAN, seed="other"), (), (), ()) != stages[0]


def test_every_table_plays_its_deals_in_all_rotations() -> None:
    stages, results = played_through(SIMULATED, PLAN, np.random.default_rng(1))

    blocks = list(known_blocks(PLAN, stages))
    assert len(blocks) == 6 * 3 * 2
    assert [block.number for block in blocks] == list(range(36))
    assert [pairing.match for block in blocks for pairing in block.pairings] == list(range(144))
    for block in blocks:
        assert all({pairing.seats[seat] for pairing in block.pairings} == set(block.entrants) for seat in range(4))
    assert expected_matches(PLAN, ()) == expected_matches(PLAN, stages[:3]) == len(results) == 144


def test_a_bot_that_has_withdrawn_is_drawn_no_more() -> None:
    first = next_stage(PLAN, (), (), ())
    assert first is not None
    results = list(_won(PLAN, (first,), first.pools[0]))
    second = next_stage(PLAN, (first,), results, ("bot03", "bot00", "bot05"))

    assert second is not None
    assert second.withdrawn == ("bot00", "bot03", "bot05")
    drawn = [name for table in second.pools for name in table]
    assert sorted([*drawn, *second.byes, *second.withdrawn]) == sorted(PLAN.entrants)
    assert next_stage(PLAN, (first,), results, PLAN.entrants[:11]) is None


def test_a_bot_that_stays_away_from_matches_is_ranked_as_one_that_lost_them() -> None:
    plan = replace(PLAN, entrants=PLAN.entrants[:4], rounds=1)
    stages, _ = played_through(SIMULATED, plan, np.random.default_rng(1))
    results = [
        replace(
            finished(pairing.match, pairing.block, pairing.seats, [name != "bot03" for name in pairing.seats]),
            not_started=(pairing.seats.index("bot03"),),
        )
        for block in known_blocks(plan, stages)
        for pairing in block.pairings
    ]

    assert ranking(plan, stages, results) == [("bot00", "bot01", "bot02"), ("bot03",)]


def test_a_bot_that_beat_strong_ones_stands_above_one_that_beat_weak_ones_as_often() -> None:
    plan = replace(PLAN, entrants=("a", "b", "c", "d"), players=2, rounds=3)
    stages = tuple(Stage(number, (), 2) for number in (1, 2, 3))
    played = [("a", "c"), ("b", "d"), ("c", "d"), ("c", "d")]
    results = [finished(number, number, pair, (1, 0)) for number, pair in enumerate(played)]

    found = ranking(plan, stages, results)
    assert found is not None
    assert found[:2] == [("a",), ("b",)]


@pytest.mark.parametrize(("players", "entrants"), [(2, 6), (2, 8), (3, 6), (3, 9), (4, 8)])
def test_tables_without_a_second_meeting_are_found_wherever_there_are_any(players: int, entrants: int) -> None:
    draws = Random(players * entrants)
    names = tuple("abcdefghij"[:entrants])
    avoidable = 0
    for number in range(60):
        met = {frozenset(pair): 1 for pair in combinations(names, 2) if draws.random() < 0.1 * (number % 7)}
        tables = draw_tables(names, players, met, f"seed {number}", "tables")
        found = sum(met.get(frozenset(pair), 0) for table in tables for pair in combinations(table, 2))
        assert sorted(name for table in tables for name in table) == list(names)
        if possible(frozenset(names), players, frozenset(met)):
            avoidable += 1
            assert found == 0, (number, tables)
    assert avoidable > 10


def possible(names: frozenset[str], players: int, met: frozenset[frozenset[str]]) -> bool:
    """Whether the names can be seated so that nobody meets again: by trying everything."""
    if not names:
        return True
    first = min(names)
    for others in combinations(sorted(names - {first}), players - 1):
        table = (first, *others)
        if all(frozenset(pair) not in met for pair in combinations(table, 2)) and possible(
            names - set(table), players, met
        ):
            return True
    return False


def test_a_thousand_entrants_meet_new_opponents_in_each_round() -> None:
    simulated = SimulatedField(tuple(float(index % 400) for index in range(1000)))
    plan = Plan("swiss", simulated.names, (), 4, 1, None, "rotations", "seed", rounds=5)
    stages, _ = played_through(simulated, plan, np.random.default_rng(1))

    met = Counter(frozenset(pair) for stage in stages for table in stage.pools for pair in combinations(table, 2))
    assert set(met.values()) == {1}


def test_by_default_there_are_two_rounds_more_than_halvings_of_the_field() -> None:
    assert with_defaults(replace(PLAN, rounds=None)).rounds == 6
    assert with_defaults(replace(PLAN, entrants=PLAN.entrants[:8], rounds=None)).rounds == 5
    assert with_defaults(PLAN) == PLAN


@pytest.mark.parametrize(
    ("change", "member", "words"),
    [
        ({"rounds": 0}, "rounds", "1 to 100"),
        ({"rounds": 101}, "rounds", "1 to 100"),
        ({"rounds": None}, "rounds", "is missing"),
        ({"advance": 1}, "advance", "belongs to knockout and divisions, not to swiss"),
        ({"sets": 3}, "sets", "does not belong to swiss"),
        ({"challengers": ("bot00",)}, "challengers", "only a gauntlet"),
        ({"deals": 20_000}, "deals", "matches are too many"),
        ({"players": 4, "entrants": ("a", "b", "c")}, "bots", "at least 4 bots"),
    ],
)
def test_a_bad_plan_is_refused_by_the_member_at_fault(change: dict[str, object], member: str, words: str) -> None:
    with pytest.raises(PlanError) as refused:
        check(replace(PLAN, **change))  # type: ignore[arg-type]

    assert refused.value.path[0] == member
    assert words in refused.value.reason
