"""What a process remembers of a game never outlives the game."""

from __future__ import annotations

from typing import Any

from service.engine.record import digest
from service.operations.context import Context
from service.operations.games.change import abort
from service.operations.games.records import import_record, record
from tests.operations.game_setup import begin, organiser


def ended_record(ctx: Context, seed: str, game: str | None = None) -> dict[str, Any]:
    """The record of an aborted game of this seed, as if it had had the id `game`; the game itself is removed."""
    seated = begin(ctx, 2, seed=seed)
    abort(ctx, seated.game)
    kept = record(ctx, seated.game)
    ctx.games.remove(seated.game)
    kept = {**kept, "game": game or seated.game}
    return {**kept, "digest": digest(kept)}


def test_a_game_imported_under_the_id_of_a_removed_one_is_what_everybody_sees(ctx: Context, other: Context) -> None:
    first = ended_record(ctx, "the first")
    second = ended_record(ctx, "the second", first["game"])
    import_record(ctx, organiser(ctx), first)
    assert record(other, first["game"]) == first
    ctx.games.remove(first["game"])
    import_record(ctx, organiser(ctx), second)
    assert record(other, first["game"]) == second
