"""Ctrl-C, SIGTERM and a closed terminal, as one exception raised once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """We were asked to end. No Exception, as KeyboardInterrupt is none: nobody should take it for an error."""


class Interrupts:
    """Whether the first signal still raises. Disarm it before tidying up, which must not be cut short."""

    def __init__(self) -> None:
        self.armed = True


@contextmanager
def interrupts(repeated: Callable[[], None]) -> Iterator[Interrupts]:
    """While this is open, the first signal raises Interrupted in the main thread; each later one, and each after
    disarming, calls `repeated`. Only for the main thread."""
    state = Interrupts()

    def on_signal(signum: int, frame: FrameType | None) -> None:
        if state.armed:
            state.armed = False
            raise Interrupted
        repeated()

    before = [(signum, signal.signal(signum, on_signal)) for signum in SIGNALS]
    try:
        yield state
    finally:
        for signum, handler in before:
            signal.signal(signum, handler)
