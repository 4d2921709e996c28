"""What happened in a tournament, in order: its events (PROTOCOL "Tournaments")."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import Any

from service.operations.context import Context
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.store.tournaments import TournamentRow
from service.timestamps import timestamp

MAX_EVENTS = 1000
_LOOKED_THROUGH = 4
"""Events that are read at once to find the one with which the tournament began."""


def event_text(ctx: Context, kind: str, **members: Any) -> str:
    """An event that happens now, as it is stored. `kind` is its type."""
    event = {"type": kind, "at": timestamp(ctx.wall_ms()), **members}
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)


def started_members(doc: TournamentDoc) -> dict[str, Any]:
    """The members of `started`, and of `waiting` before it."""
    return {"name": doc.name, "commitment": doc.commitment, "matches": doc.expected_matches()}


def began_and_ended(ctx: Context, tournament: str, row: TournamentRow) -> tuple[str | None, str | None]:
    """When it began and when it ended, as timestamps; None for what has not happened. Raises Unavailable."""
    began = None
    # The first event, except in a tournament that has waited for its bots.
    for after in range(0, row.version, _LOOKED_THROUGH):
        found = [json.loads(text) for _, text in ctx.tournaments.events(tournament, after, _LOOKED_THROUGH)]
        began = next((event["at"] for event in found if event["type"] == "started"), None)
        if began is not None or row.status == "waiting":
            break
    ended = None
    if row.is_over:
        ended = json.loads(ctx.tournaments.events(tournament, row.version - 1, 1)[0][1])["at"]
    return began, ended


@dataclass(frozen=True, slots=True)
class TournamentEvents:
    """Events after a number; `last` is the number of the newest one. `reset`: the event that they were to follow is not
    one of the tournament (any more): these are the events from the first on."""

    events: list[dict[str, Any]]
    last: int
    over: bool
    reset: bool = False


def events(ctx: Context, tournament: str, after: int, at: str | None = None) -> TournamentEvents:
    """At most 1,000 events after number `after`. `at`: the time of that one, if the caller knows it. Raises NotFound,
    Unavailable."""
    row, _ = load_tournament(ctx, tournament)
    found = ctx.tournaments.events(tournament, max(0, after - 1), MAX_EVENTS + 1)
    listed = [{"n": number, **json.loads(text)} for number, text in found]
    if after > 0:
        if not listed or at not in (None, listed[0]["at"]):
            return replace(events(ctx, tournament, 0), reset=True)
        listed = listed[1:]
    listed = listed[:MAX_EVENTS]
    last = listed[-1]["n"] if listed else row.version
    return TournamentEvents(listed, last, row.is_over and last >= row.version)


def wait_for_events(
    ctx: Context, tournament: str, after: int, timeout_s: float, at: str | None = None
) -> TournamentEvents:
    """The same, as soon as there are any, or when the tournament is over or the time is up."""
    until = time.monotonic() + timeout_s
    while True:
        found = events(ctx, tournament, after, at)
        left = until - time.monotonic()
        if found.events or found.reset or found.over or left <= 0:
            return found
        ctx.hub.wait(f"tournament:{tournament}", found.last, left)
