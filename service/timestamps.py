"""Wall time: milliseconds since the Unix epoch, and how they are written in messages."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def wall_ms() -> int:
    """Wall time now: milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


def timestamp(ms: int) -> str:
    """RFC 3339 text, in UTC and with milliseconds, of milliseconds since the Unix epoch."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
