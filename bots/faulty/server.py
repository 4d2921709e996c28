"""A web server that lets a bot do with the socket whatever it likes, once a request has been read."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bots.random_bot import RandomBot
from bots.sdk import PROTOCOL, answer, read_ask

HEAD = "HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\n{headers}\r\n"
WITHOUT_BUDGET_MS = 10_000
"""What a bot's seat gets in a casual game without a time of its own."""


class Exchange:
    """One request that a bad bot may answer as badly as it likes."""

    def __init__(self, connection: socket.socket, server: BadServer, raw: Any, number: int) -> None:
        """`raw` is the JSON of the request, None if it has none; `number` counts its likes from 0."""
        self.connection, self.server, self.raw, self.number = connection, server, raw, number
        self.keep = True

    @property
    def budget_s(self) -> float:
        """The time that this ask may take, in seconds."""
        budget = self.raw.get("budget_ms")
        return float(WITHOUT_BUDGET_MS if budget is None else budget) / 1000

    def honest(self) -> dict[str, Any]:
        """A good answer to the ask."""
        return answer(RandomBot(), read_ask(self.raw))

    def send(self, data: bytes) -> bool:
        """Sends bytes as they are. False, and the connection is given up, if the peer has gone."""
        try:
            self.connection.sendall(data)
        except OSError:
            self.keep = False
        return self.keep

    def reply(self, body: object, status: int = 200, headers: Iterable[str] = (), reason: str = "As It Is") -> None:
        """Answers with a length; `body` is bytes, or something to be put as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = "".join(f"{line}\r\n" for line in (*headers, f"Content-Length: {len(data)}"))
        self.send(HEAD.format(status=status, reason=reason, headers=lines).encode() + data)

    def wait(self, seconds: float) -> bool:
        """Waits, at most until the bot is stopped or the peer hangs up; True if the time has passed."""
        step = 0.05
        while seconds > 0 and not self.server.stopped.is_set():
            if self._peer_has_gone():
                self.keep = False
                return False
            self.server.stopped.wait(min(step, seconds))
            seconds -= step
        return not self.server.stopped.is_set()

    def hang_up(self) -> None:
        """Ends the connection without a word."""
        self.keep = False

    def _peer_has_gone(self) -> bool:
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True


Behaviour = Callable[[Exchange], None]


def honest_answer(exchange: Exchange) -> None:
    """What every bot should do."""
    exchange.reply(exchange.honest())


def plain_information(exchange: Exchange) -> None:
    """`GET /` as it should be."""
    exchange.reply({"protocol": PROTOCOL, "name": exchange.server.bad.name, "version": "1", "author": "nobody"})


def thanks(exchange: Exchange) -> None:
    """The answer to /start and /end."""
    exchange.reply({})


def warming_up(exchange: Exchange) -> None:
    """What a bot answers whose model is still being loaded."""
    exchange.reply({"title": "still loading"}, 503)


@dataclass(frozen=True, slots=True)
class Bad:
    """A bad bot: what it does, the fault that it should be charged with (None: none), whether it comes up at all."""

    name: str
    what: str
    fault: str | None
    act: Behaviour = honest_answer
    information: Behaviour = plain_information
    start: Behaviour = thanks
    comes_up: bool = True
    listens: bool = True
    warmup_s: float = 0.0


@dataclass(slots=True)
class _Counts:
    lock: threading.Lock = field(default_factory=threading.Lock)
    seen: dict[str, int] = field(default_factory=dict)

    def next(self, kind: str) -> int:
        with self.lock:
            self.seen[kind] = self.seen.get(kind, 0) + 1
            return self.seen[kind] - 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(OSError, ValueError):
            super().handle()

    def serve(self) -> None:
        server = self.server
        assert isinstance(server, BadServer)
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        exchange = Exchange(self.connection, server, json.loads(body) if body else None, server.counts.next(self.path))
        behaviour = server.behaviour(self.command, self.path)
        if behaviour is None:
            exchange.reply({"title": "Not Found"}, 404)
        else:
            behaviour(exchange)
        if not exchange.keep:
            self.close_connection = True

    do_GET = do_POST = serve  # noqa: N815  (http.server's names)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (http.server's name)
        """Says nothing."""


class BadServer(ThreadingHTTPServer):
    """Serves one bad bot until it is stopped, or crashes of itself."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, bad: Bad, port: int) -> None:
        self.bad = bad
        self.stopped = threading.Event()
        self.counts = _Counts()
        self._up_from = time.monotonic() + bad.warmup_s
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler, bind_and_activate=False)
        self.server_bind()
        if bad.listens:
            self.server_activate()

    def server_bind(self) -> None:
        """Binds without asking a name server for the machine's own name."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def behaviour(self, method: str, path: str) -> Behaviour | None:
        """What is to be done with a request; None if there is no such call."""
        if time.monotonic() < self._up_from:
            return warming_up
        calls = {
            ("GET", "/"): self.bad.information,
            ("POST", "/act"): self.bad.act,
            ("POST", "/start"): self.bad.start,
            ("POST", "/end"): thanks,
            ("POST", "/elsewhere"): honest_answer,
        }
        return calls.get((method, path))

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remembers the connection, so that a crash can take it along."""
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forgets a connection that is over."""
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: broken connections are this bot's trade."""

    def crash(self) -> None:
        """Is gone from now on: nobody listens, and all connections are dropped. Repeating it does nothing."""
        if self.stopped.is_set():
            return
        self.stopped.set()
        if self.bad.listens:
            self.shutdown()
        self.server_close()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
