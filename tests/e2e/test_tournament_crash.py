"""Whatever is killed in mid-match: nothing is lost, nothing counts twice, and the results are those of a quiet run."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from service.engine.record import verify
from service.operations.context import Context
from service.operations.games.records import record
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from tests.e2e.random_kills import (
    NAMES,
    WITHIN_S,
    ApiProcess,
    AskTimes,
    RandomKills,
    finished_matches,
    is_over,
    picture,
    seated,
)
from tests.operations.game_setup import service
from tests.operations.tournament_setup import game_of
from tests.workers.tournament_setup import cup

KILLS = 6
SOAK_KILLS = 120


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    with service(redis_url) as ctx:
        yield ctx


@pytest.fixture
def api(redis_server: RedisServer, redis_url: str) -> Iterator[ApiProcess]:
    api = ApiProcess(redis_url)
    yield api
    api.end()


def play(ctx: Context, killer: RandomKills, deals: int, kills: int, seconds: float) -> str:
    """Plays a tournament to its end, with so many kills on the way; its id."""
    tournament = cup(ctx, *NAMES, deals=deals, warmup_ms=20_000)
    killer.run(kills)
    assert not kills or not is_over(ctx, tournament), "all of it happened while matches were played"
    assert wait_until(lambda: is_over(ctx, tournament), seconds, pause=0.1), "it did not end"
    return tournament


def check(ctx: Context, redis_server: RedisServer, api: ApiProcess, seed: str, kills: int, deals: int) -> None:
    asked = AskTimes()
    chance = random.Random(seed)
    killer = RandomKills(asked, redis_server, api, chance)
    try:
        with seated(ctx, asked, api.url):
            quiet = play(ctx, killer, deals, 0, 20 + 10 * deals)
            wild = play(ctx, killer, deals, kills, 60 + 10 * deals)
    except AssertionError:
        print(killer.log())
        raise
    finally:
        killer.end()
    plain, found = picture(ctx, quiet), picture(ctx, wild)
    assert [row["matches"] for row in plain["standings"]] == [3 * deals] * 3
    assert not any(sum(row["faults"].values()) for row in found["standings"]), "a crash of ours is nobody's fault"
    for part in plain:
        assert found[part] == plain[part], part
    told = finished_matches(ctx, wild)
    assert sorted(told) == sorted(set(told)), "no match counted twice"
    assert len(told) == 3 * deals
    for number in range(3 * deals):
        verify(record(ctx, game_of(ctx, wild, number)))
    assert asked.longest_rest(killer.kills) < WITHIN_S


@pytest.mark.slow
def test_after_kills_at_random_moments_a_tournament_ends_as_an_undisturbed_one(
    ctx: Context, redis_server: RedisServer, api: ApiProcess
) -> None:
    check(ctx, redis_server, api, "random moments", KILLS, deals=3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_after_many_kills_a_tournament_ends_as_an_undisturbed_one(
    ctx: Context, redis_server: RedisServer, api: ApiProcess
) -> None:
    seed = str(random.SystemRandom().randrange(10**9))
    print(f"seed {seed}")
    check(ctx, redis_server, api, seed, SOAK_KILLS, deals=3 + SOAK_KILLS // 8)
