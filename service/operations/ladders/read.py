"""What anybody can read of a ladder at any time: its state, table and blocks."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from service.errors import InvalidRequest
from service.ids import match_id
from service.operations.context import Context
from service.operations.ladders.document import LadderDoc, RunningSeason, load_ladder, load_season, season_of
from service.operations.tournaments.matches import results
from service.store.ladders import LadderRow
from service.timestamps import timestamp
from service.tournament.ladder import Season
from service.tournament.results import MatchResult

if TYPE_CHECKING:
    from service.tournament.confidence_sequence import Interval


def summary(ladder: str, row: LadderRow, doc: LadderDoc) -> dict[str, Any]:
    """What a list shows of a ladder."""
    return {
        "ladder": ladder,
        "name": doc.name,
        "status": row.status,
        "players": doc.players,
        "entry": doc.entry,
        "created": timestamp(doc.created_ms),
        "seasons": list(row.seasons),
    }


def listing(ctx: Context, limit: int, cursor: str | None) -> dict[str, Any]:
    """All ladders, newest first. Raises InvalidRequest for an invalid cursor."""
    page = ctx.ladders.page(limit, cursor)
    rows = [(ladder, ctx.ladders.read(ladder)) for ladder in page.ids]
    items = [summary(ladder, row, LadderDoc.load(row.doc)) for ladder, row in rows if row is not None]
    return {"items": items, "next": page.next}


def show(ctx: Context, ladder: str) -> dict[str, Any]:
    """One ladder, with its settings and the season that runs. Raises NotFound, WrongState, Unavailable."""
    row, doc = load_ladder(ctx, ladder)
    season = season_of(ctx, ladder, row)
    settings = season.doc.settings()
    kept = ("variants", "components", "move_ms", "bank_ms", "warmup_ms", "max_faults", "policy", "attempts")
    return {
        **summary(ladder, row, doc),
        "settings": {name: settings[name] for name in kept},
        "season": season_summary(season),
    }


def season_summary(season: RunningSeason) -> dict[str, Any]:
    """What is shown of a season beside its table."""
    return {
        "season": season.number,
        "tournament": season.tournament,
        "status": season.row.status,
        "commitment": season.doc.commitment,
        "began": timestamp(season.doc.created_ms),
        "ends": None if season.doc.ends_ms is None else timestamp(season.doc.ends_ms),
        "entrants": len(season.season.entrants),
        "blocks": len(season.season.finished),
    }


def table(ctx: Context, ladder: str, number: int | None = None) -> dict[str, Any]:
    """The table of a season, the newest without a number, strongest first. Raises NotFound, WrongState, Unavailable."""
    season = load_season(ctx, ladder, number)
    rows = ctx.offload(lambda: table_rows(season.season))
    return {"ladder": ladder, **season_summary(season), "table": rows}


def table_rows(season: Season) -> list[dict[str, Any]]:
    """A row for each entrant, with what the games say of its place.

    `places`: the first and the last place that its interval allows among those who are not provisional; null for those
    who are.
    """
    ratings = season.ratings().ratings(fresh=True)
    settled = {name: _ends(row.interval) for name, row in ratings.items() if not row.provisional}
    rows: list[dict[str, Any]] = []
    for name, rated in ratings.items():
        entrant, places = season.entrants[name], None
        if name in settled:
            low, high = settled[name]
            above = sum(one[0] > high for one in settled.values())
            below = sum(one[1] < low for one in settled.values())
            places = [1 + above, len(settled) - below]
        rows.append(
            {
                **rated.to_json(),
                "bot": entrant.bot,
                "version": entrant.version,
                "reference": entrant.reference,
                "away": entrant.away,
                "playing": season.state.entrants[name].playing,
                "places": places,
            }
        )
    return rows


def _ends(interval: Interval | None) -> tuple[float, float]:
    """The ends of an interval; those that are open, and both where there is none, are infinite."""
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return -inf if low is None else low, inf if high is None else high


def blocks(ctx: Context, ladder: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of the blocks of the season that runs, newest first. Raises NotFound, WrongState, InvalidRequest for an
    invalid cursor, Unavailable."""
    season = load_season(ctx, ladder)
    first = season.season.blocks - 1
    if cursor is not None:
        if not cursor.isascii() or not cursor.isdigit() or int(cursor[:12]) >= season.season.blocks:
            raise InvalidRequest(("cursor",), "This is not a cursor of this list.")
        first = int(cursor)
    numbers = list(range(first, max(-1, first - limit), -1))
    matches = [pairing.match for number in numbers for pairing in season.season.block(number).pairings]
    known = results(ctx, season.tournament, matches) if matches else {}
    items = [_block(season, number, known) for number in numbers]
    left = first - len(numbers)
    return {"items": items, "next": str(left) if numbers and left >= 0 else None}


def _block(season: RunningSeason, number: int, known: dict[int, MatchResult]) -> dict[str, Any]:
    block = season.season.block(number)
    finished = number in season.season.finished
    won = season.season.finished.get(number)
    return {
        "block": number,
        "entrants": list(block.entrants),
        "status": "finished" if finished else "running",
        "counts": None if not finished else won is not None,
        "shares": None if won is None else _shares(won),
        "matches": [
            {
                "match": match_id(season.tournament, number, pairing.seating),
                "seats": list(pairing.seats),
                "game": known[pairing.match].game or None if pairing.match in known else None,
                "places": _places(known.get(pairing.match)),
            }
            for pairing in block.pairings
        ],
    }


def _shares(won: list[list[int]]) -> list[float]:
    """Of each entrant, the share of its pairs that it won."""
    players = len(won)
    return [round(sum(row) / (2 * players * (players - 1)), 4) for row in won]


def _places(result: MatchResult | None) -> list[int] | None:
    return None if result is None or result.places is None else list(result.places)
