"""The composition root."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from service.config import ConfigError, Settings
from service.errors import Unavailable
from service.processes.ports import LOOPBACK, free_port
from service.processes.redis_server import find_binary
from service.processes.supervisor import wait_until
from service.store import keys
from service.wiring import build, rq_connection
from tests.outage import Outage
from tests.store.samples import RUNNING


def test_a_context_works_on_the_redis_of_the_settings(redis_url: str) -> None:
    ctx = build(Settings(redis_url=redis_url))
    ctx.ping()
    assert ctx.games.create("g", meta="{}", tokens={}, entries=["1"], effects=RUNNING, kind="private")
    assert ctx.hub.wait("game:g", 0, 10) == 1
    assert abs(ctx.wall_ms() - time.time() * 1000) < 10_000
    assert len({ctx.random_bytes(16) for _ in range(100)}) == 100


def test_a_redis_that_is_down_at_the_start_is_waited_for(redis_url: str, outage: Outage) -> None:
    outage.kill()
    ctx = build(Settings(redis_url=redis_url))
    with pytest.raises(Unavailable):
        ctx.ping()
    outage.end()
    ctx.ping()
    assert ctx.clock.now_ms() == 0


def test_a_ping_notices_that_redis_has_gone(redis_url: str, outage: Outage) -> None:
    ctx = build(Settings(redis_url=redis_url))
    ctx.ping()
    outage.kill()
    with pytest.raises(Unavailable):
        ctx.ping()


def test_a_database_of_another_layout_is_refused_at_the_start(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as plain:
        plain.set(keys.LAYOUT, "7")
    with pytest.raises(ConfigError, match="layout 7"):
        build(Settings(redis_url=redis_url))


@contextmanager
def redis_of_mode(mode: str, directory: Path) -> Iterator[str]:
    """A node of a cluster, or a Sentinel. Its URL."""
    # A node talks to others on the port that is higher by 10,000.
    port = next(port for port in iter(free_port, None) if port <= 55_535)
    config = directory / "redis.conf"
    lines = {"cluster": ["cluster-enabled yes"], "sentinel": []}
    config.write_text("\n".join([f"bind {LOOPBACK}", f"port {port}", f"dir {directory}", *lines[mode]]) + "\n")
    options = ["--sentinel"] if mode == "sentinel" else []
    with subprocess.Popen([str(find_binary()), str(config), *options], stdout=subprocess.DEVNULL) as server:
        try:
            with redis.Redis(LOOPBACK, port) as admin:
                wait_until(lambda: answers(admin), 30)
            yield f"redis://{LOOPBACK}:{port}/0"
        finally:
            server.kill()


def answers(admin: redis.Redis) -> bool:
    try:
        return bool(admin.ping())
    except redis.ConnectionError:
        return False


@pytest.mark.parametrize("mode", ["cluster", "sentinel"])
def test_a_cluster_and_a_sentinel_are_refused_at_the_start(mode: str, tmp_path: Path) -> None:
    with redis_of_mode(mode, tmp_path) as url, pytest.raises(ConfigError, match=f"runs as {mode}, which is not"):
        build(Settings(redis_url=url))


@pytest.mark.parametrize("url", ["127.0.0.1:6379", "http://:secret@127.0.0.1/", "redis://:secret@127.0.0.1:x/0"])
def test_a_url_that_is_none_is_refused_by_name_and_without_its_password(url: str) -> None:
    with pytest.raises(ConfigError, match="REDIS_URL") as caught:
        build(Settings(redis_url=url))
    assert "secret" not in str(caught.value)


def test_the_connection_of_a_worker_answers_in_bytes(redis_url: str) -> None:
    with rq_connection(Settings(redis_url=redis_url)) as connection:
        connection.set("a", "b")
        assert connection.get("a") == b"b"


def test_importing_it_connects_to_nothing() -> None:
    program = "import socket, sys; socket.socket.connect = None; import service.wiring; print(len(sys.argv))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr
