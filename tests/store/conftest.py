"""Stores over the Redis that the tests of this process share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from service.store import clients
from service.store.blocks import BlockStore
from service.store.bots import BotStore
from service.store.clients import RedisClient
from service.store.clock import ServiceClock
from service.store.game_lists import GameLists
from service.store.games import GameStore
from service.store.hub import Hub
from service.store.leases import Leases
from service.store.tournaments import TournamentStore


@pytest.fixture
def client(redis_url: str) -> Iterator[RedisClient]:
    client = clients.commands(redis_url)
    with contextlib.closing(client):
        yield client


@pytest.fixture
def games(client: RedisClient) -> GameStore:
    return GameStore(client)


@pytest.fixture
def lists(client: RedisClient) -> GameLists:
    return GameLists(client)


@pytest.fixture
def bots(client: RedisClient) -> BotStore:
    return BotStore(client)


@pytest.fixture
def tournaments(client: RedisClient) -> TournamentStore:
    return TournamentStore(client)


@pytest.fixture
def blocks(client: RedisClient) -> BlockStore:
    return BlockStore(client)


@pytest.fixture
def leases(client: RedisClient) -> Leases:
    return Leases(client)


@pytest.fixture
def clock(client: RedisClient) -> ServiceClock:
    return ServiceClock(client)


@pytest.fixture
def hub(client: RedisClient, redis_url: str) -> Iterator[Hub]:
    hub = Hub(client, lambda: clients.reader(redis_url))
    with contextlib.closing(hub):
        yield hub
