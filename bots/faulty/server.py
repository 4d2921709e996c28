"""A web server that reads a request and then lets the bot do anything with the socket."""

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
from montego_bot import PROTOCOL, answer, read_ask

HEAD = "HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\n{headers}\r\n"
WITHOUT_BUDGET_MS = 10_000
"""The time for a bot's answer in a casual game that sets none."""


class Exchange:
    """One request, and the means to answer it badly."""

    def __init__(self, connection: socket.socket, server: FaultyServer, raw: Any, number: int) -> None:
        """`raw` is the JSON of the request, None if it has none; `number` counts requests of the same kind from 0."""
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
        """Sends bytes as they are. If the peer has gone, returns False and gives up the connection."""
        try:
            self.connection.sendall(data)
        except OSError:
            self.keep = False
        return self.keep

    def reply(self, body: object, status: int = 200, headers: Iterable[str] = (), reason: str = "As It Is") -> None:
        """Answers with a Content-Length; `body` is bytes, or a value that is sent as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = "".join(f"{line}\r\n" for line in (*headers, f"Content-Length: {len(data)}"))
        self.send(HEAD.format(status=status, reason=reason, headers=lines).encode() + data)

    def wait(self, seconds: float) -> bool:
        """Waits until the time has passed (True), the bot is stopped or the peer hangs up (False)."""
        step = 0.05
        while seconds > 0 and not self.server.stopped.is_set():
            if self._peer_has_gone():
                self.keep = False
                return False
            self.server.stopped.wait(min(step, seconds))
            seconds -= step
        return not self.server.stopped.is_set()

    def hang_up(self) -> None:
        """Closes the connection after this exchange."""
        self.keep = False

    def _peer_has_gone(self) -> bool:
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True


Behaviour = Callable[[Exchange], None]


def honest_answer(exchange: Exchange) -> None:
    """Gives a good answer to an ask."""
    exchange.reply(exchange.honest())


def plain_information(exchange: Exchange) -> None:
    """Gives a good answer to `GET /`."""
    exchange.reply({"protocol": PROTOCOL, "name": exchange.server.bot.name, "version": "1", "author": "nobody"})


def empty_object(exchange: Exchange) -> None:
    """Answers /start and /end."""
    exchange.reply({})


def warming_up(exchange: Exchange) -> None:
    """Answers like a bot that is still loading its model."""
    exchange.reply({"title": "still loading"}, 503)


@dataclass(frozen=True, slots=True)
class FaultyBot:
    """What a faulty bot does, the fault that it should be charged with (None: none), and whether it comes up at all."""

    name: str
    what: str
    fault: str | None
    act: Behaviour = honest_answer
    information: Behaviour = plain_information
    start: Behaviour = empty_object
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
        assert isinstance(server, FaultyServer)
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
        """Logs nothing."""


class FaultyServer(ThreadingHTTPServer):
    """Serves one faulty bot until it is stopped or crashes."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, bot: FaultyBot, port: int) -> None:
        self.bot = bot
        self.stopped = threading.Event()
        self.counts = _Counts()
        self._up_from = time.monotonic() + bot.warmup_s
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler, bind_and_activate=False)
        self.server_bind()
        if bot.listens:
            self.server_activate()

    def server_bind(self) -> None:
        """Binds without asking a name server for the machine's own name."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def behaviour(self, method: str, path: str) -> Behaviour | None:
        """The behaviour for a request, or None if the path is unknown."""
        if time.monotonic() < self._up_from:
            return warming_up
        calls = {
            ("GET", "/"): self.bot.information,
            ("POST", "/act"): self.bot.act,
            ("POST", "/start"): self.bot.start,
            ("POST", "/end"): empty_object,
            ("POST", "/elsewhere"): honest_answer,
        }
        return calls.get((method, path))

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remembers the connection, so that a crash can close it."""
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forgets a connection that is over."""
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Logs nothing: broken connections are expected here."""

    def crash(self) -> None:
        """Closes the port and drops all connections. Calling it again does nothing."""
        if self.stopped.is_set():
            return
        self.stopped.set()
        if self.bot.listens:
            self.shutdown()
        self.server_close()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
