"""`python -m tests.benchmarks.spectators URL GAME NUMBER`: spectators of one live game, each over its own connection.

Prints `ready` once all follow the game. Each line of standard input is then the number of an event: once all have been
sent this one or a later one, it prints a JSON list of the moments at which they were (`time.monotonic`). Ends with its
standard input.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import sys
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_EVENT = re.compile(rb"id: (\d+)\n")


@dataclass(slots=True)
class Spectator:
    """What one connection was sent: the numbers of events, and when the whole of each had come."""

    shown: list[tuple[int, float]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self, url: str, game: str, gate: asyncio.Semaphore) -> None:
        """Reads what comes, until it is cancelled."""
        parts = urlsplit(url)
        async with gate:
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**20)
            head = (
                f"GET /games/{game}/live?after=0 HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: text/event-stream\r\n\r\n"
            )
            writer.write(head.encode())
            await reader.readuntil(b"\r\n\r\n")
        while True:
            # Each event is a chunk of the body, and ends with an empty line.
            if found := _EVENT.search(await reader.readuntil(b"\n\n"), 0, 100):
                self.shown.append((int(found[1]), time.monotonic()))
                self.news.set()

    async def told_of(self, number: int) -> float:
        """When it was sent this event or a later one."""
        while True:
            for seen, moment in self.shown:
                if seen >= number:
                    return moment
            self.news.clear()
            await self.news.wait()


async def main(url: str, game: str, number: int) -> None:
    """Follows, and answers what it is asked."""
    gate, spectators = asyncio.Semaphore(50), [Spectator() for _ in range(number)]
    following = [asyncio.ensure_future(spectator.follow(url, game, gate)) for spectator in spectators]
    await asyncio.gather(*(spectator.told_of(1) for spectator in spectators))
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps([await spectator.told_of(int(line)) for spectator in spectators]), flush=True)
    for one in following:
        one.cancel()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
