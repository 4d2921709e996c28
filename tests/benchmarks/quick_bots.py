"""`python -m tests.benchmarks.quick_bots N DELAY_MS`: push bots that cost next to nothing, each at a port of its own.

They answer any legal action after that time. The first line that is printed has the ports.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)
_INFORMATION = b'{"protocol":"montego-bay/1","name":"quick","version":"1","author":"benchmarks"}'


def answer(body: bytes) -> bytes:
    """Any legal action, found without taking the JSON apart; the same one for the same question."""
    _, _, question = body.partition(b'"decision":')
    actions = question.partition(b'"legal_actions":[')[2].partition(b"]")[0].count(b'"type":')
    # By the decision alone: game ids and times differ from run to run.
    return b'{"index":%d}' % (zlib.crc32(question.partition(b"}")[0]) % max(1, actions))


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            found = _LENGTH.search(head)
            body = await reader.readexactly(int(found[1])) if found else b""
            if head.startswith(b"GET"):
                reply = _INFORMATION
            elif b" /act " in head[:80]:
                if delay_s:
                    await asyncio.sleep(delay_s)
                reply = answer(body)
            else:
                reply = b"{}"
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(reply), reply))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


@contextmanager
def quick_bots(number: int, delay_ms: float) -> Iterator[list[str]]:
    """URLs of so many bots in a process of their own, which answer after that time."""
    command = [sys.executable, "-m", "tests.benchmarks.quick_bots", str(number), str(delay_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield [f"http://127.0.0.1:{port}" for port in process.stdout.readline().split()]
        finally:
            process.terminate()


async def main(number: int, delay_s: float) -> None:
    """Serves until it is ended."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve(reader, writer, delay_s)

    servers = [await asyncio.start_server(serve, "127.0.0.1", 0) for _ in range(number)]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]) / 1000))
