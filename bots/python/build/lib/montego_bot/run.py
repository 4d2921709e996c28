"""Runs a push bot or a poll bot until the process is told to end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from types import FrameType
from typing import NoReturn

from montego_bot.bot import Bot, Choice, as_bot
from montego_bot.messages import Ask
from montego_bot.poll import Poller
from montego_bot.push import push_app
from montego_bot.server import BotServer


def run_push(
    bot: Bot | Callable[[Ask], Choice],
    *,
    port: int,
    host: str = "127.0.0.1",
    secrets: Iterable[str] = (),
    name: str | None = None,
) -> None:
    """Serves a push bot until SIGTERM or Ctrl-C. Raises CannotListen if the address is in use, and BadSecret."""
    player = as_bot(bot, name)
    server = BotServer(push_app(player, secrets=secrets), host, port)
    print(f"{player.name} listens at {server.url}", flush=True)
    _end_on_signals()
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def run_poll(bot: Bot | Callable[[Ask], Choice], *, url: str, token: str, name: str | None = None) -> None:
    """Plays a poll bot until SIGTERM or Ctrl-C. Raises Refused if the service does not know the token."""
    player = as_bot(bot, name)
    poller = Poller(player, url, token)
    print(f"{player.name} polls {url}", flush=True)
    _end_on_signals()
    try:
        poller.run()
    except KeyboardInterrupt:
        poller.stop()


def _end_on_signals() -> None:
    # SIGINT too: a process that a script starts in the background inherits it as ignored.
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, _end)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
