"""The harness measures its own latency, with a built-in player that answers at once.

While matches are played, another thread does what a seat's thread does. It waits to be woken, as if its bot were
thinking. Now and then it asks the built-in player over HTTP on loopback, with the same outbound client, signatures and
strict reading of answers that bots get, and then reads from the store. Whatever takes longer than it was due is latency
of the harness, and no bot is charged for it.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from types import TracebackType
from typing import Protocol, Self

from service.engine.decisions import Decision
from service.errors import Unavailable
from service.operations.games.projection import GameView
from service.protocol import BOT_PROTOCOL
from service.strict_json import StrictJsonError, parse_strict
from workers.outbound import Answered, OutboundClient

TICK_S = 0.02
"""The thread is to be woken this often."""
ASK_EVERY = 10
"""The built-in player is asked once in this many ticks."""
SLOW_KEPT = 4096
"""This many slow moments are remembered."""
MIN_SAMPLES = 10
"""A match during which latency was measured less often is not void as a whole."""
ASK_TIMEOUT_S = 10.0
INDEX = 0

_ANSWER = json.dumps({"index": INDEX}).encode()
_ASK = json.dumps({"protocol": BOT_PROTOCOL, "decision": None, "legal_actions": []}).encode()
_SECRET = "whsec_" + base64.b64encode(b"the harness asks itself.").decode()


class HarnessLatency(Protocol):
    """How slow the harness itself was. Moments are seconds of `time.monotonic`."""

    def slow_between(self, since: float, until: float) -> bool:
        """Whether latency exceeded the limit at any moment between the two."""

    def counts(self) -> tuple[int, int]:
        """How often latency was measured so far, and how often it exceeded the limit."""


class LatencyProbe:
    """Measures `HarnessLatency` from `__enter__` to `__exit__`. Latency above `limit_ms` is too long.

    `outbound` must be allowed to call loopback; no bot is called by it. `touch` reads something from the store, without
    which no answer could be settled. It may raise Unavailable.
    """

    def __init__(self, outbound: OutboundClient, limit_ms: int, touch: Callable[[], object]) -> None:
        self._outbound = outbound
        self._limit_s = limit_ms / 1000
        self._touch = touch
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _InstantPlayer)
        self._url = f"http://127.0.0.1:{self._server.server_port}/act"
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._slow: deque[tuple[float, float]] = deque(maxlen=SLOW_KEPT)
        self._samples = self._exceeded = 0
        self._due = monotonic()
        self._threads = (
            threading.Thread(target=self._serve, name="instant player", daemon=True),
            threading.Thread(target=self._measure, name="latency", daemon=True),
        )

    def slow_between(self, since: float, until: float) -> bool:
        """True also while the measuring thread is overdue itself."""
        with self._lock:
            pending = self._due < until and monotonic() - self._due > self._limit_s
            return pending or any(begun < until and ended > since for begun, ended in self._slow)

    def counts(self) -> tuple[int, int]:
        with self._lock:
            return self._samples, self._exceeded

    def __enter__(self) -> Self:
        self._due = monotonic() + TICK_S
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        with suppress(OSError):
            # `handle_request` waits for a connection; `shutdown` of `serve_forever` would take up to 0.5 s a block.
            socket.create_connection(("127.0.0.1", self._server.server_port), timeout=1.0).close()
        for thread in self._threads:
            thread.join()
        self._server.server_close()

    def _serve(self) -> None:
        while not self._done.is_set():
            self._server.handle_request()

    def _measure(self) -> None:
        number = 0
        while not self._done.wait(max(0.0, self._due - monotonic())):
            answered = number % ASK_EVERY != 0 or self._ask()
            number += 1
            self._note(answered)

    def _ask(self) -> bool:
        exchange = self._outbound.post(
            self._url, _ASK, webhook_id="instant", secrets=[_SECRET], timeout_s=ASK_TIMEOUT_S, attempts=1
        )
        if not isinstance(exchange, Answered):
            return False
        try:
            self._touch()
            return bool(parse_strict(exchange.body) == {"index": INDEX})
        except (StrictJsonError, Unavailable):
            return False

    def _note(self, answered: bool) -> None:
        now = monotonic()
        with self._lock:
            self._samples += 1
            if now - self._due > self._limit_s or not answered:
                self._exceeded += 1
                self._slow.append((self._due, now))
            self._due = now + TICK_S


class MatchLatency:
    """Observes one match, and judges whether the harness was too slow for it.

    It was if it cost a bot time: an answer took longer than `move_ms`, or was late, and latency exceeded the limit
    meanwhile. It also was if latency exceeded the limit in most measurements, no matter which bot was asked then; a bot
    that is about to lose cannot bring that about in what is left of a match.
    """

    def __init__(self, latency: HarnessLatency) -> None:
        self._latency = latency
        self._before = latency.counts()
        self.cost_a_bot_time = False

    def settled(self, view: GameView, decisions: Sequence[Decision], since: float) -> None:
        """Notes whether one of these decisions took long while the harness was slow."""
        terms = view.meta.match
        assert terms is not None, "only matches are observed"
        for decision in decisions:
            previous = view.ledgers[decision.seat].previous
            if previous is None or previous["decision"] != decision.id:
                continue
            charged = previous["outcome"] == "late" or previous["elapsed_ms"] > terms.move_ms
            if charged and self._latency.slow_between(since, since + previous["elapsed_ms"] / 1000):
                self.cost_a_bot_time = True

    @property
    def too_slow(self) -> bool:
        """Whether the harness was too slow for the match as far as it has got."""
        samples, exceeded = (now - then for now, then in zip(self._latency.counts(), self._before, strict=True))
        return self.cost_a_bot_time or (samples >= MIN_SAMPLES and 2 * exceeded > samples)


class _InstantPlayer(BaseHTTPRequestHandler):
    """Takes the first action, whatever it is asked."""

    protocol_version = "HTTP/1.1"
    timeout = 60.0
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(_ANSWER)))
        self.end_headers()
        self.wfile.write(_ANSWER)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (http.server's name)
        """Logs nothing."""
