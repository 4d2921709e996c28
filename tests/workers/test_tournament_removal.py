"""What is left of a removed tournament is taken away, and nothing of any other."""

from __future__ import annotations

import pytest
import redis

from service.errors import NotFound, WrongState
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.tournaments import lifecycle, read
from service.operations.tournaments.matches import store_void, void_of
from service.operations.tournaments.read import standings
from tests.operations.game_setup import organiser
from tests.operations.tournament_setup import begin_match, begin_tournament, game_of, play_number
from workers.dispatcher import Dispatcher
from workers.leases import block_lease
from workers.steward import MATCHES_PER_TICK, TournamentCleanup


def everything(redis_url: str) -> set[bytes]:
    """Every key but counters, what expires by itself, and jobs: a job that finds no tournament does nothing."""
    with redis.Redis.from_url(redis_url) as client:
        listed = [key for key in client.scan_iter("*") if not key.startswith(b"rq:")]
        return {key for key in listed if client.ttl(key) < 0 and client.type(key) != b"string"}


def test_of_a_removed_tournament_no_key_is_left_and_of_others_all(ctx: Context, redis_url: str) -> None:
    other = begin_tournament(ctx, 3)
    kept = play_number(ctx, other, 0)
    before = everything(redis_url)
    tournament = begin_tournament(ctx, 3, deals=-(-MATCHES_PER_TICK // 6) + 1)
    for number in (0, 1, MATCHES_PER_TICK + 1):
        play_number(ctx, tournament, number)
    pairing, view = begin_match(ctx, tournament, 2)
    store_void(ctx, tournament, void_of(view, pairing))
    first, last = (game_of(ctx, tournament, number) for number in (0, MATCHES_PER_TICK + 1))
    lifecycle.cancel(ctx, organiser(ctx), tournament)
    lifecycle.remove(ctx, organiser(ctx), tournament)
    with pytest.raises(NotFound):
        standings(ctx, tournament)
    clearing = TournamentCleanup(ctx)
    clearing.run()
    with pytest.raises(NotFound):
        load(ctx, first)
    assert load(ctx, last).over, "a pass takes only some"
    TournamentCleanup(ctx).run()
    clearing.run()
    assert everything(redis_url) == before
    assert load(ctx, kept.game).over
    clearing.run()


def test_while_a_block_is_still_played_nothing_is_taken_away(ctx: Context, redis_url: str) -> None:
    tournament = begin_tournament(ctx, 2)
    ctx.blocks.activate(tournament, 0)
    lease = ctx.leases.acquire(block_lease(tournament, 0), 60_000)
    assert lease is not None
    lifecycle.cancel(ctx, organiser(ctx), tournament)
    begin_match(ctx, tournament, 0)  # whoever has the lease had read before that the tournament runs
    lifecycle.remove(ctx, organiser(ctx), tournament)
    handing, clearing = Dispatcher(ctx), TournamentCleanup(ctx)
    handing.run()
    clearing.run()
    assert [removed for removed, *_ in ctx.tournaments.removed()] == [tournament]
    ctx.leases.release(lease)
    handing.run()
    clearing.run()
    assert ctx.tournaments.removed() == []
    assert not any(tournament.encode() in key for key in everything(redis_url))


def test_one_that_is_not_over_is_not_removed(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 2)
    for step in (lifecycle.pause, lifecycle.resume):
        with pytest.raises(WrongState, match="cancel it first"):
            lifecycle.remove(ctx, organiser(ctx), tournament)
        step(ctx, organiser(ctx), tournament)
    assert read.show(ctx, tournament)["status"] == "running"
