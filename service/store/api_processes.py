"""The processes of the API: that they are alive, and when they could not serve.

Each sends a heartbeat ten times a second. A heartbeat that comes late says that the process was stopped or busy, or
that Redis did not answer: from the one before to this one it took nothing in. That is a *stall*. All times are Redis'
own, so they can be compared with each other and with those of asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.store import keys
from service.store.clients import RedisClient, script

HEARTBEAT_S = 0.1
EXPECTED_BACK_MS = 60_000
"""A process that is silent for longer counts as gone: gunicorn would have killed it."""
RECONNECT_MS = 2_000
"""Bots need some time to come back after a stall: as long as it was, and at most this."""
STALLS_KEPT_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class ApiTime:
    """How the API served since a moment. `served_ms`: for how long it did, as far as is known. `stalled_ms`: for how
    long it could not, or bots were only coming back."""

    served_ms: int
    stalled_ms: int


class ApiProcesses:
    """`max_delay_ms`: a heartbeat that is later than this is a stall."""

    interval_s = HEARTBEAT_S
    """The time from one heartbeat of a process to the next."""

    def __init__(self, client: RedisClient, max_delay_ms: int) -> None:
        self.max_pause_ms = round(HEARTBEAT_S * 1000) + max_delay_ms
        self._client = client
        self._heartbeat = script(client, "api_heartbeat")
        self._stalls = script(client, "api_stalls", writes=False)

    def heartbeat(self, process: str) -> None:
        """The process has served up to now."""
        values: list[str | int] = [process, self.max_pause_ms, EXPECTED_BACK_MS, STALLS_KEPT_MS]
        self._heartbeat([keys.API_PROCESSES, keys.API_STALLS], values)

    def leave(self, process: str) -> None:
        """The process ends, and is not expected back."""
        self._client.hdel(keys.API_PROCESSES, process)

    def time_since(self, since_ms: int) -> ApiTime:
        """How the API served since a wall time (Unix ms) of Redis.

        While a process is silent, nothing is known of the time after its last heartbeat. Without any process, the time
        stands still.
        """
        answer: Any = self._stalls([keys.API_PROCESSES, keys.API_STALLS], [since_ms - RECONNECT_MS])
        now_ms, processes, stalls = answer
        known_until = min(processes, default=since_ms)
        spans = [_with_return(int(begun), int(ended)) for begun, ended in map(str.split, stalls)]
        spans += [(heard, now_ms) for heard in processes or [since_ms] if now_ms - heard > self.max_pause_ms]
        stalled = _union(spans, since_ms, now_ms)
        return ApiTime(max(0, known_until - since_ms - _union(spans, since_ms, known_until)), stalled)


def _with_return(begun: int, ended: int) -> tuple[int, int]:
    return begun, ended + min(RECONNECT_MS, ended - begun)


def _union(spans: list[tuple[int, int]], since: int, until: int) -> int:
    """The length of what the spans cover together between two moments."""
    total, covered = 0, since
    for begun, ended in sorted(spans):
        added = min(ended, until) - max(begun, covered)
        if added > 0:
            total, covered = total + added, min(ended, until)
    return total
