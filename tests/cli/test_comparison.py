"""`montego compare`: what is played is given to the test in the order of the schedule, until it has decided."""

from __future__ import annotations

from typing import Any

import pytest

from service.cli.compare import Comparison, ComparisonPlan, schedule_of
from service.ids import match_id
from service.tournament.schedule import Block
from service.tournament.sequential_test import BETTER, NOT_BETTER, SequentialTest
from tests.cli.conftest import Montego, Scripted

PLAN = ComparisonPlan("old", "new", ("x", "y"), "a seed", 40, {"players": 2})
Event = dict[str, Any]


def comparison(plan: ComparisonPlan = PLAN, margin: float = 0.1) -> Comparison:
    """A comparison whose tournament has just been made."""
    body = plan.body()
    settings = {**body, "bots": [*body["challengers"], *body["bots"]], "sets": None, "seatings": "rotations"}
    return Comparison(schedule_of({"settings": settings}, plan), plan, SequentialTest(margin, 0.05, 0.05))


def events(block: Block, first: int, winner: str | None = None) -> list[Event]:
    """What the service tells of a block: `winner` wins if it plays, else the field's bot does."""
    told: list[Event] = []
    for n, pairing in enumerate(block.pairings, first):
        champion = winner if winner in pairing.seats else next(name for name in pairing.seats if name in "xy")
        places = [1 if name == champion else 2 for name in pairing.seats]
        told.append(
            {
                "n": n,
                "type": "match_finished",
                "match": match_id("t", pairing.block, pairing.seating),
                "points": [5, 5],
                "places": places,
            }
        )
    return told


def blocks(played: Comparison) -> list[Block]:
    return list(played._schedule)


@pytest.mark.parametrize(("winner", "verdict"), [("new", BETTER), ("old", NOT_BETTER)])
def test_it_decides_for_whoever_wins_and_needs_only_some_of_the_blocks(winner: str, verdict: str) -> None:
    played, n = comparison(), 1
    for block in blocks(played):
        if played.verdict.decided is not None:
            break
        played.take(events(block, n, winner))
        n += len(block.pairings)
    assert played.verdict.decided == verdict
    assert 0 < played.verdict.units < PLAN.max_pairs
    assert played.seen == n - 1


def test_blocks_that_are_done_early_wait_for_those_before_them() -> None:
    played = comparison()
    first, second, third, fourth = blocks(played)[:4]
    played.take([*events(third, 1, "new"), *events(fourth, 3, "new")])
    assert played.verdict.units == 0
    played.take(events(second, 5, "new"))
    assert played.verdict.units == 0
    played.take(events(first, 7, "new"))
    assert played.verdict.units == 2


def test_a_block_counts_once_all_of_it_is_played() -> None:
    played = comparison()
    first, second = blocks(played)[:2]
    played.take([*events(first, 1, "new"), *events(second, 3, "new")[:1]])
    assert played.verdict.units == 0
    played.take(events(second, 3, "new")[1:])
    assert played.verdict.units == 1


def test_both_meet_the_same_opponents_on_the_same_deal() -> None:
    found = blocks(comparison())
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert {one.entrants[0], other.entrants[0]} == {"old", "new"}
        assert (one.entrants[1:], one.deal) == (other.entrants[1:], other.deal)


def test_it_ends_undecided_after_as_many_pairs_as_were_asked_for() -> None:
    plan = ComparisonPlan("old", "new", ("x", "y"), "a seed", 3, {"players": 2})
    played, n = comparison(plan), 1
    for block in blocks(played):
        played.take(events(block, n))
        n += len(block.pairings)
    assert played.over
    assert (played.verdict.decided, played.verdict.units, played.verdict.mean) == (None, 3, 0.0)


def test_it_ends_with_the_tournament() -> None:
    played = comparison()
    played.take([{"n": 1, "type": "started"}, {"n": 2, "type": "cancelled"}])
    assert played.over
    assert played.seen == 2


def _bots(scripted: Scripted, *names: str) -> None:
    items = [{"bot": f"id-{name}", "name": name, "kind": "push"} for name in names]
    scripted.on("GET /v1/bots", 200, {"items": items, "next": None})
    for item in items:
        scripted.on(f"GET /v1/bots/{item['name']}", 200, item)


def test_the_same_bot_twice_is_refused(montego: Montego, scripted: Scripted) -> None:
    _bots(scripted, "old", "new")
    ran = montego("compare", "old", "new", "--against", "old", "--url", scripted.url)
    assert ran.code == 2
    assert "must be different bots" in ran.err


def test_a_field_that_is_too_small_is_refused_before_anything_is_created(montego: Montego, scripted: Scripted) -> None:
    _bots(scripted, "old", "new", "x")
    ran = montego("compare", "old", "new", "--against", "x", "--players", 4, "--url", scripted.url)
    assert ran.code == 2
    assert "with 4 players the field needs 3 bots" in ran.err
    assert not [call for call, _, _ in scripted.asked if call.startswith("POST")]


def test_an_unknown_bot_is_named(montego: Montego, scripted: Scripted) -> None:
    _bots(scripted, "old")
    scripted.on("GET /v1/bots/nobody", 404, {"title": "Not Found", "code": "not_found"})
    ran = montego("compare", "old", "nobody", "--against", "x", "--url", scripted.url)
    assert ran.code == 1
    assert "'nobody'" in ran.err


def test_the_verdict_is_told_and_the_tournament_cancelled(montego: Montego, scripted: Scripted) -> None:
    _bots(scripted, "old", "new", "x", "y")
    played = comparison()
    body = PLAN.body()
    settings = {**body, "bots": [*body["challengers"], *body["bots"]], "sets": None, "seatings": "rotations"}
    told = [event for n, block in enumerate(blocks(played)) for event in events(block, 1 + 2 * n, "new")]
    scripted.on("POST /v1/tournaments", 202, {"tournament": "t", "settings": settings})
    scripted.on("GET /v1/tournaments/t/events", 200, {"events": told, "last": len(told)})
    scripted.on("POST /v1/tournaments/t/cancellation", 200, {})
    scripted.on("GET /v1/tournaments/t/standings", 200, {"standings": [{"name": "new", "not_started": 0}]})
    field = ("--against", "x", "--against", "y")
    ran = montego(
        "compare", "old", "new", *field, "--seed", "a seed", "--max-pairs", 40, "--margin", 0.1, "--url", scripted.url
    )
    assert ran.code == 0
    assert ran.out.startswith("new is better than old: +1.000 in score per match over ")
    assert "at most 0.05" in ran.out
    posts = [call for call, _, _ in scripted.asked if call.startswith("POST")]
    assert posts == ["POST /v1/tournaments", "POST /v1/tournaments/t/cancellation"]
