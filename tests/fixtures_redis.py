"""A real Redis for the tests. Each process of pytest-xdist has one of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from service.processes import redis_server as local_redis
from service.processes.redis_server import RedisServer


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """The server that all tests of this process share. Tests may kill and restart it."""
    with local_redis.start() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """The URL of an empty database."""
    if not redis_server.running:
        redis_server.restart()
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    return redis_server.url
