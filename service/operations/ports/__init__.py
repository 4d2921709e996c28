"""The interface that the store fulfils. Use cases know these protocols and plain rows, never Redis.

Times: `*_ms` are integers in milliseconds. *Wall* time is Unix time. *Service* time is a counter of its own that stands
still while Redis or the steward is down, so that no clock of a player runs through our own outage; deadlines, idleness
and retention are in service time.

Every method may raise `Unavailable` when the store cannot be reached. A write that raised it may or may not have
happened; every write here can be repeated safely (it carries the version it follows, or is written once).
"""

from service.operations.ports.access import IdempotencyStore, Kept, Key, KeyStore, Turn
from service.operations.ports.bots import Bot, BotStore, CheckStore
from service.operations.ports.callbacks import Callback, CallbackStore, Pending, Secrets
from service.operations.ports.coordination import (
    SPARE,
    Hub,
    Lease,
    LeaseLost,
    Leases,
    Processes,
    Queue,
    ServiceClock,
)
from service.operations.ports.games import Asked, Effects, GameRow, GameStore, VersionMoved
from service.operations.ports.paging import Page
from service.operations.ports.tournaments import TournamentRow, TournamentStore

__all__ = [
    "SPARE",
    "Asked",
    "Bot",
    "BotStore",
    "Callback",
    "CallbackStore",
    "CheckStore",
    "Effects",
    "GameRow",
    "GameStore",
    "Hub",
    "IdempotencyStore",
    "Kept",
    "Key",
    "KeyStore",
    "Lease",
    "LeaseLost",
    "Leases",
    "Page",
    "Pending",
    "Processes",
    "Queue",
    "Secrets",
    "ServiceClock",
    "TournamentRow",
    "TournamentStore",
    "Turn",
    "VersionMoved",
]
