"""One deadline for all of a call. *late* goes first: it passed before the last byte, once the connection stood."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.workers.outbound_setup import LOOPBACK, ask, failure
from tests.workers.raw_bots import RawBot, Received, drips, hangs, http
from workers.outbound import OutboundClient

LIMIT_S = 1.0
"""Long enough for the connection to stand where the machine stalls: only then can an answer be late."""
MARGIN_S = 10.0
"""Room for a busy machine; the bots here would take longer."""

LATE_BOTS = {
    "a header that drips": drips(b"X-Pad: " + b"a" * 2000, after=b"HTTP/1.1 200 OK\r\n"),
    "a status line that drips": drips(b"HTTP/1.1 200 " + b"O" * 2000),
    "a body that drips": drips(b"a" * 2000, after=http(b"", length=2000)),
    "chunks that drip": drips(b"1\r\na\r\n" * 500, after=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    "trailers that drip": drips(
        b"X: y\r\n" * 500, after=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n"
    ),
    "nothing at all": hangs(),
    "half a body": hangs(http(b'{"ind', length=11)),
    "a body without a length that never ends": hangs(b"HTTP/1.1 200 OK\r\n\r\n{"),
    "100 Continue again and again": drips(b"HTTP/1.1 100 Continue\r\n\r\n" * 100, pause_s=0.01),
    "a failure that does not end": hangs(http(b"oh", status="500 Oh", length=100)),
    "a redirect that does not end": hangs(http(b"", status="307 There", headers="Location: /x\r\n", length=100)),
    "a compressed body that does not end": hangs(http(b"\x1f\x8b", headers="Content-Encoding: gzip\r\n", length=100)),
}


@pytest.mark.parametrize("bot", LATE_BOTS.values(), ids=LATE_BOTS.keys())
def test_what_is_not_whole_by_the_deadline_is_late(bot: Callable[[RawBot, socket.socket, Received], bool]) -> None:
    with RawBot(bot) as server:
        began = time.monotonic()
        failed = failure(ask(OutboundClient(LOOPBACK), server.url, timeout_s=LIMIT_S))
        took = time.monotonic() - began
    assert failed.kind == "late"
    assert "within 1000 ms" in failed.detail
    assert LIMIT_S <= took < LIMIT_S + MARGIN_S
    assert failed.elapsed_ms >= 1000
    assert len(server.received) == 1, "a late answer is not asked for again"


def test_what_came_of_a_late_answer_is_shown() -> None:
    with RawBot(hangs(http(b'{"ind', length=11))) as server:
        failed = failure(ask(OutboundClient(LOOPBACK), server.url, timeout_s=LIMIT_S))
    assert (failed.received, failed.status) == ('{"ind', 200)


def test_a_bot_that_does_not_read_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:  # the system accepts, and nobody reads
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        began = time.monotonic()
        failed = failure(ask(OutboundClient(LOOPBACK), url, timeout_s=LIMIT_S, body=b" " * 20_000_000))
    assert failed.kind == "late"
    assert time.monotonic() - began < LIMIT_S + MARGIN_S


def test_a_retry_gets_only_what_is_left_of_the_deadline() -> None:
    def closes_late_and_then_hangs(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        bot.ended.wait(2.0 if len(bot.received) == 1 else None)
        return False

    with RawBot(closes_late_and_then_hangs) as server:
        began = time.monotonic()
        failed = failure(ask(OutboundClient(LOOPBACK), server.url, timeout_s=3.0))
        took = time.monotonic() - began
    assert failed.kind == "late"
    assert took < 4.5, "and not another three seconds"
    assert len(server.received) == 2


@contextmanager
def silent_port() -> Iterator[str]:
    """The URL of a full backlog: the system leaves further callers without a word."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            caller = stack.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_connection_that_does_not_stand_in_time_is_unreachable_and_not_late() -> None:
    with silent_port() as url:
        began = time.monotonic()
        failed = failure(ask(OutboundClient(LOOPBACK), url, timeout_s=LIMIT_S))
        took = time.monotonic() - began
    assert failed.kind == "unreachable"
    assert failed.status is None
    assert took < LIMIT_S + MARGIN_S


def test_with_no_time_at_all_nothing_is_reached() -> None:
    with RawBot(hangs()) as server:
        failed = failure(ask(OutboundClient(LOOPBACK), server.url, timeout_s=0))
        assert server.connections == 0
    assert failed.kind == "unreachable", "late is only what stood"


def test_the_time_to_connect_is_limited_by_itself() -> None:
    with silent_port() as url:
        began = time.monotonic()
        failed = failure(ask(OutboundClient(LOOPBACK, connect_s=0.1), url, timeout_s=30, attempts=1))
        took = time.monotonic() - began
    assert failed.kind == "unreachable"
    assert took < 0.1 + MARGIN_S
