"""The queues on a Redis of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from service.api.app import create_app
from service.api.limits import KEY_PREFIX
from service.operations.context import Context
from service.operations.games.change import load
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from service.store import keys
from tests.e2e.random_kills import is_over
from tests.fixtures_redis import started_redis
from tests.operations.game_setup import Seated, answer, begin, due, service
from tests.workers.processes import Workers
from tests.workers.tournament_setup import Scripted, cup, faults_of, honest, served


@pytest.fixture
def queues() -> Iterator[RedisServer]:
    with started_redis() as server:
        yield server


@pytest.fixture
def ctx(redis_url: str, queues: RedisServer) -> Iterator[Context]:
    with service(redis_url, queue_url=queues.url) as ctx:
        yield ctx


def kinds(url: str) -> set[str]:
    """What the keys of this Redis begin with."""
    with redis.Redis.from_url(url, decode_responses=True) as client:
        found = (key.removeprefix("LIMITS:") for key in client.scan_iter("*"))
        return {":".join(key.replace("/", ":").split(":")[:2]) for key in found}


def play_a_turn(ctx: Context, seated: Seated) -> None:
    """The person at seat 0 acts, and its opponent, a push bot, is waited for."""
    assert wait_until(lambda: load(ctx, seated.game).over or 0 in due(load(ctx, seated.game)), 30)
    if not load(ctx, seated.game).over:
        answer(ctx, seated, 0)


def test_jobs_and_counters_are_in_the_one_and_all_else_in_the_other(
    ctx: Context, redis_url: str, queues: RedisServer
) -> None:
    with served(ctx, {"ann": Scripted(), "ben": Scripted()}):
        game = {"players": 2, "seats": ["creator", {"bot": "ann"}]}
        made = create_app(ctx).test_client().post("/v1/games", json=game)
        assert made.status_code == 201, made.text
        cup(ctx, "ann", "ben")
    of_queues = {"rq:queues", "rq:job", "rq:queue", "mb1:queued", KEY_PREFIX}
    assert kinds(queues.url) == {keys.LAYOUT, *of_queues}
    assert kinds(redis_url).isdisjoint(of_queues)


@pytest.mark.slow
def test_a_tournament_and_a_casual_game_go_on_over_queues_that_were_lost(
    ctx: Context, redis_url: str, queues: RedisServer
) -> None:
    bot = Scripted()
    with (
        served(ctx, {"ann": bot, **honest("ben", "cid")}, casual=True),
        Workers(redis_url, 2, MONTEGO_QUEUE_URL=queues.url) as workers,
    ):
        seated = begin(ctx, 2, seats=["creator", {"bot": "ann"}])
        play_a_turn(ctx, seated)
        tournament = cup(ctx, "ann", "ben", "cid", deals=3, warmup_ms=20_000)
        assert wait_until(lambda: len(bot.asks) > 20, 30), workers.log()
        with redis.Redis.from_url(queues.url) as client:
            client.flushall()
        queues.restart()
        play_a_turn(ctx, seated)
        assert wait_until(lambda: is_over(ctx, tournament), 60, pause=0.1), workers.log()
        while not load(ctx, seated.game).over:
            play_a_turn(ctx, seated)
    for name in ("ann", "ben", "cid"):
        assert faults_of(ctx, name) == []
