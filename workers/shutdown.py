"""Whether this process has been told to end. After SIGTERM a job stops at its next decision."""

from __future__ import annotations

import signal
import threading
from types import FrameType

_draining = threading.Event()


def is_draining() -> bool:
    """Whether this process got SIGTERM since `drain_on_sigterm`, or called `begin_draining`."""
    return _draining.is_set()


def drain_on_sigterm() -> None:
    """Makes SIGTERM a request to stop at the next decision. Must be called in the main thread."""
    _draining.clear()
    signal.signal(signal.SIGTERM, _on_sigterm)


def begin_draining() -> None:
    """Requests this process to stop at its next decision."""
    _draining.set()


def _on_sigterm(signum: int, frame: FrameType | None) -> None:
    _draining.set()
