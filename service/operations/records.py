"""Records: what is kept of a game that is over."""

from __future__ import annotations

from typing import Any

from service.engine.record import build_record
from service.operations.context import Context
from service.operations.errors import GameNotOver, NotFound
from service.operations.ports import GameRow
from service.operations.settling import load
from service.operations.tables import Table, folded


def record(ctx: Context, game: str) -> dict[str, Any]:
    """The record of a game that is over (PROTOCOL "Game record"). Raises NotFound, GameNotOver, Unavailable."""
    table = load(ctx, game)
    if not table.over:
        raise GameNotOver("A game has a record once it is over.")
    row = ctx.games.read(game, 0)
    if row is None:
        raise NotFound("There is no game of this id.")
    return record_of(game, row, opened=_opened(ctx, table))


def _opened(ctx: Context, table: Table) -> bool:
    """Whether the seed may be told: a match's only when its tournament is over."""
    if table.meta.match is None:
        return True
    tournament = ctx.tournaments.read(table.meta.match.tournament)
    return tournament is None or tournament.status in ("finished", "cancelled", "failed")


def record_of(game: str, row: GameRow, *, opened: bool) -> dict[str, Any]:
    """The record of a game from its whole log; without seed and nonce while they may not be told."""
    live = folded(game, row)
    table, meta = live.table(row), live.meta
    return build_record(
        live.play,
        game=game,
        deal=meta.deal,
        commitment=meta.commitment,
        # An imported record may have none.
        seed=(meta.seed or None) if opened else None,
        nonce=meta.nonce if opened else None,
        block_seed=meta.block_seed if opened else None,
        seats=[
            {"name": name or "", "version": version} for name, version in zip(table.names, table.versions, strict=True)
        ],
    )
