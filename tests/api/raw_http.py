"""HTTP byte by byte over a socket, for requests that no client library would send."""

from __future__ import annotations

import json
import socket
import struct
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class RawResponse:
    """A response as it came."""

    status: int
    headers: Message
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body's object."""
        found: dict[str, Any] = json.loads(self.body)
        return found


def connect(url: str) -> socket.socket:
    """A connection to the server of a URL."""
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=TIMEOUT_S)


def request_bytes(
    method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, length: int | None = None
) -> bytes:
    """A request with a JSON body. `length`: what Content-Length says, if not the truth."""
    given = {
        "Host": "x",
        "Content-Type": "application/json",
        "Content-Length": str(len(body) if length is None else length),
    }
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in {**given, **(headers or {})}.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def read_all(connection: socket.socket) -> bytes:
    """All bytes up to the end of the connection. A connection that is reset fails here."""
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


def parse(response: bytes) -> RawResponse | None:
    """The first response in some bytes; None where there is none."""
    if not response:
        return None
    head, _, rest = response.partition(b"\r\n\r\n")
    status_line, _, fields = head.partition(b"\r\n")
    headers = BytesParser().parsebytes(fields + b"\r\n\r\n")
    length = headers["Content-Length"]
    return RawResponse(int(status_line.split()[1]), headers, rest if length is None else rest[: int(length)])


def exchange(url: str, sent: bytes) -> RawResponse | None:
    """Sends bytes, ends the sending side, and reads the response; None if the server just closes the connection."""
    with connect(url) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return parse(read_all(connection))


def send_and_vanish(url: str, sent: bytes) -> None:
    """Sends bytes, and resets the connection."""
    with connect(url) as connection:
        connection.sendall(sent)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
