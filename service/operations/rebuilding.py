"""Asks of a game that is over, rebuilt from its record alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.engine.decisions import Decision
from service.engine.events import Event
from service.engine.game import Game
from service.engine.observation import TableView
from service.engine.record import replay
from service.operations.asks import Budget, compose_ask


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision of a finished game: its ask, the state that it was about, and how it was settled then.

    `by` is `player` or `default`, `fault` the fault that led to a default, or None.
    """

    ask: dict[str, Any]
    game: Game
    decision: str
    action: dict[str, Any]
    by: str
    fault: str | None


def rebuild(record: Mapping[str, Any], *, round_: int, seat: int, budget_ms: int, time_ms: int) -> list[Asked]:
    """The asks of a seat in a round, in the order asked: as they were, but for `match`, which no record holds, and
    `previous` (both null), with the given budget and no bank. The record is taken to be sound (`engine.record.verify`).

    A decision that was never settled (the game ended before) has none. Of a seat that resigned with its card settled no
    record says whether that was before the reveal: the ask that followed it is rebuilt as if it was after.
    Raises service.engine.errors.DamagedRecord.
    """
    openings: list[tuple[int, Game, Decision]] = []
    # Everybody sits down, then the game starts, before anything is settled.
    version = len(record["seats"])
    known: set[str] = set()

    def look(events: tuple[Event, ...], game: Game) -> None:
        nonlocal version, known
        version += _entries(events)
        fresh = {decision.id for decision in game.decisions}
        openings.extend(
            (version, game, decision)
            for decision in game.decisions
            if decision.id not in known and decision.seat == seat and decision.round == round_
        )
        known = fresh

    replay(record, look)
    settled = {entry["decision"]: entry for entry in record["actions"]}
    return [
        Asked(
            compose_ask(game, _view(record, at), decision, Budget(budget_ms, 0), time_ms=time_ms),
            game,
            decision.id,
            settled[decision.id]["action"],
            settled[decision.id]["by"],
            settled[decision.id]["fault"],
        )
        for at, game, decision in openings
        if decision.id in settled
    ]


def _entries(events: tuple[Event, ...]) -> int:
    """How many entries of the log told of what a replay tells at once: seats forfeit together, and otherwise give up
    each by itself."""
    first = events[0] if events else None
    if first is None or first.type != "resigned" or first.data["reason"] == "forfeit":
        return 1
    seats = first.data["seats"]
    assert isinstance(seats, list), "the event has a list of seats"
    return len(seats)


def _view(record: Mapping[str, Any], version: int) -> TableView:
    names = tuple(seat["name"] for seat in record["seats"])
    return TableView(record["game"], version, "running", names, record["commitment"], record["deal"])
