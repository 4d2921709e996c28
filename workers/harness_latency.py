"""The harness measures its own delay, with a player that answers at once.

While matches are played, a thread beside them lives the life of a seat's thread: it waits to be woken, as one does
whose bot is thinking, and now and then asks a built-in player over HTTP on loopback, by the same way out, signature and
strict reading of the answer, and then the store. What all that takes beyond the time it was due is the harness's delay,
and no bot's.
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
from workers.outbound import Answered, Outbound

TICK_S = 0.02
"""How often the thread is to be woken."""
ASK_EVERY = 10
"""The instant player is asked every so many ticks."""
SLOW_KEPT = 4096
"""Slow moments that are remembered."""
MIN_SAMPLES = 10
"""A match that was measured less often is not void as a whole."""
ASK_TIMEOUT_S = 10.0
INDEX = 0

_ANSWER = json.dumps({"index": INDEX}).encode()
_ASK = json.dumps({"protocol": BOT_PROTOCOL, "decision": None, "legal_actions": []}).encode()
_SECRET = "whsec_" + base64.b64encode(b"the harness asks itself.").decode()


class HarnessLatency(Protocol):
    """How slow the harness itself was. Moments are seconds of `time.monotonic`."""

    def slow_between(self, since: float, until: float) -> bool:
        """Whether its delay exceeded the limit at any moment between the two."""

    def counts(self) -> tuple[int, int]:
        """How often the delay was measured so far, and how often it exceeded the limit."""


class LatencyProbe:
    """Fulfils `HarnessLatency`, from `__enter__` to `__exit__`. `limit_ms`: a longer delay is too long.

    `outbound` must be allowed to call loopback, and is for this alone: no bot is called by it. `touch` reads something
    from the store, without which no answer could be settled; it may raise Unavailable.
    """

    def __init__(self, outbound: Outbound, limit_ms: int, touch: Callable[[], object]) -> None:
        self._outbound = outbound
        self._limit_s = limit_ms / 1000
        self._touch = touch
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _AtOnce)
        self._url = f"http://127.0.0.1:{self._server.server_port}/act"
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._slow: deque[tuple[float, float]] = deque(maxlen=SLOW_KEPT)
        self._samples = self._exceeded = 0
        self._due = monotonic()
        self._threads = (
            threading.Thread(target=self._serve, name="instant", daemon=True),
            threading.Thread(target=self._measure, name="delay", daemon=True),
        )

    def slow_between(self, since: float, until: float) -> bool:
        """Also when the thread that measures has not been woken since: that it is overdue says enough."""
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
            # So that it stops waiting for one; `shutdown` of `serve_forever` would take its time at each block.
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
    """Whether the harness was too slow for one match, since this was made.

    It was, if a bot lost time by it: an answer took longer than `move_ms`, or was late, and the delay exceeded the
    limit meanwhile. Or if the delay exceeded the limit more often than not, whoever was asked then: a bot that sees
    itself lose cannot bring that about in what is left of a match.
    """

    def __init__(self, delays: HarnessLatency) -> None:
        self._delays = delays
        self._before = delays.counts()
        self.hurt = False

    def asked(self, view: GameView, decisions: Sequence[Decision], since: float) -> None:
        """`decisions` were asked at the moment `since`, and are all settled in `view`."""
        terms = view.meta.match
        assert terms is not None, "only matches are watched"
        for decision in decisions:
            said = view.ledgers[decision.seat].previous
            if said is None or said["decision"] != decision.id:
                continue
            charged = said["outcome"] == "late" or said["elapsed_ms"] > terms.move_ms
            if charged and self._delays.slow_between(since, since + said["elapsed_ms"] / 1000):
                self.hurt = True

    @property
    def too_slow(self) -> bool:
        """What the whole match says, so far."""
        samples, exceeded = (now - then for now, then in zip(self._delays.counts(), self._before, strict=True))
        return self.hurt or (samples >= MIN_SAMPLES and 2 * exceeded > samples)


class _AtOnce(BaseHTTPRequestHandler):
    """The instant player: whatever it is asked, it takes the first action."""

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
        """Says nothing: nobody wants to read of it."""
