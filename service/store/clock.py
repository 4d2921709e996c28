"""Service time: a counter of milliseconds that runs only while somebody advances it."""

from __future__ import annotations

from typing import Any

from service.store import keys
from service.store.clients import RedisClient


class ServiceClock:
    """Only the steward advances it, so service time stands still while the service is down."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    def now_ms(self) -> int:
        """0 where it has never run."""
        now: Any = self._client.get(keys.CLOCK)
        return int(now or 0)

    def advance(self, ms: int) -> int:
        """Returns the new time. Raises ValueError for a step back: deadlines would come twice.

        The one write of the store that is not safe to repeat: after a failure the caller measures real time again.
        """
        if ms < 0:
            raise ValueError(f"service time never goes back ({ms} ms)")
        return int(self._client.incrby(keys.CLOCK, ms))
