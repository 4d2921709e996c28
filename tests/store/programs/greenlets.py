"""Waits for one game in 1,000 greenlets, as the API does, and prints how many heard of the append.

Usage: python -m tests.store.programs.greenlets <URL of Redis>
"""

from gevent import monkey

monkey.patch_all()

import sys  # noqa: E402

import gevent  # noqa: E402

from service.store import clients  # noqa: E402
from service.store.games import GameStore  # noqa: E402
from service.store.hub import Hub  # noqa: E402
from tests.store.samples import RUNNING, begin, past  # noqa: E402

WAITERS = 1000


def main(url: str) -> None:
    """Every waiter has registered before the append, and one has found nothing new for all; none hears of it but by the
    reader."""
    client = clients.commands(url)
    games, hub = GameStore(client), Hub(client, lambda: clients.reader(url))
    begin(games, "g")
    waiting = [gevent.spawn(hub.wait, "game:g", 1, 30) for _ in range(WAITERS)]
    reads = client.info("commandstats")
    while hub.waiting < WAITERS or reads.get("cmdstat_type", {"calls": 0})["calls"] < 1:
        gevent.sleep(0.01)
        reads = client.info("commandstats")
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    gevent.joinall(waiting, timeout=20)
    print(sum(greenlet.value == 2 for greenlet in waiting))


main(sys.argv[1])
