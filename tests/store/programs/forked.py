"""Waits in a parent and, after a fork, in its child; prints what each of them heard.

Usage: python -m tests.store.programs.forked <URL of Redis>
"""

from __future__ import annotations

import os
import sys
import threading

from service.store import clients
from service.store.games import GameStore
from service.store.hub import Hub
from tests.store.samples import RUNNING, begin, past


def hear(games: GameStore, hub: Hub, expected: int) -> int:
    """Waits for the append that another thread makes a moment later."""
    writer = threading.Timer(
        0.2, games.append, ("g", past(games, "g", expected), [str(expected)]), {"effects": RUNNING}
    )
    writer.start()
    heard = hub.wait("game:g", expected, 20)
    writer.join()
    return heard


def main(url: str) -> None:
    client = clients.commands(url)
    games, hub = GameStore(client), Hub(client, lambda: clients.reader(url))
    begin(games, "g")
    print("parent", hear(games, hub, 1), flush=True)
    child = os.fork()
    if child == 0:
        print("child", hear(games, hub, 2), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print("parent", hear(games, hub, 3), flush=True)


main(sys.argv[1])
