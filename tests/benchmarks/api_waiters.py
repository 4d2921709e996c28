"""`python -m tests.benchmarks.api_waiters URL`: clients that wait for a game to move on, each over its own connection.

Standard input has a JSON list with a [game, version] for each of them. Prints `ready` once all have asked; a long-poll
that is answered 304 is asked anew. Once all have been answered 200 it prints a JSON list of the moments at which that
was (`time.monotonic`). Ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from contextlib import suppress

from tests.benchmarks.api_load import Connection

WAIT_S = 30


async def wait_for(url: str, game: str, version: int, gate: asyncio.Semaphore, asked: asyncio.Barrier) -> float:
    """The moment of the answer."""
    async with gate:
        connection = await Connection.open(url)
    answer = asyncio.ensure_future(_answered(connection, f"/v1/games/{game}?wait={WAIT_S}&version={version}"))
    await asyncio.sleep(0)  # the request is sent
    await asked.wait()
    return await answer


async def _answered(connection: Connection, path: str) -> float:
    while True:
        status, body = await connection.request("GET", path)
        if status != 304:
            assert status == 200, f"{path}: {status} {body.decode()}"
            return time.monotonic()


async def main(url: str, wanted: list[tuple[str, int]]) -> None:
    """Waits for all of them."""
    gate, asked = asyncio.Semaphore(50), asyncio.Barrier(len(wanted) + 1)
    waiters = asyncio.gather(*(wait_for(url, game, version, gate, asked) for game, version in wanted))
    await asked.wait()
    print("ready", flush=True)
    ended = asyncio.ensure_future(asyncio.to_thread(sys.stdin.read))
    done, _ = await asyncio.wait([waiters, ended], return_when=asyncio.FIRST_COMPLETED)
    if waiters in done:
        print(json.dumps(waiters.result()), flush=True)
    waiters.cancel()
    with suppress(asyncio.CancelledError):
        await waiters


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    asyncio.run(main(sys.argv[1], json.loads(sys.stdin.readline())))
