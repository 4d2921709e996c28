"""gunicorn's gevent worker, with bounds and answers for requests that never reach the application.

It imports nothing that imports redis: gunicorn loads this before gevent has patched the standard library.
"""

from __future__ import annotations

import time
import uuid
from contextlib import suppress
from socket import SHUT_WR
from typing import Any

from gevent import Timeout
from gunicorn.http.body import Body, LengthReader
from gunicorn.http.errors import (
    ExpectationFailed,
    InvalidHeader,
    InvalidHTTPVersion,
    InvalidRequestLine,
    InvalidRequestMethod,
    LimitRequestHeaders,
    LimitRequestLine,
    ObsoleteFolding,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.util import http_date, write_nonblock
from gunicorn.workers.ggevent import GeventWorker

from service.api.errors import CODES, MEDIA_TYPE, problem_text
from service.config import Settings

DRAIN_TIMEOUT_S = 1.0
"""How long the rest of a request that cannot be read is read and dropped."""
_CHUNKED_ONLY = "Transfer-Encoding can only be chunked, in HTTP/1.1"


class NoHost(ParseException):
    """A request of HTTP/1.1 without a Host header (RFC 9112, section 3.2)."""


_REASONS = (
    (NoHost, "Host is missing"),
    (UnsupportedTransferCoding, _CHUNKED_ONLY),
    (ObsoleteFolding, "a header is continued on a second line"),
    (ExpectationFailed, "Expect can only be 100-continue"),
    (InvalidHTTPVersion, "it is not HTTP/1.0 or HTTP/1.1"),
    (InvalidRequestLine, "its first line is not a method, a target and a version"),
    (InvalidRequestMethod, "its method is malformed"),
)
_CHUNK_BYTES = 64 * 1024
_CHUNKS = 128


class Worker(GeventWorker):
    """A process that serves requests."""

    body_timeout_s = 30.0
    """A request body has to arrive within this time, counted from when it is first wanted."""
    settings: Settings

    def init_process(self) -> None:
        """Reads the settings before the first request."""
        self.settings = Settings.from_env()
        super().init_process()

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        """Hands a request to the application. Raises NoHost."""
        if req.version >= (1, 1) and all(name != "HOST" for name, _ in req.headers):
            raise NoHost
        length = req.body.reader.length if isinstance(req.body.reader, LengthReader) else None
        if length is not None and length > self.settings.body_limit and req._expected_100_continue:
            # The application answers 413. The client must not be told to go on, and does not know how long to wait.
            req._expected_100_continue = False
            req.force_close()
        elif length != 0:
            req.body = BoundedBody(req, self.body_timeout_s)
        return super().handle_request(listener_name, req, sock, addr)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answers a request that cannot be read, or that failed outside the application, and closes the connection."""
        request_id = uuid.uuid4().hex
        if isinstance(exc, ParseException):
            # Do not log what came: a broken header may hold a token.
            self.log.info("Request %s cannot be read: %s", request_id, type(exc).__name__)
            code, detail = "bad_request", f"The request cannot be read: {self._reason(exc)}."
        elif isinstance(exc, Exception):
            self.log.error("Request %s failed", request_id, exc_info=exc)
            code, detail = "internal_error", "Something went wrong here, and is in the log."
        else:
            # The server is being stopped.
            return
        try:
            write_nonblock(client, self._response(request_id, code, detail))
        except OSError:
            self.log.debug("The client of request %s is gone", request_id)
            return
        _drain(client)

    def _reason(self, exc: ParseException) -> str:
        """What is wrong with a request, without anything that it holds."""
        if isinstance(exc, LimitRequestLine):
            return f"its first line is longer than {self.cfg.limit_request_line} bytes"
        if isinstance(exc, LimitRequestHeaders):
            if exc.msg.endswith("size"):
                return f"a header is longer than {self.cfg.limit_request_field_size} bytes"
            return f"it has more than {self.cfg.limit_request_fields} headers"
        if isinstance(exc, InvalidHeader):
            return _header_reason(exc)
        return next((text for kind, text in _REASONS if isinstance(exc, kind)), "a header is malformed")

    def _response(self, request_id: str, code: str, detail: str) -> bytes:
        """A problem response with the headers that the application's have."""
        status = CODES[code].status
        body = problem_text(code, detail).encode()
        headers = {
            "Date": http_date(),
            "Connection": "close",
            "Content-Type": MEDIA_TYPE,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Request-ID": request_id,
        }
        if self.settings.cors_origins:
            # The Origin may not have been read. There is nothing in here that other pages must not see.
            headers |= {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "X-Request-ID"}
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + body


class BoundedBody(Body):
    """A request body that has to arrive in time: reading it raises TimeoutError otherwise.

    The connection of a body that cannot be read is not used again.
    """

    def __init__(self, req: Any, timeout_s: float) -> None:
        super().__init__(req.body.reader)
        self._req = req
        self._timeout_s = timeout_s
        self._deadline: float | None = None

    def _read_reader(self, size: int) -> bytes:
        now = time.monotonic()
        self._deadline = self._deadline or now + self._timeout_s
        try:
            with Timeout(max(0.001, self._deadline - now), TimeoutError()):
                data: bytes = super()._read_reader(size)
        except Exception:
            self._req.force_close()
            raise
        return data


def _header_reason(exc: Any) -> str:
    names = [name for name, _ in exc.req.headers] if exc.req is not None else []
    if exc.hdr == "CONTENT-LENGTH" and "TRANSFER-ENCODING" in names:
        return "Content-Length and Transfer-Encoding are both given"
    if exc.hdr in ("HOST", "CONTENT-TYPE") or names.count(exc.hdr) > 1:
        return f"{exc.hdr.title()} is given more than once"
    if exc.hdr == "CONTENT-LENGTH":
        return "Content-Length is not a number"
    if exc.hdr == "TRANSFER-ENCODING":
        return _CHUNKED_ONLY
    return "a header is malformed"


def _drain(client: Any) -> None:
    """Lets the client finish: closing a connection with bytes unread resets it, and the response can be lost."""
    with suppress(OSError), Timeout(DRAIN_TIMEOUT_S, TimeoutError()):
        client.shutdown(SHUT_WR)
        for _ in range(_CHUNKS):
            if not client.recv(_CHUNK_BYTES):
                return
