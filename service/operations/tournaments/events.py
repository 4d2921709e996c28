"""What happened in a tournament, in order: its events (PROTOCOL "Tournaments")."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from service.operations.context import Context
from service.operations.tournaments.document import load_tournament
from service.timestamps import timestamp

MAX_EVENTS = 1000


def event_text(ctx: Context, kind: str, **members: Any) -> str:
    """An event that happens now, as it is stored. `kind` is its type."""
    event = {"type": kind, "at": timestamp(ctx.wall_ms()), **members}
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class TournamentEvents:
    """Events after a number; `last` is the number of the newest one."""

    events: list[dict[str, Any]]
    last: int
    over: bool


def events(ctx: Context, tournament: str, after: int) -> TournamentEvents:
    """At most 1,000 events after number `after`. Raises NotFound, Unavailable."""
    row, _ = load_tournament(ctx, tournament)
    found = ctx.tournaments.events(tournament, after, MAX_EVENTS)
    listed = [{"n": number, **json.loads(text)} for number, text in found]
    last = listed[-1]["n"] if listed else row.version
    return TournamentEvents(listed, last, row.is_over and last >= row.version)


def wait_for_events(ctx: Context, tournament: str, after: int, timeout_s: float) -> TournamentEvents:
    """The same, as soon as there are any, or when the tournament is over or the time is up."""
    until = time.monotonic() + timeout_s
    while True:
        found = events(ctx, tournament, after)
        left = until - time.monotonic()
        if found.events or found.over or left <= 0:
            return found
        ctx.hub.wait(f"tournament:{tournament}", found.last, left)
