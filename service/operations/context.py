"""What every use case is handed: the ports, the settings, time and chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from service.operations.games.projection import TableCache
from service.operations.tournaments.table_cache import Beside, TablesCache, at_once
from service.store.access_keys import KeyStore
from service.store.blocks import BlockStore
from service.store.bots import BotStore
from service.store.callbacks import CallbackStore
from service.store.checks import CheckStore
from service.store.clock import ServiceClock
from service.store.games import GameStore
from service.store.hub import Hub
from service.store.idempotency import IdempotencyStore
from service.store.leases import Leases
from service.store.queues import JobQueue
from service.store.tournaments import TournamentStore


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
    def harness_slow_ms(self) -> int: ...
    @property
    def body_limit(self) -> int: ...
    @property
    def trusted_proxies(self) -> int: ...
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
    checks: CheckStore
    keys: KeyStore
    idempotency: IdempotencyStore
    tournaments: TournamentStore
    blocks: BlockStore
    callbacks: CallbackStore
    leases: Leases
    queue: JobQueue
    clock: ServiceClock
    hub: Hub
    wall_ms: Callable[[], int]
    random_bytes: Callable[[int], bytes]
    """Chance. A use case that creates draws the id first, and as much for the same request, whatever else there is: a
    call that is repeated gets the same (see `idempotency`)."""
    ping: Callable[[], None]
    """Raises Unavailable when the store does not answer."""
    tables: TableCache = field(default_factory=TableCache)
    """Games as this process last read them; only speeds reading up."""
    standings: TablesCache = field(default_factory=TablesCache)
    """Tables of tournaments as this process last computed them; only speeds reading up."""
    beside: Beside = at_once
    """Where long arithmetic runs."""
    again: bool = False
    """Whether an earlier attempt, with the same chance, may have created already what is to be created."""
