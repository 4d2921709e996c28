"""What anybody can read of a tournament at any time: its state, tables, matches and schedule."""

from __future__ import annotations

from typing import Any

from service.errors import InvalidRequest
from service.ids import game_id, match_id
from service.operations.access.tokens import NO_ENTRIES
from service.operations.bots.registry import last_seen, status_of
from service.operations.context import Context
from service.operations.tournaments.document import TournamentDoc, document_of, load_tournament
from service.operations.tournaments.events import began_and_ended
from service.operations.tournaments.matches import results, voids
from service.operations.tournaments.tables_cache import Known
from service.store.tournaments import TournamentRow
from service.timestamps import timestamp
from service.tournament.results import MatchResult
from service.tournament.schedule import Pairing
from service.tournament.tables import Tables


def summary(tournament: str, row: TournamentRow, doc: TournamentDoc) -> dict[str, Any]:
    """What a list shows of a tournament: nothing that grows with it."""
    return {
        "tournament": tournament,
        "name": doc.name,
        "status": row.status,
        "reason": row.reason,
        "commitment": doc.commitment,
        "created": timestamp(doc.created_ms),
        "matches": match_counts(row, doc),
    }


def details(
    tournament: str, row: TournamentRow, doc: TournamentDoc, started: str | None, ended: str | None
) -> dict[str, Any]:
    """The summary, with times, settings, entrants and who withdrew; seed and nonce once it is over."""
    names = [doc.name_of(bot) for bot in row.withdrawn]
    shown: dict[str, Any] = {
        **summary(tournament, row, doc),
        "started": started,
        "ended": ended,
        "settings": doc.settings(),
        "entrants": [{"bot": entrant.bot, "name": entrant.name} for entrant in doc.entrants],
        "withdrawn": [name for name in names if name is not None],
    }
    if row.is_over:
        shown |= {"seed": doc.seed, "nonce": doc.nonce}
    return shown


def match_counts(row: TournamentRow, doc: TournamentDoc) -> dict[str, int]:
    """How many matches there are, of how many it is known who meets whom, how many were played to their end, and how
    many will not be. While not all of them are drawn, `total` is an expectation."""
    drawn, finished = doc.schedule().matches, row.results - row.cancelled
    total = drawn if row.is_over else doc.expected_matches()
    return {
        "total": total,
        "drawn": drawn,
        "finished": finished,
        "cancelled": total - finished if row.is_over else row.cancelled,
    }


def show(ctx: Context, tournament: str) -> dict[str, Any]:
    """One tournament: until it is over with the status of each entrant, then with seed and nonce.

    Raises NotFound, Unavailable.
    """
    row, doc = load_tournament(ctx, tournament)
    shown = details(tournament, row, doc, *began_and_ended(ctx, tournament, row))
    if not row.is_over:
        bots = ctx.bots.many([entrant.bot for entrant in doc.entrants])
        shown["entrants"] = [
            entrant if bot is None else {**entrant, "status": status_of(bot), "last_seen": last_seen(bot)}
            for entrant, bot in zip(shown["entrants"], bots, strict=True)
        ]
    return shown


Found = tuple[TournamentRow, TournamentDoc]
"""A tournament as it stands."""


def wait_for_change(ctx: Context, tournament: str, version: int, timeout_s: float) -> Found:
    """The tournament as soon as it has another number of events than this, or when the time is up. Raises NotFound,
    Unavailable."""
    ctx.hub.wait(f"tournament:{tournament}", version, timeout_s)
    return load_tournament(ctx, tournament)


def listing(ctx: Context, limit: int, cursor: str | None) -> dict[str, Any]:
    """All tournaments, newest first. Raises InvalidRequest for an invalid cursor."""
    page = ctx.tournaments.page(limit, cursor)
    rows = [(tournament, ctx.tournaments.read(tournament)) for tournament in page.ids]
    found = [(tournament, row, document_of(ctx, tournament, row)) for tournament, row in rows if row is not None]
    items = ctx.offload(lambda: [summary(*one) for one in found])
    return {"items": items, "next": page.next}


def standings(ctx: Context, tournament: str) -> dict[str, Any]:
    """The standings as they are now, with ratings. Raises NotFound, Unavailable."""
    row, doc = load_tournament(ctx, tournament)
    return {
        "tournament": tournament,
        "status": row.status,
        "matches": match_counts(row, doc),
        "standings": with_bots(doc, tables_of(ctx, tournament, row, doc)),
    }


def with_bots(doc: TournamentDoc, found: Tables) -> list[dict[str, Any]]:
    """The rows of the standings, with the ids of the bots."""
    bots = {entrant.name: entrant.bot for entrant in doc.entrants}
    return [{"rank": row["rank"], "bot": bots[row["name"]], **row} for row in found.standings]


def tables_of(ctx: Context, tournament: str, row: TournamentRow, doc: TournamentDoc) -> Tables:
    """All tables as they are now. Raises Unavailable.

    Intervals are drawn from the tournament's seed once that is published, and before from its commitment: a seed could
    be guessed from intervals that depend on it.
    """
    if doc.season is not None:
        season = doc.season
        return ctx.seasons.tables(tournament, season, row.results, lambda: results(ctx, tournament), ctx.offload)
    seed = doc.seed if row.is_over else doc.commitment
    known = Known(row.results, seed, doc.stages)
    return ctx.tables.get(tournament, known, doc.plan(), lambda: ctx.tournaments.results(tournament), ctx.offload)


def crosstable(ctx: Context, tournament: str) -> dict[str, Any]:
    """How often every two entrants met, and their scores. Raises NotFound, Unavailable."""
    row, doc = load_tournament(ctx, tournament)
    return {"tournament": tournament, "status": row.status, **tables_of(ctx, tournament, row, doc).crosstable}


def matches(
    ctx: Context, tournament: str, limit: int, cursor: str | None, entrant: str | None = None
) -> dict[str, Any]:
    """A page of matches in the order of the schedule, with their results: all, or those of the entrant of this name.
    The void attempt of a match that is played again stands before it.

    Raises NotFound, InvalidRequest for an invalid cursor, Unavailable.
    """
    row, doc = load_tournament(ctx, tournament)
    pairings, following = ctx.offload(lambda: _paged(doc, limit, cursor, entrant))
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
    _, doc = load_tournament(ctx, tournament)
    pairings, following = ctx.offload(lambda: _paged(doc, limit, cursor))
    return {"items": [scheduled(tournament, pairing) for pairing in pairings], "next": following}


def scheduled(tournament: str, pairing: Pairing) -> dict[str, Any]:
    """A match as the schedule lists it."""
    return {
        "match": match_id(tournament, pairing.block, pairing.seating),
        "block": pairing.block,
        "seating": pairing.seating,
        "seats": list(pairing.seats),
    }


def _paged(
    doc: TournamentDoc, limit: int, cursor: str | None, entrant: str | None = None
) -> tuple[list[Pairing], str | None]:
    """Matches from the one that the cursor names: all, or those of an entrant."""
    plan = doc.schedule()
    first = 0
    if cursor is not None:
        if not cursor.isascii() or not cursor.isdigit() or not 0 <= int(cursor[:12]) < plan.matches:
            raise InvalidRequest(("cursor",), "This is not a cursor of this list.")
        first = int(cursor)
    page: list[Pairing] = []
    for number in range(first // plan.seatings_per_block, plan.blocks):
        for pairing in plan.block(number).pairings:
            if pairing.match < first or entrant not in (None, *pairing.seats):
                continue
            if len(page) == limit:
                return page, str(pairing.match)
            page.append(pairing)
    return page, None
