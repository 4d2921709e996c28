"""Stores over the Redis that the tests of this process share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from service.local.redis_server import RedisServer
from service.store import clients
from service.store.bots import RedisBotStore
from service.store.clients import Client
from service.store.clock import RedisServiceClock
from service.store.games import RedisGameStore
from service.store.hub import RedisHub
from service.store.leases import RedisLeases
from service.store.tournaments import RedisTournamentStore
from tests.store.outage import Outage


@pytest.fixture
def client(redis_url: str) -> Iterator[Client]:
    client = clients.commands(redis_url)
    with contextlib.closing(client):
        yield client


@pytest.fixture
def games(client: Client) -> RedisGameStore:
    return RedisGameStore(client)


@pytest.fixture
def bots(client: Client) -> RedisBotStore:
    return RedisBotStore(client)


@pytest.fixture
def tournaments(client: Client) -> RedisTournamentStore:
    return RedisTournamentStore(client)


@pytest.fixture
def leases(client: Client) -> RedisLeases:
    return RedisLeases(client)


@pytest.fixture
def clock(client: Client) -> RedisServiceClock:
    return RedisServiceClock(client)


@pytest.fixture
def hub(client: Client, redis_url: str) -> Iterator[RedisHub]:
    hub = RedisHub(client, lambda: clients.reader(redis_url))
    with contextlib.closing(hub):
        yield hub


@pytest.fixture
def outage(redis_url: str, redis_server: RedisServer) -> Iterator[Outage]:
    """Ways in which Redis fails. Afterwards it is well again."""
    outage = Outage(redis_server, redis_url)
    yield outage
    outage.end()
