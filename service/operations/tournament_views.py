"""What can be read of a tournament at any time: tables, matches, schedule, events. All computed on read."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from service.operations.access import NO_ENTRIES
from service.operations.context import Context
from service.operations.errors import InvalidRequest
from service.operations.matches import game_id, match_id, results
from service.operations.ports import TournamentRow
from service.operations.tournament_doc import TournamentDoc
from service.operations.tournaments import OVER, read
from service.tournament import crosstable as crosstables
from service.tournament import standings as standing_rows
from service.tournament.results import MatchResult
from service.tournament.schedule import Pairing

EVENTS_A_READ = 1000


def standings(ctx: Context, tournament: str) -> dict[str, Any]:
    """The table as it stands. Raises NotFound, Unavailable."""
    row, doc = read(ctx, tournament)
    rows = standing_rows.standings(doc.names, results(ctx, tournament).values())
    return {
        "tournament": tournament,
        "status": row.status,
        "matches": {"total": doc.schedule().matches, "finished": row.results},
        "standings": [_with_bot(doc, standing.to_json()) for standing in rows],
    }


def _with_bot(doc: TournamentDoc, row: dict[str, Any]) -> dict[str, Any]:
    return {"rank": row.pop("rank"), "bot": doc.bot_of(row["name"]), **row}


def crosstable(ctx: Context, tournament: str) -> dict[str, Any]:
    """Entrant by entrant. Raises NotFound, Unavailable."""
    row, doc = read(ctx, tournament)
    table = crosstables.crosstable(doc.names, results(ctx, tournament).values())
    return {"tournament": tournament, "status": row.status, **table.to_json()}


def matches(ctx: Context, tournament: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of matches in the order of the schedule, with what they came to.

    Raises NotFound, InvalidRequest for a cursor that is none, Unavailable.
    """
    row, doc = read(ctx, tournament)
    pairings, following = _paged(doc, limit, cursor)
    known = results(ctx, tournament, [pairing.match for pairing in pairings])
    active = {block for owner, block, _ in ctx.tournaments.active() if owner == tournament}
    items = [_match(ctx, tournament, row, pairing, known.get(pairing.match), active) for pairing in pairings]
    return {"items": items, "next": following}


def _match(
    ctx: Context,
    tournament: str,
    row: TournamentRow,
    pairing: Pairing,
    result: MatchResult | None,
    active: set[int],
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "match": match_id(tournament, pairing.match),
        "game": None,
        "block": pairing.block,
        "seating": pairing.seating,
        "seats": list(pairing.seats),
        "status": "cancelled" if row.status in OVER else "scheduled",
        "points": None,
        "places": None,
    }
    if result is None:
        game = game_id(tournament, pairing.match, 0)
        if pairing.block in active and ctx.games.read(game, NO_ENTRIES) is not None:
            shown |= {"game": game, "status": "running"}
        return shown
    return {
        **shown,
        "game": result.game or None,
        "status": result.status,
        "points": list(result.points) or None,
        "places": None if result.places is None else list(result.places),
        "attempt": result.attempt,
        "ended": result.ended or None,
        "faults": list(result.faults),
        "forfeits": [pairing.seats[seat] for seat in result.forfeits],
        "not_started": [pairing.seats[seat] for seat in result.not_started],
        "versions": list(result.versions),
        "harness_slow": result.harness_slow,
    }


def schedule(ctx: Context, tournament: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of the schedule: who sits where in which match. Raises NotFound, InvalidRequest, Unavailable."""
    _, doc = read(ctx, tournament)
    pairings, following = _paged(doc, limit, cursor)
    return {"items": [scheduled(tournament, pairing) for pairing in pairings], "next": following}


def scheduled(tournament: str, pairing: Pairing) -> dict[str, Any]:
    """A match as the schedule lists it."""
    return {
        "match": match_id(tournament, pairing.match),
        "block": pairing.block,
        "seating": pairing.seating,
        "seats": list(pairing.seats),
    }


def _paged(doc: TournamentDoc, limit: int, cursor: str | None) -> tuple[list[Pairing], str | None]:
    """Matches from the one that the cursor names."""
    plan = doc.schedule()
    first = 0
    if cursor is not None:
        if not cursor.isascii() or not cursor.isdigit() or not 0 <= int(cursor[:12]) < plan.matches:
            raise InvalidRequest(("cursor",), "This is no cursor of this list.")
        first = int(cursor)
    number, skipped = divmod(first, plan.seatings_per_block)
    found: list[Pairing] = []
    while number < plan.blocks and len(found) < limit + skipped:
        found.extend(plan.block(number).pairings)
        number += 1
    page = found[skipped : skipped + limit]
    end = first + len(page)
    return page, str(end) if end < plan.matches else None


@dataclass(frozen=True, slots=True)
class TournamentEvents:
    """Events after a number; `last` is the number of the newest one."""

    events: list[dict[str, Any]]
    last: int
    over: bool


def events(ctx: Context, tournament: str, after: int) -> TournamentEvents:
    """At most 1,000 events after number `after`. Raises NotFound, Unavailable."""
    row, _ = read(ctx, tournament)
    found = ctx.tournaments.events(tournament, after, EVENTS_A_READ)
    listed = [{"n": number, **json.loads(text)} for number, text in found]
    last = listed[-1]["n"] if listed else row.version
    return TournamentEvents(listed, last, row.status in OVER and last >= row.version)


def wait_for_events(ctx: Context, tournament: str, after: int, timeout_s: float) -> TournamentEvents:
    """The same, as soon as there are any, or when the tournament is over or the time is up."""
    until = time.monotonic() + timeout_s
    while True:
        found = events(ctx, tournament, after)
        left = until - time.monotonic()
        if found.events or found.over or left <= 0:
            return found
        ctx.hub.wait(f"tournament:{tournament}", found.last, left)
