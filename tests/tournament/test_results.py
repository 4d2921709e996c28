from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from service.tournament.results import MatchResult, ResultError, counting

FULL = MatchResult(
    match=7,
    block=1,
    seating=3,
    attempt=1,
    status="finished",
    seats=("ada", "bob", "cyd"),
    points=(31, 40, 31),
    places=(2, 1, 2),
    ended="played",
    faults=({}, {"late": 2, "illegal": 1}, {}),
    forfeits=(1,),
    not_started=(2,),
    versions=("1.0", None, "é"),
    answers=(30, 31, 0),
    answer_ms=(400, 12, 0),
    harness_slow=True,
    game="7f",
)
BARE = MatchResult(0, 0, 0, 0, "cancelled", ("ada", "bob"))


@pytest.mark.parametrize("result", [FULL, BARE], ids=["full", "bare"])
def test_a_result_survives_json_exactly(result: MatchResult) -> None:
    assert MatchResult.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_a_bare_result_takes_no_more_room_than_it_needs() -> None:
    assert sorted(BARE.to_json()) == ["attempt", "block", "match", "seating", "seats", "status"]


@pytest.mark.parametrize(
    ("member", "value", "words"),
    [
        ("match", "7", "match: must be a whole number"),
        ("block", True, "block: must be a whole number"),
        ("seating", -1, "seating: must be a whole number, 0 or more"),
        ("status", "done", "status: must be one of finished, void, cancelled, not 'done'"),
        ("seats", ["ada", "ada", "bob"], "seats: must be 2 or more different names"),
        ("points", [1, 2], "points: must have 3 elements, one a seat, not 2"),
        ("points", [1, 2, 3.5], "points.2: must be a whole number"),
        ("points", [], "points: a finished match has points"),
        ("places", "first", "places: must be a list"),
        ("faults", [{}, {"slow": 1}, {}], "faults: a kind of fault is one of"),
        ("faults", [{}, [], {}], "faults.1: must be an object"),
        ("forfeits", [3], "forfeits and not_started name seats 0 to 2"),
        ("versions", [1, None, None], "versions.0: must be a string"),
        ("harness_slow", 1, "harness_slow: must be true or false"),
        ("winner", "bob", "winner: is no member"),
    ],
)
def test_a_damaged_result_is_refused_by_name(member: str, value: Any, words: str) -> None:
    with pytest.raises(ResultError) as caught:
        MatchResult.from_json({**FULL.to_json(), member: value})

    assert words in str(caught.value)


def test_a_missing_member_is_named() -> None:
    plain = FULL.to_json()
    del plain["seats"]

    with pytest.raises(ResultError, match="seats: is missing"):
        MatchResult.from_json(plain)


def test_voids_and_games_without_places_do_not_count() -> None:
    void = replace(FULL, status="void", attempt=0)
    aborted = replace(FULL, match=8, places=None, ended="aborted")

    assert counting([void, aborted, FULL]) == [FULL]


def test_a_block_of_which_a_match_was_cancelled_does_not_count() -> None:
    cancelled = replace(BARE, match=4, block=1)
    elsewhere = replace(FULL, match=9, block=2)

    assert counting([FULL, cancelled, elsewhere]) == [elsewhere]


def test_results_count_in_the_order_of_matches_however_they_arrive() -> None:
    early = replace(FULL, match=2, block=0)

    assert counting([FULL, early]) == counting([early, FULL]) == [early, FULL]


def test_a_match_counted_twice_is_an_error_not_a_choice() -> None:
    with pytest.raises(ResultError, match="match 7 has two results that count"):
        counting([FULL, replace(FULL, attempt=2)])
