"""Bots of a few lines over raw sockets on loopback, which do to a caller what no web framework lets one do."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

GOOD_BODY = b'{"index":0}'


@dataclass(frozen=True)
class Received:
    """One request as it came, on the connection of that number."""

    line: str
    headers: dict[str, str]
    body: bytes
    connection: int


def http(body: bytes = GOOD_BODY, status: str = "200 OK", headers: str = "", length: int | None = None) -> bytes:
    """An answer with a Content-Length, the right one unless another is given. `headers` end with CRLF each."""
    length = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n".encode() + body


class RawBot:
    """Listens while it is entered. `answer` gets each request and its socket; on false the connection ends."""

    def __init__(
        self,
        answer: Callable[[RawBot, socket.socket, Received], bool],
        *,
        family: socket.AddressFamily = socket.AF_INET,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.received: list[Received] = []
        self.connections = 0
        self.ended = threading.Event()
        self._answer = answer
        self._tls = tls
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), family=family)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://{'[::1]' if family == socket.AF_INET6 else '127.0.0.1'}:{self.port}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            with suppress(OSError):  # it may have ended already
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def drip(self, connection: socket.socket, data: bytes, pause_s: float) -> None:
        """Sends a byte each `pause_s` until the caller hangs up or the bot ends."""
        for byte in data:
            if self.ended.wait(pause_s):
                return
            connection.sendall(bytes((byte,)))

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, connection, self.connections)

    def _serve(self, connection: socket.socket, number: int) -> None:
        # A caller that hangs up in the middle is what many tests are about.
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            self._open.append(connection)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection, connection.makefile("rb") as stream:
                while (request := _read(stream.readline, stream.read, number)) is not None:
                    self.received.append(request)
                    if not self._answer(self, connection, request):
                        return
        except OSError:
            return


def _read(readline: Callable[[], bytes], read: Callable[[int], bytes], number: int) -> Received | None:
    line = readline().decode().strip()
    if not line:
        return None
    headers: dict[str, str] = {}
    while field := readline().decode().strip():
        name, _, value = field.partition(":")
        headers[name.lower()] = value.strip()
    return Received(line, headers, read(int(headers.get("content-length", 0))), number)


def says(data: bytes, *, then_closes: bool = False) -> Callable[[RawBot, socket.socket, Received], bool]:
    """A bot that answers each request with these bytes."""

    def answer(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        connection.sendall(data)
        return not then_closes

    return answer


def drips(
    data: bytes, *, after: bytes = b"", pause_s: float = 0.02
) -> Callable[[RawBot, socket.socket, Received], bool]:
    """A bot that sends `after` at once and then a byte each `pause_s`, for longer than anybody waits."""

    def answer(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        connection.sendall(after)
        bot.drip(connection, data, pause_s)
        return False

    return answer


def hangs(data: bytes = b"") -> Callable[[RawBot, socket.socket, Received], bool]:
    """A bot that sends these bytes and nothing more."""

    def answer(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        connection.sendall(data)
        bot.ended.wait()
        return False

    return answer
