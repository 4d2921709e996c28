"""Answers that are kept for those who repeat a creating call."""

from __future__ import annotations

from service.store import keys
from service.store.clients import Client


class RedisIdempotencyStore:
    """Fulfils `ports.IdempotencyStore`. What is kept is one string that expires: the claim, or the answer."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def claim(self, name: str, claim: str, ttl_ms: int) -> str | None:
        """None: the name was free, and is claimed now; else what is kept under it."""
        key = keys.idempotent(name)
        while not self._client.set(key, claim, px=ttl_ms, nx=True):
            kept = self._client.get(key)
            if kept is not None:
                return str(kept)
            # It expired in between.
        return None

    def keep(self, name: str, answer: str, ttl_ms: int) -> None:
        """Replaces the claim by the answer."""
        self._client.set(keys.idempotent(name), answer, px=ttl_ms)

    def release(self, name: str) -> None:
        """Nothing came of it: the name is free again."""
        self._client.delete(keys.idempotent(name))
