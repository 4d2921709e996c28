"""What the tests of the command share."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from service.cli.main import run


@dataclass
class Ran:
    """A command line that has run."""

    code: int
    out: str
    err: str


Montego = Callable[..., Ran]


@pytest.fixture
def montego(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Montego:
    """Runs a command line in this process, with none of the caller's settings."""
    for variable in (
        "MONTEGO_URL",
        "MONTEGO_KEY",
        "MONTEGO_ORGANISER_KEY",
        "MONTEGO_DEBUG",
        "MONTEGO_BOT_SECRET",
        "MONTEGO_BOT_TOKEN",
    ):
        monkeypatch.delenv(variable, raising=False)

    def call(*arguments: object) -> Ran:
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call


@dataclass
class Scripted:
    """A server of somebody else's: it answers what it is told to, and remembers what it was asked."""

    url: str
    #: Answers by "METHOD /path": each a list of (status, headers, body) used up one after another, the last for good.
    answers: dict[str, list[tuple[int, dict[str, str], bytes]]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    def on(self, call: str, status: int, body: object, **headers: str) -> None:
        """Adds an answer: bytes as they are, anything else as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        self.answers.setdefault(call, []).append((status, named, content))


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    """A scripted HTTP server on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            sent = self.rfile.read(length)
            call = f"{self.command} {self.path.partition('?')[0]}"
            script.asked.append((f"{self.command} {self.path}", dict(self.headers), json.loads(sent or b"null")))
            answers = script.answers.get(call) or [(404, {}, b"nothing")]
            status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815  (http.server's names)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script = Scripted(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield script
        server.shutdown()
        thread.join()
