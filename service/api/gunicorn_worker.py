"""gunicorn's gevent worker. It answers with a problem too when a request is not valid HTTP.

It imports nothing that imports redis: gunicorn loads this before gevent has patched the standard library.
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

DRAIN_S = 1.0
"""How long the rest of a request that cannot be read is read and dropped."""
_CHUNK_BYTES = 64 * 1024
_CHUNKS = 128


class Worker(GeventWorker):
    """A process that serves requests."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answers a request that cannot be read (a line or header too long or malformed) and closes the connection."""
        if not isinstance(exc, ParseException):
            super().handle_error(req, client, addr, exc)
            return
        # Do not log what came: a broken header may hold a token.
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
            self.log.debug("The client of an unreadable request is gone")
            return
        _drain(client)


def _drain(client: Any) -> None:
    """Lets the client finish: closing a connection with bytes unread resets it, and the response can be lost."""
    with suppress(OSError), Timeout(DRAIN_S, TimeoutError()):
        client.shutdown(SHUT_WR)
        for _ in range(_CHUNKS):
            if not client.recv(_CHUNK_BYTES):
                return
