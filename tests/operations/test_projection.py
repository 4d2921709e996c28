"""What a process remembers of a game never outlives the game."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from service.engine.record import digest
from service.errors import Unreadable
from service.operations.access.tokens import identify
from service.operations.bots.poll import poll
from service.operations.context import Context
from service.operations.games.change import abort, load
from service.operations.games.read import public_games
from service.operations.games.records import import_record, record
from service.store import keys
from tests.operations.game_setup import begin, organiser, register


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


def test_a_game_that_cannot_be_read_stops_no_list_and_no_poll(ctx: Context, other: Context, redis_url: str) -> None:
    polly = register(ctx, "polly")
    bad, good = [begin(ctx, 2, public=True, seats=["creator", {"bot": "polly"}]).game for _ in range(2)]
    with redis.Redis.from_url(redis_url) as client:
        client.set(keys.game_meta(bad), "{}")
    with pytest.raises(Unreadable, match=bad):
        load(other, bad)
    assert [item["game"] for item in public_games(other, None, 10, None)["items"]] == [good]
    waiting = poll(other, identify(other, polly.token), after=None, wait_s=0, version=None)
    assert [ask["game"] for ask in waiting.decisions] == [good]
    assert other.unreadable.counts() == {"game": 1}
