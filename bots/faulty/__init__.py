"""Bots that do wrong on purpose, each in one way, for the tests of whoever calls bots.

    bad = start("dripping")
    try:
        ...  # bad.url is a push bot; bad.fault is what it should be charged with
    finally:
        bad.stop()

By hand: `python -m bots.faulty NAME --port 9009`.
"""

from __future__ import annotations

import threading
from types import TracebackType

from bots.faulty.behaviour import MANNERS
from bots.faulty.bodies import BODIES
from bots.faulty.server import Bad, BadServer

BAD_BOTS: dict[str, Bad] = {bad.name: bad for bad in (*MANNERS, *BODIES)}

NAMES: tuple[str, ...] = tuple(BAD_BOTS)
"""All bad bots. The names are good names for registering them, too."""

FAULTS: dict[str, str | None] = {name: bad.fault for name, bad in BAD_BOTS.items()}
"""The kind of fault that each should be charged with once it is asked; None: not one."""


class Handle:
    """A bad bot that is running. Ends with `stop`, or with its `with` block."""

    def __init__(self, bad: Bad, port: int) -> None:
        self.bad = bad
        self._server = BadServer(bad, port)
        host, bound = self._server.socket.getsockname()[:2]
        self.url = f"http://{host}:{bound}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        if bad.listens:
            self._thread.start()

    @property
    def name(self) -> str:
        """Its name in NAMES."""
        return self.bad.name

    @property
    def fault(self) -> str | None:
        """The kind of fault that it should be charged with."""
        return self.bad.fault

    @property
    def asks(self) -> int:
        """How many times it was asked so far, repeats included."""
        return self._server.counts.seen.get("/act", 0)

    def stop(self) -> None:
        """Ends it: nobody listens, and what still hangs is let go. Repeating it does nothing."""
        self._server.crash()
        if self._thread.is_alive():
            self._thread.join()

    def __enter__(self) -> Handle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start(name: str, port: int = 0) -> Handle:
    """Starts a bad bot on loopback; port 0 takes a free one. KeyError if there is no such bot, OSError if no port."""
    return Handle(BAD_BOTS[name], port)
