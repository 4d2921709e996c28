"""Waiting for something that cannot wake us."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Asks `holds` again and again, at most for `seconds`; whether it came to hold."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True
