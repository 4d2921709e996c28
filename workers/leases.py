"""The leases under which workers work, and how they are kept."""

from __future__ import annotations

import threading
import time

from service.errors import Unavailable
from service.operations.context import Context
from service.store.leases import Lease

LEASE_MS = 8_000
RENEW_S = 2.0


def turn_lease(game: str, seat: int) -> str:
    """The name of the lease under which a bot's turns of a casual game are played."""
    return f"turn:{game}:{seat}"


def block_lease(tournament: str, block: int) -> str:
    """The name of a block's lease."""
    return f"block:{tournament}:{block}"


def probe_lease(tournament: str) -> str:
    """The name of the lease under which a tournament's entrants are called before its first match."""
    return f"probe:{tournament}"


class LeaseKeeper:
    """Renews a lease in another thread from `__enter__` to `__exit__`. `lost`: whether it has run out, or is held by
    another process now."""

    def __init__(self, ctx: Context, lease: Lease, *, ttl_ms: int = LEASE_MS, every_s: float = RENEW_S) -> None:
        self._ctx = ctx
        self._ttl_ms = ttl_ms
        self._every_s = every_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)
        self.lease = lease
        self.lost = False

    def __enter__(self) -> LeaseKeeper:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        valid_until = time.monotonic() + self._ttl_ms / 1000
        while not self._done.wait(self._every_s):
            asked_at = time.monotonic()
            try:
                self.lost = not self._ctx.leases.renew(self.lease, self._ttl_ms)
            except Unavailable:
                self.lost = time.monotonic() > valid_until
            else:
                valid_until = asked_at + self._ttl_ms / 1000
            if self.lost:
                return
