"""Leases: rights that end by themselves. Their epochs are stamps (`stamp.lua`), so a later holder's is larger.

Every script by which a worker writes under a lease compares it first (`lease.lua`). A worker that was frozen, and whose
lease has run out meanwhile, can therefore do no harm when it comes back.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.store import keys
from service.store.clients import RedisClient, script


class LeaseLost(Exception):
    """The writer's lease is another's now. Stop at once."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A right that ends by itself. Epochs grow: of two holders the later one has the larger."""

    name: str
    holder: str
    epoch: int

    @property
    def value(self) -> str:
        """What Redis keeps while it lasts; scripts compare it."""
        return f"{self.epoch}:{self.holder}"


def held(lease: Lease | None) -> tuple[list[str], str]:
    """The last key and the argument of a script that refuses to write when a lease is lost. None: it needs none."""
    return ([], "") if lease is None else ([keys.lease(lease.name)], lease.value)


_HOLDER_BYTES = 8


class Leases:
    """Each acquisition is a holder of its own, so two threads never share a lease."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._acquire = script(client, "stamp", "acquire")
        self._renew = script(client, "renew")

    def acquire(self, name: str, ttl_ms: int) -> Lease | None:
        """None while it is another's. One that was given though `Unavailable` was raised runs out by itself."""
        holder = secrets.token_hex(_HOLDER_BYTES)
        epoch = int(self._acquire([keys.lease(name), keys.STAMP], [holder, ttl_ms]))
        return Lease(name, holder, epoch) if epoch else None

    def renew(self, lease: Lease, ttl_ms: int) -> bool:
        """False: it is lost, also when nobody else has it yet."""
        return bool(self._renew([keys.lease(lease.name)], [lease.value, ttl_ms]))

    def release(self, lease: Lease) -> None:
        """Gives it back; nothing happens if it is lost."""
        self.renew(lease, 0)

    def live(self, names: Sequence[str]) -> set[str]:
        """Which of these are held by anybody."""
        if not names:
            return set()
        held: Any = self._client.mget([keys.lease(name) for name in names])
        return {name for name, holder in zip(names, held, strict=True) if holder is not None}
