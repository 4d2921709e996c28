"""Leases: kept as long as their holder lives, noticed when lost."""

from __future__ import annotations

from service.operations.context import Context
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from tests.outage import Outage
from workers.leases import LeaseKeeper, block_lease

NAME = block_lease("t", 0)


def test_a_lease_is_kept_beyond_its_time_and_ends_after_its_keeper(ctx: Context, other: Context) -> None:
    # Longer than the machine of the tests may stall: a lease that runs out meanwhile is lost, and rightly so.
    lease = ctx.leases.acquire(NAME, 1500)
    assert lease is not None
    with LeaseKeeper(ctx, lease, ttl_ms=1500, every_s=0.04) as keeper:
        for _ in range(50):
            assert not wait_until(lambda: other.leases.acquire(NAME, 1500) is not None, 0.04)
        assert not keeper.lost
    assert wait_until(lambda: other.leases.live([NAME]) == set(), 5)


def test_a_keeper_notices_that_the_lease_is_anothers(ctx: Context, other: Context) -> None:
    lease = ctx.leases.acquire(NAME, 60_000)
    assert lease is not None
    with LeaseKeeper(ctx, lease, ttl_ms=60_000, every_s=0.02) as keeper:
        ctx.leases.release(lease)
        taken = other.leases.acquire(NAME, 60_000)
        assert taken is not None
        assert wait_until(lambda: keeper.lost, 5)
    assert other.leases.live([NAME]) == {NAME}, "the new holder's stands"
    assert taken.epoch > lease.epoch


def test_a_short_outage_of_redis_costs_no_lease_and_a_long_one_does(
    ctx: Context, redis_url: str, redis_server: RedisServer
) -> None:
    outage = Outage(redis_server, redis_url)
    lease = ctx.leases.acquire(NAME, 60_000)
    short = ctx.leases.acquire("short", 400)
    assert lease is not None and short is not None
    try:
        with (
            LeaseKeeper(ctx, lease, ttl_ms=60_000, every_s=0.02) as keeper,
            LeaseKeeper(ctx, short, ttl_ms=400, every_s=0.02) as brief,
        ):
            outage.kill()
            assert wait_until(lambda: brief.lost, 10), "by its own clock, since nobody can tell"
            assert not keeper.lost
            redis_server.restart()
            assert wait_until(lambda: ctx.leases.live([NAME]) == {NAME}, 10)
            assert not keeper.lost
    finally:
        outage.end()
