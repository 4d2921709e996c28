"""What every use case is handed: the stores, the settings, time and chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from service.config import Settings
from service.operations.games.projection import ProjectionCache
from service.operations.ladders.season_cache import SeasonCache
from service.operations.offload import Offload, inline
from service.operations.tournaments.tables_cache import TablesCache
from service.store.api_keys import KeyStore
from service.store.api_processes import ApiProcesses
from service.store.blocks import BlockStore
from service.store.bots import BotStore
from service.store.callbacks import CallbackStore
from service.store.checks import CheckStore
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


@dataclass(frozen=True, slots=True)
class Context:
    """All that use cases are handed. Built in `service.wiring`, nowhere else."""

    settings: Settings
    games: GameStore
    game_lists: GameLists
    unreadable: UnreadableStore
    bots: BotStore
    checks: CheckStore
    keys: KeyStore
    hidden_texts: HiddenTextStore
    idempotency: IdempotencyStore
    tournaments: TournamentStore
    ladders: LadderStore
    blocks: BlockStore
    callbacks: CallbackStore
    api_processes: ApiProcesses
    leases: Leases
    queue: JobQueue
    clock: ServiceClock
    hub: Hub
    wall_ms: Callable[[], int]
    random_bytes: Callable[[int], bytes]
    """Chance."""
    ping: Callable[[], None]
    """Raises Unavailable when a Redis does not answer."""
    projections: ProjectionCache = field(default_factory=ProjectionCache)
    """Games as this process last read them; only speeds reading up."""
    tables: TablesCache = field(default_factory=TablesCache)
    """Tables of tournaments as this process last computed them; only speeds reading up."""
    seasons: SeasonCache = field(default_factory=SeasonCache)
    """Seasons of ladders as this process last read them; only speeds reading up."""
    offload: Offload = inline
    """Where long calculations run."""
