"""The composition root: clients, stores and what use cases are handed are put together here and nowhere else."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable

import redis

from service.config import ConfigError, Settings
from service.errors import Unavailable
from service.operations.context import Context
from service.store import clients
from service.store.api_keys import KeyStore
from service.store.api_processes import ApiProcesses
from service.store.blocks import BlockStore
from service.store.bots import BotStore
from service.store.callbacks import CallbackStore
from service.store.checks import CheckStore
from service.store.clients import RedisClient
from service.store.clock import ServiceClock
from service.store.game_lists import GameLists
from service.store.games import GameStore
from service.store.hidden_texts import HiddenTextStore
from service.store.hub import Hub
from service.store.idempotency import IdempotencyStore
from service.store.ladders import LadderStore
from service.store.leases import Leases
from service.store.queues import JobQueue
from service.store.tournaments import TournamentStore
from service.store.unreadable import UnreadableStore
from service.timestamps import wall_ms


def build(settings: Settings) -> Context:
    """Everything that use cases need, over the Redis that the settings name: one for the state and one for the queues,
    or one for both. Connects when it is first used.

    A Redis that does not answer yet is no error: calls raise Unavailable until it does. Raises ConfigError for an
    invalid URL of a Redis, and for a database of another version of this program.
    """
    client = _client(
        "REDIS_URL", settings.redis_url, functools.partial(clients.commands, replicas=settings.wait_replicas)
    )
    variable = "MONTEGO_QUEUE_URL" if settings.queue_url else "REDIS_URL"
    queue_client = _client(variable, settings.queue_redis_url, clients.queue_commands)

    def ping() -> None:
        client.check_layout()
        queue_client.check_layout()

    return Context(
        settings=settings,
        games=GameStore(client),
        game_lists=GameLists(client),
        unreadable=UnreadableStore(client),
        bots=BotStore(client),
        checks=CheckStore(client),
        keys=KeyStore(client),
        hidden_texts=HiddenTextStore(client),
        idempotency=IdempotencyStore(client),
        tournaments=TournamentStore(client),
        ladders=LadderStore(client),
        blocks=BlockStore(client),
        callbacks=CallbackStore(client),
        api_processes=ApiProcesses(client, settings.harness_slow_ms),
        leases=Leases(client),
        queue=JobQueue(queue_client),
        clock=ServiceClock(client),
        hub=Hub(client, functools.partial(clients.reader, settings.redis_url)),
        wall_ms=wall_ms,
        random_bytes=secrets.token_bytes,
        ping=ping,
    )


def _client(variable: str, url: str, connect: Callable[[str], RedisClient]) -> RedisClient:
    try:
        client = connect(url)
    except ValueError as error:
        # The URL can hold a password: the message does not repeat it.
        raise ConfigError(f"{variable} cannot be used: {error}") from None
    try:
        client.check_layout()
    except clients.LayoutError as error:
        raise ConfigError(f"{variable}: {error}") from None
    except Unavailable:
        pass
    return client


def counter_connections(settings: Settings) -> redis.ConnectionPool:
    """The connections of the rate limits of the API."""
    return clients.counters(settings.queue_redis_url)


def rq_connection(settings: Settings) -> redis.Redis:
    """A connection for a process that serves RQ's queues; RQ's own waiting reads are as long as it likes."""
    return clients.worker(settings.queue_redis_url)
