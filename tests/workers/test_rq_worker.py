"""The processes that serve RQ's queues."""

from __future__ import annotations

import os
import pkgutil
import signal
from pathlib import Path

import pytest
import redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from service.operations.context import Context
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from service.store.queues import CHECK_BOT, PLAY_BLOCK, PLAY_TURN, PROBE_ENTRANTS, SEND_CALLBACKS, Processes
from tests.operations.game_setup import begin, register
from tests.workers.processes import Workers, kill
from tests.workers.tournament_setup import Scripted, served
from workers.__main__ import main
from workers.rq_worker import HEARTBEAT_TTL_S, JOBS
from workers.worker_processes import ROLES


def test_each_job_that_is_queued_may_be_run_and_is_there() -> None:
    assert {PLAY_BLOCK, PLAY_TURN, CHECK_BOT, PROBE_ENTRANTS, SEND_CALLBACKS} == JOBS
    for name in JOBS:
        assert name.startswith("workers.jobs.")
        assert callable(pkgutil.resolve_name(name))


def test_whoever_can_write_to_redis_can_still_run_nothing_but_our_jobs(
    ctx: Context, redis_url: str, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    with redis.Redis.from_url(redis_url) as client, served(ctx, {"ann": (bot := Scripted())}):
        queue = Queue("turns", connection=client, serializer=JSONSerializer)
        foreign = queue.enqueue("os.mkdir", str(made), job_id="foreign")
        register(ctx, "polly")
        with Workers(redis_url, 1):
            begin(ctx, 2, seats=["creator", {"bot": "ann"}])
            assert wait_until(lambda: len(bot.asks) > 0, 30), "the worker goes on with the next job"
        assert not made.exists()
        status = Job.fetch(foreign.id, connection=client, serializer=JSONSerializer).get_status()
        assert str(status).endswith(("FAILED", "failed"))


def test_a_setting_that_cannot_be_used_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MONTEGO_BOT_NETWORKS", "everywhere")
    assert main(["--role=turns"]) == 2
    assert "MONTEGO_BOT_NETWORKS" in capsys.readouterr().err


@pytest.mark.parametrize("role", ["turns", "matches"])
def test_a_redis_that_is_not_there_is_one_line_and_no_traceback(
    role: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_URL", f"redis://:secret@127.0.0.1:{free_port()}/0")
    assert main([f"--role={role}"]) == 1
    said = [record.getMessage() for record in caplog.records if record.name == "montego.worker"]
    assert len(said) == 1
    assert said[0].startswith("Redis does not answer: ")
    assert "secret" not in said[0]
    assert "Traceback" not in capsys.readouterr().err


def test_what_dies_is_started_again(ctx: Context, redis_url: str) -> None:
    with Workers(redis_url, 2) as workers:
        assert wait_until(lambda: ctx.queue.processes() == Processes(2, 1) and ctx.clock.now_ms() > 0, 30)
        before = [pid for role in ROLES for pid in workers.serving(role)]
        assert len(before) == 5
        kill(before)

        def is_back() -> bool:
            now = [pid for role in ROLES for pid in workers.serving(role)]
            return len(now) == 5 and not set(now) & set(before)

        assert wait_until(is_back, 20)
        stood = ctx.clock.now_ms()
        assert wait_until(lambda: ctx.clock.now_ms() > stood, 20), "the steward's lease ran out, and time goes on"
        assert workers.end(8) == 0
        assert workers.survivors() == []


def test_a_process_that_is_gone_counts_no_longer_than_its_sign_of_life_and_one_that_lives_is_listed_again(
    ctx: Context, redis_url: str
) -> None:
    with redis.Redis.from_url(redis_url) as client, Workers(redis_url, 2) as workers:
        assert wait_until(lambda: ctx.queue.processes() == Processes(2, 1), 20)

        def lives() -> list[int]:
            return [int(client.ttl(key)) for key in client.smembers("rq:workers:matches")]

        assert wait_until(lambda: 0 < max(lives()) <= HEARTBEAT_TTL_S, 20)
        # Stopped, so that none renews its heartbeat while we look.
        frozen = workers.serving("matches") + workers.serving("spare")
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        try:
            for key in client.smembers("rq:workers:matches"):
                client.delete(key)
                client.srem("rq:workers:matches", key)
            assert ctx.queue.processes() == Processes(0, 0)
        finally:
            for pid in frozen:
                os.kill(pid, signal.SIGCONT)
        assert wait_until(lambda: ctx.queue.processes() == Processes(2, 1), HEARTBEAT_TTL_S)
