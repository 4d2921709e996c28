"""Divisions: groups, finals, and how entrants move up and down between seasons."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.tournament.divisions import promote_and_relegate
from service.tournament.formats import check, expected_matches, known_blocks, next_stage, ranking, with_defaults
from service.tournament.plan import Plan, PlanError
from tests.tournament.test_knockout import NAMES, play, results_of

PLAN = Plan("divisions", NAMES[:11], (), 3, 2, None, "rotations", "seed", advance=2, groups=2)


def test_all_meet_in_their_group_and_the_best_meet_in_the_finals() -> None:
    stages, results = play(PLAN)

    groups, finals = stages
    assert groups.pools == (("s01", "s04", "s05", "s08", "s09"), ("s02", "s03", "s06", "s07", "s10", "s11"))
    assert finals.pools == (("s01", "s02", "s03", "s04"),)
    met = Counter(
        frozenset(pair) for block in known_blocks(PLAN, stages) for pair in combinations(sorted(block.entrants), 2)
    )
    assert {met[frozenset(pair)] for pair in combinations(groups.pools[0][2:], 2)} == {2 * 3}
    assert met[frozenset(("s01", "s02"))] == 2 * 2
    assert frozenset(("s05", "s06")) not in met
    assert expected_matches(PLAN, ()) == len(results) == 3 * 2 * (10 + 20 + 4)
    assert ranking(PLAN, stages, results) == [
        ("s01",),
        ("s02",),
        ("s03",),
        ("s04",),
        ("s06",),
        ("s05",),
        ("s07",),
        ("s08",),
        ("s10",),
        ("s09",),
        ("s11",),
    ]


def test_with_sets_each_group_and_the_finals_play_so_many() -> None:
    plan = replace(PLAN, sets=5)
    stages, results = play(plan)

    assert len(results) == 3 * 2 * (5 + 5 + 4)
    assert expected_matches(plan, ()) == len(results)
    schedule = known_blocks(plan, stages)
    assert [block.number for block in schedule] == list(range(schedule.blocks))


def test_the_next_of_a_group_goes_to_the_finals_when_a_bot_has_withdrawn() -> None:
    first = next_stage(PLAN, (), (), ())
    assert first is not None
    results = results_of(PLAN, (first,))
    finals = next_stage(PLAN, (first,), results, ("s01", "s05"))
    assert finals is not None
    assert finals.pools == (("s02", "s03", "s04", "s08"),)
    finals = next_stage(PLAN, (first,), results, ("s02", *NAMES[3:10]))
    assert finals is not None
    assert finals.pools == (("s01", "s03", "s11"),)
    assert next_stage(PLAN, (first,), results, NAMES[2:11]) is None


def test_bots_that_withdraw_before_the_beginning_make_fewer_groups() -> None:
    first = next_stage(PLAN, (), (), NAMES[5:11])
    assert first is not None
    assert first.pools == (NAMES[:5],)
    assert next_stage(PLAN, (), (), NAMES[2:11]) is None


def test_defaults_make_finals_about_as_large_as_a_group() -> None:
    found = with_defaults(replace(PLAN, entrants=NAMES[:40], players=4, groups=None, advance=None))
    assert (found.groups, found.advance) == (5, 2)
    for entrants in range(8, 41):
        check(with_defaults(replace(PLAN, entrants=NAMES[:entrants], players=4, groups=None, advance=None)))


@pytest.mark.parametrize(
    ("change", "member", "words"),
    [
        ({"groups": 1}, "groups", "at least 2"),
        ({"groups": 4}, "groups", "11 bots make at most 3 groups of 3"),
        ({"advance": 6}, "advance", "1 to 5, the size of the smallest group"),
        ({"advance": 1}, "advance", "the finals need at least 3 bots, not 2"),
        ({"sets": 1}, "sets", "some bots would never play"),
        ({"rounds": 3}, "rounds", "belongs to swiss"),
    ],
)
def test_a_bad_plan_is_refused_by_the_member_at_fault(change: dict[str, Any], member: str, words: str) -> None:
    with pytest.raises(PlanError) as refused:
        check(replace(PLAN, **change))

    assert refused.value.path[0] == member
    assert words in refused.value.reason


TABLES = (("a", "b", "c", "d"), ("e", "f", "g", "h"), ("i", "j", "k"))


def test_the_last_go_down_and_the_first_come_up() -> None:
    assert promote_and_relegate(TABLES, 1) == (
        ("a", "b", "c", "e"),
        ("d", "f", "g", "i"),
        ("h", "j", "k"),
    )
    assert promote_and_relegate(TABLES, 0) == TABLES


def test_seats_of_those_that_left_are_taken_by_the_next_below() -> None:
    assert promote_and_relegate(TABLES, 1, left=("b", "i"), newcomers=("x", "y")) == (
        ("a", "c", "d", "f"),
        ("e", "g", "h", "k"),
        ("j", "x", "y"),
    )


@pytest.mark.parametrize(
    ("moves", "newcomers", "words"),
    [
        (3, (), "division 2 has 4 entrants, but 6 are to leave it"),
        (-1, (), "0 or more"),
        (1, ("a",), "listed twice"),
    ],
)
def test_impossible_moves_are_refused(moves: int, newcomers: tuple[str, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        promote_and_relegate(TABLES, moves, newcomers=newcomers)


@given(st.lists(st.integers(4, 9), min_size=1, max_size=5), st.integers(0, 2), st.integers(0, 2))
def test_nobody_is_lost_and_upper_divisions_keep_their_size(sizes: list[int], moves: int, arriving: int) -> None:
    names = iter(range(1000))
    tables = tuple(tuple(f"n{next(names)}" for _ in range(size)) for size in sizes)
    newcomers = tuple(f"new{number}" for number in range(arriving))
    found = promote_and_relegate(tables, moves, newcomers=newcomers)

    assert sorted(name for table in found for name in table) == sorted(
        [*(name for table in tables for name in table), *newcomers]
    )
    assert [len(table) for table in found[:-1]] == sizes[:-1]
    assert len(found[-1]) == sizes[-1] + arriving
