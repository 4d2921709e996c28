"""Texts that pages do not show: an organiser has hidden them."""

from __future__ import annotations

from typing import Any

from service.store import keys
from service.store.clients import RedisClient, texts


class HiddenTextStore:
    """A set of texts."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    def all(self) -> list[str]:
        """In alphabetical order."""
        return sorted(texts(self._client.smembers(keys.HIDDEN_TEXTS)))

    def add(self, text: str) -> None:
        """Adding it again changes nothing."""
        self._client.sadd(keys.HIDDEN_TEXTS, text)

    def remove(self, text: str) -> bool:
        """False: it was not there."""
        removed: Any = self._client.srem(keys.HIDDEN_TEXTS, text)
        return bool(removed)
