"""gunicorn's gevent worker, with problem answers also to what is no HTTP that the application could be handed.

Imports nothing that imports redis: gunicorn loads this before gevent has patched the standard library.
"""

from __future__ import annotations

from contextlib import suppress
from socket import SHUT_WR
from typing import Any

from gevent import Timeout
from gunicorn.http.errors import ParseException
from gunicorn.util import write_nonblock
from gunicorn.workers.ggevent import GeventWorker

from service.api.errors import MEDIA_TYPE, problem_text

DRAINED_S = 1.0
"""For so long the rest of a request that cannot be read is taken in and dropped (seconds)."""
_CHUNK = 64 * 1024
_CHUNKS = 128


class Worker(GeventWorker):
    """A process that serves requests."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answers a request that cannot be read (a line or header too long or malformed) and closes the connection."""
        if not isinstance(exc, ParseException):
            super().handle_error(req, client, addr, exc)
            return
        # What came is not logged: a broken header may hold a token.
        self.log.info("Unreadable request: %s", type(exc).__name__)
        body = problem_text("bad_request", f"The request cannot be read: {type(exc).__name__}.").encode()
        head = (
            "HTTP/1.1 400 Bad Request\r\n"
            "Connection: close\r\n"
            f"Content-Type: {MEDIA_TYPE}\r\n"
            f"Content-Length: {len(body)}\r\n"
            "\r\n"
        )
        try:
            write_nonblock(client, head.encode() + body)
        except OSError:
            self.log.debug("Nobody was there to be told")
            return
        _drain(client)


def _drain(client: Any) -> None:
    """Lets the client finish: closing a connection with bytes unread resets it, and the answer can be lost."""
    with suppress(OSError), Timeout(DRAINED_S, TimeoutError()):
        client.shutdown(SHUT_WR)
        for _ in range(_CHUNKS):
            if not client.recv(_CHUNK):
                return
