"""What every use case is handed: the ports, the settings, time and chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from service.operations.ports import (
    BotStore,
    GameStore,
    Hub,
    IdempotencyStore,
    KeyStore,
    Leases,
    Queue,
    ServiceClock,
    TournamentStore,
)
from service.operations.tables import TableCache


class Policy(Protocol):
    """What an operator decides and use cases and doors go by; `service.config.Settings` fulfils it."""

    @property
    def organiser_key(self) -> str: ...
    @property
    def anonymous_games(self) -> bool: ...
    @property
    def game_idle_s(self) -> int: ...
    @property
    def game_kept_s(self) -> int: ...
    @property
    def body_limit(self) -> int: ...
    @property
    def cors_origins(self) -> tuple[str, ...]: ...
    @property
    def redis_url(self) -> str:
        """For the counters of a door's rate limits."""


@dataclass(frozen=True, slots=True)
class Context:
    """All that use cases are handed. Built in `service.wiring`, nowhere else."""

    settings: Policy
    games: GameStore
    bots: BotStore
    keys: KeyStore
    idempotency: IdempotencyStore
    tournaments: TournamentStore
    leases: Leases
    queue: Queue
    clock: ServiceClock
    hub: Hub
    wall_ms: Callable[[], int]
    random_bytes: Callable[[int], bytes]
    ping: Callable[[], None]
    """Raises Unavailable when the store does not answer."""
    tables: TableCache = field(default_factory=TableCache)
    """Games as this process last read them; only speeds reading up."""
