"""Bots that are wrong on purpose, each in one way, for testing harnesses that call bots.

    with start("dripping") as bot:
        ...  # bot.url is a push bot; FAULTY_BOTS["dripping"].fault is the fault that it should be charged with

By hand: `python -m bots.faulty NAME --port 9009`.
"""

from __future__ import annotations

import threading
from types import TracebackType

from bots.faulty.behaviour import FAULTY_BEHAVIOURS
from bots.faulty.bodies import FAULTY_BODIES
from bots.faulty.server import FaultyBot, FaultyServer

FAULTY_BOTS: dict[str, FaultyBot] = {bot.name: bot for bot in (*FAULTY_BEHAVIOURS, *FAULTY_BODIES)}
"""All faulty bots by name. The names can also be used to register them."""


class RunningBot:
    """A faulty bot that is running, until `stop` is called or its `with` block ends."""

    def __init__(self, bot: FaultyBot, port: int) -> None:
        self._server = FaultyServer(bot, port)
        host, bound = self._server.socket.getsockname()[:2]
        self.url = f"http://{host}:{bound}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        if bot.listens:
            self._thread.start()

    @property
    def asks(self) -> int:
        """How many asks it has received, repeated ones included."""
        return self._server.counts.seen.get("/act", 0)

    def stop(self) -> None:
        """Closes the port and all connections, hanging ones too. Calling it again does nothing."""
        self._server.crash()
        if self._thread.is_alive():
            self._thread.join()

    def __enter__(self) -> RunningBot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start(name: str, port: int = 0) -> RunningBot:
    """Starts a faulty bot on loopback; port 0 takes a free one. KeyError for an unknown name, OSError for the port."""
    return RunningBot(FAULTY_BOTS[name], port)
