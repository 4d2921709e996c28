"""Knockouts: who meets whom, who goes on, and when a table is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from service.tournament.formats import check, expected_matches, known_blocks, next_stage, ranking, with_defaults
from service.tournament.plan import Plan, PlanError
from service.tournament.results import MatchResult
from service.tournament.simulation import SimulatedField, finished, played_through
from service.tournament.stages import Stage

NAMES = tuple(f"s{number:02}" for number in range(1, 41))
PLAN = Plan("knockout", NAMES[:16], (), 4, 1, None, "rotations", "seed", advance=2, max_deals=3)
PAIRS = replace(PLAN, players=2, entrants=NAMES[:8], advance=1)
Strength = Callable[[str], int]


def by_seed(name: str) -> int:
    """The better seed always wins."""
    return 1000 - int(name[1:])


def results_of(
    plan: Plan, stages: Sequence[Stage], known: Iterable[MatchResult] = (), strength: Strength = by_seed
) -> list[MatchResult]:
    """Results of all matches that are known, in which the stronger ones win."""
    found = list(known)
    for number in range(len(found), known_blocks(plan, stages).matches):
        pairing = known_blocks(plan, stages).pairing(number)
        found.append(finished(number, pairing.block, pairing.seats, [strength(name) for name in pairing.seats]))
    return found


def play(plan: Plan, strength: Strength = by_seed) -> tuple[tuple[Stage, ...], list[MatchResult]]:
    """The whole event."""
    stages: tuple[Stage, ...] = ()
    results: list[MatchResult] = []
    while (stage := next_stage(plan, stages, results, ())) is not None:
        stages = (*stages, stage)
        results = results_of(plan, stages, results, strength)
    return stages, results


def test_the_best_seeds_meet_last() -> None:
    stages, _ = play(PAIRS)

    assert [stage.pools for stage in stages] == [
        (("s01", "s08"), ("s02", "s07"), ("s03", "s06"), ("s04", "s05")),
        (("s01", "s04"), ("s02", "s03")),
        (("s01", "s02"),),
    ]


def test_the_two_best_of_four_go_on() -> None:
    stages, results = play(PLAN)

    assert [(len(stage.pools), stage.advance) for stage in stages] == [(4, (2, 2, 2, 2)), (2, (2, 2)), (1, (1,))]
    assert stages[0].pools[0] == ("s01", "s08", "s09", "s16")
    found = ranking(PLAN, stages, results)
    assert found is not None
    assert [level[0] for level in found[:4]] == ["s01", "s02", "s03", "s04"]
    assert sorted(name for level in found for name in level) == list(PLAN.entrants)
    assert {name for level in found[8:] for name in level} == set(NAMES[8:16])


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("entrants", range(4, 41))
def test_any_number_of_entrants_comes_down_to_one_full_table(players: int, entrants: int) -> None:
    for advance in range(1, players):
        plan = replace(PLAN, players=players, entrants=NAMES[:entrants], advance=advance)
        stages, results = play(plan)

        assert len(stages[-1].pools) == 1
        assert len(stages[-1].pools[0]) == players
        assert not stages[-1].byes
        before = None
        for stage in stages:
            present = sorted([*stage.byes, *(name for pool in stage.pools for name in pool)])
            assert before is None or len(present) == before
            assert present[:2] == ["s01", "s02"]
            assert all(byes == name for byes, name in zip(stage.byes, NAMES, strict=False))
            assert all(advance <= going < players for going in stage.advance if stage is not stages[-1])
            before = len(stage.byes) + sum(stage.advance)
        assert expected_matches(plan, ()) == expected_matches(plan, stages) == len(results)


def test_byes_are_given_in_the_first_round_alone_where_later_rounds_can_be_full() -> None:
    for entrants in range(5, 33):
        stages, _ = play(replace(PAIRS, entrants=NAMES[:entrants]))
        assert all(not stage.byes for stage in stages[1:]), entrants


def test_a_level_table_plays_on_and_the_others_wait() -> None:
    level = {"s02", "s07"}

    def strength(name: str) -> int:
        return 5 if name in level else by_seed(name)

    first = next_stage(PAIRS, (), (), ())
    assert first is not None
    results = results_of(PAIRS, (first,), strength=strength)
    again = next_stage(PAIRS, (first,), results, ())
    assert again == Stage(1, (("s02", "s07"),), 1, advance=(1,))
    results = results_of(PAIRS, (first, again), results)
    second = next_stage(PAIRS, (first, again), results, ())
    assert second is not None
    assert second.pools == (("s01", "s04"), ("s02", "s03"))


def test_after_the_last_deal_the_better_seed_goes_on() -> None:
    stages, results = play(PAIRS, lambda name: 1)

    assert [stage.round for stage in stages] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert stages[3].pools == (("s01", "s04"), ("s02", "s03"))
    assert ranking(PAIRS, stages, results) == [("s01", "s02"), ("s03", "s04"), ("s05", "s06", "s07", "s08")]


def test_a_table_that_a_bot_left_is_decided_at_once() -> None:
    first = next_stage(PLAN, (), (), ())
    assert first is not None
    results = [result for result in results_of(PLAN, (first,), strength=lambda name: 1) if result.block != 0]
    again = next_stage(PLAN, (first,), results, ("s01",))
    assert again is not None
    assert again.pools == first.pools[1:]
    results = results_of(PLAN, (first, again), [*results, *results_of(PLAN, (first,))[:4]])
    second = next_stage(PLAN, (first, again), results, ("s01",))
    assert second is not None
    present = {name for pool in second.pools for name in pool}
    assert {"s08", "s09"} <= present
    assert "s01" not in present
    assert second.withdrawn == ("s01",)


def test_the_best_of_those_that_are_out_take_seats_that_are_free() -> None:
    plan = replace(PLAN, entrants=NAMES[:8])
    first = next_stage(plan, (), (), ())
    assert first is not None
    results = results_of(plan, (first,))
    final = next_stage(plan, (first,), results, ("s01", "s04"))
    assert final is not None
    assert final.pools == (("s02", "s03", "s05", "s08"),), "the next of the same table"
    final = next_stage(plan, (first,), results, ("s01", "s04", "s05"))
    assert final is not None
    assert final.pools == (("s02", "s03", "s06", "s08"),), "the best of another one"
    assert next_stage(plan, (first,), results, NAMES[:5]) is None


def test_the_favourite_wins_most_often_and_not_always() -> None:
    simulated = SimulatedField(tuple(-40.0 * at for at in range(8)))
    plan = replace(PAIRS, entrants=simulated.names)
    rng = np.random.default_rng(3)
    winners = []
    for _ in range(40):
        stages, results = played_through(simulated, plan, rng)
        found = ranking(plan, stages, results)
        assert found is not None
        winners.append(found[0][0])
    assert 12 <= winners.count("bot00") < 40


def test_defaults_send_half_of_a_table_on() -> None:
    for players, advance in ((2, 1), (3, 1), (4, 2)):
        found = with_defaults(replace(PLAN, players=players, advance=None, max_deals=None))
        assert (found.advance, found.max_deals) == (advance, 5)


@pytest.mark.parametrize(
    ("change", "member", "words"),
    [
        ({"advance": 4}, "advance", "1 to 3 of a table of 4"),
        ({"advance": 0}, "advance", "1 to 3"),
        ({"deals": 4}, "max_deals", "at least `deals`, which is 4"),
        ({"groups": 2}, "groups", "belongs to divisions, not to knockout"),
        ({"sets": 2}, "sets", "each table is one set"),
        ({"entrants": NAMES[:3]}, "bots", "at least 4 bots"),
    ],
)
def test_a_bad_plan_is_refused_by_the_member_at_fault(change: dict[str, Any], member: str, words: str) -> None:
    with pytest.raises(PlanError) as refused:
        check(replace(PLAN, **change))

    assert refused.value.path[0] == member
    assert words in refused.value.reason
