"""What can be read of a tournament at any time: tables, matches, schedule, events. All computed on read."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from service.errors import InvalidRequest
from service.ids import game_id, match_id
from service.operations.access.tokens import NO_ENTRIES
from service.operations.context import Context
from service.operations.tournaments.document import TournamentDoc
from service.operations.tournaments.lifecycle import match_counts, read
from service.operations.tournaments.matches import results, voids
from service.operations.tournaments.tables_cache import Known
from service.store.tournaments import TournamentRow
from service.tournament.results import MatchResult
from service.tournament.schedule import Pairing
from service.tournament.tables import Tables

EVENTS_A_READ = 1000


def standings(ctx: Context, tournament: str) -> dict[str, Any]:
    """The table as it stands, with ratings. Raises NotFound, Unavailable."""
    row, doc = read(ctx, tournament)
    return {
        "tournament": tournament,
        "status": row.status,
        "matches": match_counts(row, doc),
        "standings": with_bots(doc, tables_of(ctx, tournament, row, doc)),
    }


def with_bots(doc: TournamentDoc, found: Tables) -> list[dict[str, Any]]:
    """The rows of the standings, with the ids of the bots."""
    return [{"rank": row["rank"], "bot": doc.bot_of(row["name"]), **row} for row in found.standings]


def tables_of(ctx: Context, tournament: str, row: TournamentRow, doc: TournamentDoc) -> Tables:
    """All tables as they stand. Raises Unavailable.

    Intervals are drawn from the tournament's seed once that is open. Before, they are drawn from its commitment: from
    intervals that depend on the seed, a seed could be guessed.
    """
    seed = doc.seed if row.is_over else doc.commitment
    known = Known(row.results, seed)
    return ctx.tables.get(tournament, known, doc.names, lambda: ctx.tournaments.results(tournament), ctx.offload)


def crosstable(ctx: Context, tournament: str) -> dict[str, Any]:
    """Entrant by entrant. Raises NotFound, Unavailable."""
    row, doc = read(ctx, tournament)
    return {"tournament": tournament, "status": row.status, **tables_of(ctx, tournament, row, doc).crosstable}


def matches(ctx: Context, tournament: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of matches in the order of the schedule, with what they came to; before one that is played again, its void
    attempt.

    Raises NotFound, InvalidRequest for a cursor that is none, Unavailable.
    """
    row, doc = read(ctx, tournament)
    pairings, following = _paged(doc, limit, cursor)
    numbers = [pairing.match for pairing in pairings]
    known, void = results(ctx, tournament, numbers), voids(ctx, tournament, numbers)
    active = {block for owner, block, _ in ctx.blocks.active() if owner == tournament}
    items: list[dict[str, Any]] = []
    for pairing in pairings:
        found = [_match(ctx, tournament, row, pairing, known.get(pairing.match), active, void.get(pairing.match))]
        if pairing.match in void:
            found.insert(0, _result(tournament, pairing, void[pairing.match]))
        if items and len(items) + len(found) > limit:
            return {"items": items, "next": str(pairing.match)}
        items += found
    return {"items": items, "next": following}


def _match(
    ctx: Context,
    tournament: str,
    row: TournamentRow,
    pairing: Pairing,
    result: MatchResult | None,
    active: set[int],
    void: MatchResult | None,
) -> dict[str, Any]:
    if result is not None:
        return _result(tournament, pairing, result)
    shown = {**_scheduled(tournament, pairing), "status": "cancelled" if row.is_over else "scheduled"}
    game = game_id(tournament, pairing.block, pairing.seating, 0 if void is None else 1)
    if pairing.block in active and ctx.games.read(game, NO_ENTRIES) is not None:
        shown |= {"game": game, "status": "running"}
    return shown


def _scheduled(tournament: str, pairing: Pairing) -> dict[str, Any]:
    return {
        "match": match_id(tournament, pairing.block, pairing.seating),
        "game": None,
        "block": pairing.block,
        "seating": pairing.seating,
        "seats": list(pairing.seats),
        "status": "scheduled",
        "points": None,
        "places": None,
    }


def _result(tournament: str, pairing: Pairing, result: MatchResult) -> dict[str, Any]:
    return {
        **_scheduled(tournament, pairing),
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
        "match": match_id(tournament, pairing.block, pairing.seating),
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
