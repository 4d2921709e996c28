"""What is stored and cannot be read: it is damaged, or another version of this program has written it.

It stays as it is, for the operator to look at, and nothing waits for it.
"""

from __future__ import annotations

from collections import Counter

from service.store import keys
from service.store.clients import RedisClient, texts


class UnreadableStore:
    """Names of documents, by kind: `game` or `tournament`."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    def note(self, kind: str, name: str) -> bool:
        """Whether it was not noted before. A game leaves the lists of what is to be done."""
        with self._client.pipeline() as pipeline:
            pipeline.sadd(keys.UNREADABLE, f"{kind}:{name}")
            if kind == "game":
                for index in (keys.DEADLINES, keys.IDLE, keys.OVER):
                    pipeline.zrem(index, name)
                pipeline.zrem(keys.TURNS, *(f"{name}:{seat}" for seat in range(4)))
            return bool(pipeline.execute()[0])

    def forget(self, kind: str, name: str) -> None:
        """It was removed."""
        self._client.srem(keys.UNREADABLE, f"{kind}:{name}")

    def counts(self) -> Counter[str]:
        """How many there are, by kind."""
        return Counter(member.partition(":")[0] for member in texts(self._client.smembers(keys.UNREADABLE)))
