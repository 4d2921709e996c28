"""Poll bots that run beside a test."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from montego_bot import Poller

END_S = 60


@contextmanager
def running_pollers(pollers: Sequence[Poller]) -> Iterator[None]:
    """They poll, each in a thread of its own, until the end."""
    threads = [threading.Thread(target=poller.run) for poller in pollers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for poller in pollers:
            poller.stop()
        for thread in threads:
            thread.join(END_S)
