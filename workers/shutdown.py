"""Whether this process has been told to end: SIGTERM lets a job stop at the next decision."""

from __future__ import annotations

import signal
import threading
from types import FrameType

_told = threading.Event()


def is_draining() -> bool:
    """True once this process got SIGTERM after `drain_on_sigterm`."""
    return _told.is_set()


def drain_on_sigterm() -> None:
    """Makes SIGTERM a request to stop at the next decision, in this process. Call it in the main thread."""
    _told.clear()
    signal.signal(signal.SIGTERM, _tell)


def begin_draining() -> None:
    """The same request, made by this process itself."""
    _told.set()


def _tell(signum: int, frame: FrameType | None) -> None:
    _told.set()
