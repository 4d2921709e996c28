"""A real Redis for the tests. Each process of pytest-xdist has one of its own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from service.processes import redis_server as local_redis
from service.processes.redis_server import RedisServer
from tests.outage import Outage

IN_MEMORY = Path("/dev/shm")
NEEDED_BYTES = 2 << 30


def quick_folder() -> Path | None:
    """Where to put Redis' files: in memory if there is room, else where temporary files go (None).

    Our Redis syncs each answer to its file. In memory that takes no time, and no test waits for a busy disk.
    """
    if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free >= NEEDED_BYTES:
        return IN_MEMORY
    return None


@contextmanager
def started_redis() -> Iterator[RedisServer]:
    """A Redis as `montego up` starts it. Tests may kill and restart it."""
    with (
        tempfile.TemporaryDirectory(prefix="montego-test-redis-", dir=quick_folder()) as folder,
        local_redis.start(Path(folder)) as server,
    ):
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """The server that all tests of this process share. Tests may kill and restart it."""
    with started_redis() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """The URL of an empty database."""
    if not redis_server.running:
        redis_server.restart()
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    return redis_server.url


@pytest.fixture
def outage(redis_url: str, redis_server: RedisServer) -> Iterator[Outage]:
    """Ways in which Redis fails. Afterwards it is well again."""
    outage = Outage(redis_server, redis_url)
    yield outage
    outage.end()
