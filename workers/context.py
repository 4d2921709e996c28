"""What the jobs of a worker process are handed, built once a process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from service.addresses import AddressPolicy
from service.config import Settings
from service.operations.context import Context
from service.wiring import build
from workers.outbound import OutboundClient
from workers.shutdown import is_draining


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """`draining`: whether this process has been told to end."""

    ctx: Context
    outbound: OutboundClient
    draining: Callable[[], bool]


@lru_cache(maxsize=1)
def worker_context() -> WorkerContext:
    """The one of this process, from its environment. All of its jobs share its connections. Raises ConfigError."""
    settings = Settings.from_env()
    return WorkerContext(build(settings), OutboundClient(AddressPolicy(settings.bot_networks)), is_draining)
