"""Turns and checks run beside each other in one process: they wait for bots, and none may wait for another's bot."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger("montego.jobs")


class SideBySide:
    """At most `most` calls at a time, each in a thread of its own; `run` waits for a free place."""

    def __init__(self, most: int, name: str) -> None:
        self._places = threading.BoundedSemaphore(most)
        self._name = name

    def run(self, call: Callable[[], None]) -> None:
        """Returns as soon as the call has begun. What it raises is logged: there is nobody to tell."""
        self._places.acquire()
        # Daemons: a process that was told to end does not wait for slow bots. What is left is played by another one.
        threading.Thread(target=self._call, args=(call,), name=self._name, daemon=True).start()

    def _call(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:
            log.exception("a %s failed", self._name)
        finally:
            self._places.release()
