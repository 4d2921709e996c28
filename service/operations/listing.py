"""The list of public games."""

from __future__ import annotations

from typing import Any

from service.operations.context import Context
from service.operations.errors import NotFound
from service.operations.settling import load
from service.operations.tables import Table, timestamp


def public_games(ctx: Context, status: str | None, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of public games, newest first. Raises InvalidRequest for a cursor that is none, Unavailable."""
    page = ctx.games.public(status, limit, cursor)
    return {"items": [_summary(table) for table in _tables(ctx, page.ids)], "next": page.next}


def _tables(ctx: Context, games: tuple[str, ...]) -> list[Table]:
    found = []
    for game in games:
        try:
            found.append(load(ctx, game))
        except NotFound:
            # Removed since the page was read.
            continue
    return found


def _summary(table: Table) -> dict[str, Any]:
    return {
        "game": table.id,
        "name": table.meta.name,
        "status": table.status,
        "players": table.meta.players,
        "seats": list(table.names),
        "open_seats": [seat for seat, name in enumerate(table.names) if name is None],
        "round": table.game.round,
        "turn_seconds": table.meta.turn_seconds,
        "created": timestamp(table.meta.created_ms),
    }
