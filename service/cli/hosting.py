"""The whole service in one terminal, for `montego up` and `montego demo`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from service.cli.client import Client
from service.cli.output import say
from service.cli.registry import secret_for
from service.config import Settings
from service.local.interrupts import interrupts
from service.local.ports import LOOPBACK, free_port
from service.local.stack import Stack

REFERENCE_BOTS = ("greedy", "greedy-2", "random", "random-2")


@contextmanager
def hosted(data: Path | None, port: int | None, more: Iterable[str] = ()) -> Iterator[Stack]:
    """Starts Redis (if none is given), API, reference bots and workers; ends them all on leaving, in whatever way.
    `more`: reference bots to start besides the usual ones.

    Raises LocalError, ServiceError, and Interrupted on Ctrl-C, SIGTERM or a closed terminal.
    """
    Settings.from_env()  # a setting that cannot be used is one line here, and a log file for each process later
    with Stack(data, port, os.environ, say) as stack, interrupts(stack.supervisor.hurry) as signals:
        try:
            redis_url = stack.start_redis()
            stack.start_api(redis_url)
            client = Client(stack.url, stack.organiser_key)
            for name in dict.fromkeys((*REFERENCE_BOTS, *more)):
                bot_port = free_port()
                secret = secret_for(client, name, f"http://{LOOPBACK}:{bot_port}")
                stack.start_bot(name, bot_port, secret)
            stack.start_worker(redis_url)
            yield stack
        except Exception:
            say(f"logs: {stack.logs}")
            raise
        finally:
            signals.armed = False
            say("ending …")
            # Within the reach of the signal handlers: a second Ctrl-C makes it hurry.
            stack.supervisor.end()


def stay(stack: Stack) -> None:
    """Looks after the processes until a signal interrupts."""
    while True:
        stack.supervisor.watch(60.0)
