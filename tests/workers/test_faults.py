"""Faults and forfeits: what each is called, what it costs, and when it is judged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from service.engine.record import verify
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.projection import GameView, SeatLedger
from service.operations.games.records import record
from service.operations.tournaments.matches import result_of
from service.processes.ports import free_port
from service.protocol import FAULTS
from service.tournament.results import MatchResult
from tests.workers.tournament_setup import (
    Entrant,
    Reply,
    Scripted,
    cup,
    faults_of,
    honest,
    opened,
    served,
    worker_on,
)
from workers.referee import forfeits, play_match

NOTHING = {"good": 0, "broken": 0, "coin": 0}
CARDS_ONLY = {
    "ships": [{"id": f"x{number}", "capacity": 4, "points": [4, 2, 1]} for number in range(8)],
    "warehouses": [{"id": f"h{number}", "upper": NOTHING, "lower": NOTHING} for number in range(7)],
}
"""A set in which nothing is ever decided but cards."""
ILLEGAL: Reply = {"index": 10**9}


def outcome(ctx: Context, entrants: dict[str, Entrant], **more: Any) -> tuple[GameView, MatchResult]:
    """The first match of a tournament of these bots, played."""
    with served(ctx, entrants), worker_on(ctx) as worker:
        match = opened(ctx, worker.outbound, cup(ctx, *entrants, **more))
        view = play_match(ctx, match.view, match.players, match.lease, lambda: None)
    verify(record(ctx, view.id))
    return view, result_of(view, match.pairing)


def by_name(result: MatchResult, values: tuple[Any, ...] | None) -> dict[str, Any]:
    assert values is not None
    return dict(zip(result.seats, values, strict=True))


def at(decision: str, reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """A bot that answers so to one decision (the beginning of its id will do) and well to all others."""
    return lambda ask: reply if ask["decision"]["id"].startswith(decision) else {"index": 0}


@contextmanager
def misfit(kind: str) -> Iterator[tuple[Entrant, list[dict[str, Any]]]]:
    """A bot that does nothing but this, and what it was asked."""
    ended = threading.Event()

    def hang(ask: dict[str, Any]) -> Reply:
        ended.wait(10)
        return {"index": 0}

    replies: dict[str, Callable[[dict[str, Any]], Reply]] = {
        "late": hang,
        "bad_status": lambda ask: (503, b'{"index":0}'),
        "bad_body": lambda ask: b'{"index":0,"index":0}',
        "illegal": lambda ask: ILLEGAL,
    }
    if kind == "unreachable":
        yield f"http://127.0.0.1:{free_port()}", []
        return
    bot = Scripted(act=replies[kind])
    try:
        yield bot, bot.asks
    finally:
        ended.set()


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_has_its_name_in_log_ledger_record_and_next_ask(ctx: Context, kind: str) -> None:
    with misfit(kind) as (bad, asks):
        view, result = outcome(ctx, {"bad": bad, **honest("ann")}, move_ms=150, max_faults=2)
    assert by_name(result, result.faults) == {"bad": {kind: 3}, "ann": {}}
    assert by_name(result, result.places) == {"ann": 1, "bad": 2}
    assert result.not_started == ()
    assert [result.seats[seat] for seat in result.forfeits] == ["bad"]
    mine = [entry for entry in record(ctx, view.id)["actions"] if entry["fault"] is not None]
    assert [(entry["fault"], entry["by"]) for entry in mine] == [(kind, "default")] * 3
    assert [ask["previous"] and ask["previous"]["outcome"] for ask in asks] in ([None, kind, kind], [])
    ledger = faults_of(ctx, "bad")
    assert [row["kind"] for row in ledger] == [kind] * 3
    assert [row["decision"] for row in ledger] == [entry["decision"] for entry in mine]
    for row in ledger:
        assert row["game"] == view.id
        assert row["elapsed_ms"] > 0
        assert row["detail"]
        assert row["status"] == {"bad_status": 503, "bad_body": 200, "illegal": 200}.get(kind)
    assert faults_of(ctx, "ann") == []


def test_a_default_action_is_played_for_each_fault(ctx: Context) -> None:
    view, _ = outcome(ctx, {"bad": Scripted(act=lambda ask: ILLEGAL), **honest("ann")}, max_faults=1000)
    found = [entry for entry in record(ctx, view.id)["actions"] if entry["fault"] == "illegal"]
    cards = [entry["action"] for entry in found if ".play." in entry["decision"]]
    assert {(action["big"], action["little"]) for action in cards} == {(1, 1)}
    assert view.game.outcome is not None and view.game.outcome.ended == "played", "it played to the end"


def test_a_bot_that_answers_again_after_a_fault_plays_on(ctx: Context) -> None:
    bot = Scripted(act=at("1.play", (500, b"")))
    _, result = outcome(ctx, {"ann": bot, **honest("ben")}, max_faults=1)
    assert by_name(result, result.faults)["ann"] == {"bad_status": 1}
    assert result.forfeits == ()
    assert bot.asks[1]["previous"]["outcome"] == "bad_status"
    assert bot.asks[2]["previous"]["outcome"] == "ok"


def test_lenient_forfeits_with_one_fault_too_many_of_whatever_kinds() -> None:
    for faults, lenient in [
        ({}, False),
        ({"late": 1, "illegal": 1}, False),
        ({"late": 1, "illegal": 2}, True),
        ({"bad_body": 3}, True),
    ]:
        assert forfeits(SeatLedger(faults=faults), max_faults=2, policy="lenient") == lenient
    assert forfeits(SeatLedger(faults={"late": 1}), max_faults=0, policy="lenient")


def test_strict_forfeits_with_the_first_illegal_answer_and_no_other_fault() -> None:
    for kind in FAULTS:
        assert forfeits(SeatLedger(faults={kind: 1}), max_faults=5, policy="strict") == (kind == "illegal")
    assert forfeits(SeatLedger(faults={"late": 6}), max_faults=5, policy="strict")


@pytest.mark.parametrize("policy", ["strict", "lenient"])
def test_an_illegal_answer_ends_a_strict_match_and_not_a_lenient_one(ctx: Context, policy: str) -> None:
    bad = Scripted(act=at("1.play", ILLEGAL))
    view, result = outcome(ctx, {"bad": bad, **honest("ann")}, policy=policy)
    assert result.ended == ("resigned" if policy == "strict" else "played")
    assert len(bad.asks) == 1 or policy == "lenient"
    assert record(ctx, view.id)["resignations"] == (
        [{"seat": result.seats.index("bad"), "after": 2, "reason": "forfeit"}] if policy == "strict" else []
    )


@pytest.mark.parametrize("slow", ["bad", "worse"])
def test_seats_that_forfeit_in_one_phase_do_so_at_once_whoever_answered_first(ctx: Context, slow: str) -> None:
    other_answered = threading.Event()

    def last(ask: dict[str, Any]) -> Reply:
        assert other_answered.wait(10)
        return ILLEGAL

    def first(ask: dict[str, Any]) -> Reply:
        other_answered.set()
        return ILLEGAL

    entrants: dict[str, Entrant] = {name: Scripted(act=last if name == slow else first) for name in ("bad", "worse")}
    view, result = outcome(ctx, {**entrants, **honest("ann")}, policy="strict")
    assert by_name(result, result.places)["ann"] == 1
    resignations = record(ctx, view.id)["resignations"]
    assert len(resignations) == 2
    assert {entry["after"] for entry in resignations} == {3}


def test_when_all_forfeit_at_once_they_share_the_place(ctx: Context) -> None:
    entrants: dict[str, Entrant] = {name: Scripted(act=lambda ask: ILLEGAL) for name in ("bad", "worse")}
    _, result = outcome(ctx, entrants, policy="strict")
    assert result.places == (1, 1), "neither had a point"
    assert result.forfeits == (0, 1)


def test_a_forfeit_is_judged_before_the_next_question_also_when_another_seat_has_resigned(ctx: Context) -> None:
    first = Scripted(act=at("1.play", ILLEGAL))
    second = Scripted(act=at("2.play", ILLEGAL))
    view, result = outcome(
        ctx, {"first": first, "second": second, **honest("ann")}, policy="strict", components=CARDS_ONLY
    )
    assert [ask["decision"]["id"].split(".")[0] for ask in first.asks] == ["1"]
    assert [ask["decision"]["id"].split(".")[0] for ask in second.asks] == ["1", "2"]
    assert by_name(result, result.places)["ann"] == 1
    assert view.game.round == 3


def test_who_has_forfeited_is_asked_no_more_and_the_others_play_on(ctx: Context) -> None:
    bad = Scripted(act=at("2.play", ILLEGAL))
    view, result = outcome(ctx, {"bad": bad, **honest("ann", "ben", "cid")}, policy="strict")
    assert bad.asks[-1]["decision"]["id"].startswith("2.play")
    assert result.ended == "played"
    places = by_name(result, result.places)
    assert places.pop("bad") == 4
    assert by_name(result, result.faults) == {"bad": {"illegal": 1}, "ann": {}, "ben": {}, "cid": {}}
    assert load(ctx, view.id).game.round > 3
