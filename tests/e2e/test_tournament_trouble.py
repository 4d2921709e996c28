"""Tournaments that meet with trouble: a frozen worker, a full Redis, workers that end, a second tournament."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from service.errors import Unavailable
from service.operations.context import Context
from service.operations.tournaments.events import wait_for_events
from service.operations.tournaments.matches import results, voids
from service.operations.tournaments.read import standings
from service.processes.supervisor import wait_until
from tests.e2e.random_kills import is_over
from tests.operations.game_setup import service
from tests.workers.processes import Workers
from tests.workers.tournament_setup import Reply, Scripted, cup, faults_of, honest, served

FROZEN_S = 0.8
MOVE_MS = 300


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    with service(redis_url) as ctx:
        yield ctx


def test_a_match_whose_worker_was_frozen_for_a_moment_is_void_and_played_again(ctx: Context, redis_url: str) -> None:
    frozen: list[str] = []

    def act(ask: dict[str, Any]) -> Reply:
        if not frozen and ask["decision"]["id"].startswith("2."):
            frozen.append(ask["game"])
            horses = workers.jobs()
            for horse in horses:
                os.kill(horse, signal.SIGSTOP)
            time.sleep(FROZEN_S)
            for horse in horses:
                os.kill(horse, signal.SIGCONT)
        return {"index": 0}

    with (
        Workers(redis_url, 1, MONTEGO_HARNESS_SLOW_MS=str(MOVE_MS)) as workers,
        served(ctx, {"ann": Scripted(act=act), **honest("ben")}),
    ):
        tournament = cup(ctx, "ann", "ben", move_ms=MOVE_MS, bank_ms=20_000, warmup_ms=20_000)
        assert wait_until(lambda: is_over(ctx, tournament), 60, pause=0.1), workers.log()
    void = voids(ctx, tournament)
    assert frozen == [void[0].game]
    assert results(ctx, tournament)[0].attempt == 1
    assert not any(sum(row["faults"].values()) for row in standings(ctx, tournament)["standings"])


def test_a_tournament_goes_on_when_a_full_redis_has_room_again(ctx: Context, redis_url: str) -> None:
    asked = threading.Semaphore(0)

    def act(ask: dict[str, Any]) -> Reply:
        asked.release()
        return {"index": 0}

    bots = {"ann": Scripted(act=act), **honest("ben", "cid")}
    with redis.Redis.from_url(redis_url) as client, Workers(redis_url, 2) as workers, served(ctx, bots):
        tournament = cup(ctx, "ann", "ben", "cid", deals=3, warmup_ms=20_000)
        for _ in range(40):
            assert asked.acquire(timeout=20)
        try:
            client.config_set("maxmemory", 1)
            with pytest.raises(Unavailable):
                cup(ctx, "ann", "ben", "cid")
            before = results(ctx, tournament)
            time.sleep(1.5)
            assert results(ctx, tournament) == before, "nothing can be written"
        finally:
            client.config_set("maxmemory", 0)
        assert wait_until(lambda: is_over(ctx, tournament), 60, pause=0.1), workers.log()
    found = results(ctx, tournament)
    assert found.items() >= before.items()
    assert sorted(found) == list(range(9))
    assert {result.status for result in found.values()} == {"finished"}
    for name in ("ann", "ben", "cid"):
        assert faults_of(ctx, name) == []


def test_two_tournaments_of_the_same_bots_are_played_beside_each_other(ctx: Context, redis_url: str) -> None:
    names = ("ann", "ben", "cid")
    with Workers(redis_url, 3), served(ctx, honest(*names), max_games=2):
        cups = [cup(ctx, *names, deals=2, warmup_ms=20_000) for _ in range(2)]
        for tournament in cups:
            assert wait_until(lambda tournament=tournament: is_over(ctx, tournament), 60, pause=0.1)  # type: ignore[misc]
    for tournament in cups:
        assert [row["matches"] for row in standings(ctx, tournament)["standings"]] == [6] * 3
        assert wait_for_events(ctx, tournament, 0, 0).over


def test_a_worker_that_is_told_to_end_stops_in_mid_match_and_another_goes_on(ctx: Context, redis_url: str) -> None:
    def slowly(ask: dict[str, Any]) -> Reply:
        time.sleep(0.02)
        return {"index": 0}

    thoughtful = Scripted(act=slowly)
    with served(ctx, {"ann": thoughtful, **honest("ben", "cid")}):
        tournament = cup(ctx, "ann", "ben", "cid", deals=2)
        with Workers(redis_url, 2) as first:
            assert wait_until(lambda: len(thoughtful.asks) > 20, 30)
            assert first.end(20) == 0
            assert first.survivors() == []
        asked = len(thoughtful.asks)
        before = results(ctx, tournament)
        assert len(before) < 6
        with Workers(redis_url, 2):
            assert wait_until(lambda: is_over(ctx, tournament), 60, pause=0.1)
        assert len(thoughtful.asks) > asked
    assert results(ctx, tournament).items() >= before.items()
    assert all(result.faults == ({}, {}, {}) for result in results(ctx, tournament).values())
    names = [(ask["game"], ask["decision"]["id"]) for ask in thoughtful.asks]
    assert len(names) - len(set(names)) <= 2, "at most what was being answered was asked again"
