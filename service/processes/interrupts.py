"""Ctrl-C, SIGTERM and a closed terminal, as one exception raised once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """We were asked to end. Like KeyboardInterrupt it is not an Exception, so that it is not taken for an error."""


class Interrupts:
    """Whether the next signal raises. Disarm it before a cleanup that must not be cut short."""

    def __init__(self) -> None:
        self.armed = True


@contextmanager
def interrupts(repeated: Callable[[], None]) -> Iterator[Interrupts]:
    """While this is open, the first signal raises Interrupted. Later ones, and those after disarming, call `repeated`.
    Must be opened in the main thread."""
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
