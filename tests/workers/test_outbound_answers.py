"""What counts as an answer, and under which name anything else is a fault (PROTOCOL "Faults")."""

from __future__ import annotations

import gzip
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workers.outbound_setup import LOOPBACK, answer, ask, failure
from tests.workers.raw_bots import GOOD_BODY, RawBot, Received, hangs, http, says
from workers.outbound import Answered, Failed, OutboundClient
from workers.outbound.lookup import Endpoint
from workers.outbound.transport import BODY_LIMIT

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
BOMB = gzip.compress(b"\0" * 20_000_000)

GOOD_ANSWERS = {
    "a Content-Length": http(),
    "chunks": CHUNKED + b'6\r\n{"inde\r\n5\r\nx":0}\r\n0\r\n\r\n',
    "the end of the connection": b"HTTP/1.0 200 OK\r\n\r\n" + GOOD_BODY,
    "100 Continue before it": b"HTTP/1.1 100 Continue\r\n\r\n" + http(),
    "102 Processing before it": b"HTTP/1.1 102 Processing\r\n\r\n" + http(),
    "103 Early Hints before it": b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n" + http(),
    "many interim responses before it": b"HTTP/1.1 199 Still here\r\nX: y\r\n\r\n" * 500 + http(),
    "an unknown content type": http(headers="Content-Type: what/ever; charset=utf-7\r\n"),
    "identity as its encoding": http(headers="Content-Encoding: identity\r\n"),
    "odd headers": http(headers="no header\r\nContent-Type: multipart/mixed\r\nX: \x1b[31m\r\n"),
}


@pytest.mark.parametrize("data", GOOD_ANSWERS.values(), ids=GOOD_ANSWERS.keys())
def test_a_whole_plain_body_with_status_200_is_an_answer(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with RawBot(says(data, then_closes=True)) as bot:
        answered = answer(ask(OutboundClient(LOOPBACK), bot.url))
    assert answered.body == GOOD_BODY
    assert caplog.records == [], "what a bot sends must not fill the log"


def test_the_longest_body_is_64_kib() -> None:
    with RawBot(says(http(b" " * BODY_LIMIT))) as bot:
        assert len(answer(ask(OutboundClient(LOOPBACK), bot.url)).body) == 64 * 1024


FAULTS = {
    "redirect": (http(b"", "307 There", "Location: http://127.0.0.1:9/\r\n"), "bad_status", 307, "redirects"),
    "no content": (b"HTTP/1.1 204 No\r\n\r\n", "bad_status", 204, "204 instead of 200"),
    "not found": (http(b"what?", "404 Lost"), "bad_status", 404, "404"),
    "crash": (http(b"Traceback", "500 Oh"), "bad_status", 500, "500"),
    "crash, cut short": (http(b"Trace", "500 Oh", length=9), "bad_status", 500, "500"),
    "crash, huge": (http(b"x" * 200_000, "500 Oh"), "bad_status", 500, "500"),
    "another protocol": (b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\n\r\n" + http(), "bad_status", 101, "101"),
    "crash after early hints": (
        b"HTTP/1.1 103 Hints\r\n\r\n" + http(b"", "500 Oh", length=9),
        "bad_status",
        500,
        "500",
    ),
    "cut short after early hints": (b"HTTP/1.1 103 Hints\r\n\r\n" + http(length=100), "bad_body", 200, "cut short"),
    "early hints without an end": (b"HTTP/1.1 103 Hints\r\n\r\n" * 100_000, "unreachable", None, ""),
    "one byte too long": (http(b" " * (BODY_LIMIT + 1)), "bad_body", 200, "longer than 65536 bytes"),
    "huge": (http(b" " * 5_000_000), "bad_body", 200, "longer"),
    "huge, without a length": (b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 5_000_000, "bad_body", 200, "longer"),
    "huge headers": (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000_000, "bad_body", 200, ""),
    "one huge header": (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 5_000_000, "bad_body", 200, ""),
    "huge trailers": (CHUNKED + b"1\r\n{\r\n0\r\n" + b"X: y\r\n" * 1_000_000, "bad_body", 200, "too long"),
    "tiny chunks": (CHUNKED + b"1\r\na\r\n" * 60_000 + b"0\r\n\r\n", "bad_body", 200, "too long"),
    "gzip bomb": (http(BOMB, headers="Content-Encoding: gzip\r\n"), "bad_body", 200, "compressed (gzip)"),
    "compressed": (http(b"xx", headers="content-encoding:  BR\r\n"), "bad_body", 200, "compressed (br)"),
    "cut short": (http(length=100), "bad_body", 200, "cut short"),
    "no body at all": (http(b"", length=100), "bad_body", 200, "cut short"),
    "chunks cut short": (CHUNKED + b'6\r\n{"in', "bad_body", 200, "cut short"),
    "chunks without an end": (CHUNKED + b"1\r\n{\r\n", "bad_body", 200, "cut short"),
    "chunk of no size": (CHUNKED + b"zebra\r\n{}\r\n0\r\n\r\n", "bad_body", 200, "cut short"),
    "chunk of negative size": (CHUNKED + b"-5\r\n{}\r\n0\r\n\r\n", "bad_body", 200, "cut short"),
    "not HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n", "unreachable", None, "status line"),
    "HTTP/2": (b"HTTP/2 200\r\n\r\n", "unreachable", None, "status line"),
    "an invalid status": (b"HTTP/1.1 2xx OK\r\n\r\n", "unreachable", None, "status line"),
    "half a status line": (b"HTTP/1.1 2", "unreachable", None, "status line"),
    "an endless line": (b"x" * 5_000_000, "unreachable", None, ""),
    "only 100 Continue": (b"HTTP/1.1 100 Continue\r\n\r\n", "unreachable", None, ""),
    "only early hints": (b"HTTP/1.1 103 Hints\r\n\r\n", "unreachable", None, ""),
    "nothing": (b"", "unreachable", None, "closed before an answer came"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_name(name: str) -> None:
    data, kind, status, words = FAULTS[name]
    with RawBot(says(data, then_closes=True)) as bot:
        failed = failure(ask(OutboundClient(LOOPBACK), bot.url))
    assert (failed.kind, failed.status) == (kind, status)
    assert words in failed.detail
    assert failed.elapsed_ms >= 1, "a failure took time"
    # Only what brought no status line is asked for again.
    assert len(bot.received) == (2 if kind == "unreachable" else 1)


def test_a_body_that_is_longer_than_allowed_is_not_read_to_its_end() -> None:
    with RawBot(hangs(http(b" " * (BODY_LIMIT + 1), length=10_000_000))) as bot:
        began = time.monotonic()
        failed = failure(ask(OutboundClient(LOOPBACK), bot.url, timeout_s=5))
    assert failed.kind == "bad_body"
    assert time.monotonic() - began < 2


def test_a_redirect_is_not_followed() -> None:
    with RawBot(says(http())) as inner:
        there = f"Location: {inner.url}/act\r\n"
        with RawBot(says(http(b"", "307 There", there))) as bot:
            assert failure(ask(OutboundClient(LOOPBACK), bot.url)).kind == "bad_status"
        assert inner.connections == 0


def test_a_port_where_nobody_listens_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    failed = failure(ask(OutboundClient(LOOPBACK), url))
    assert (failed.kind, failed.received, failed.status) == ("unreachable", "", None)
    assert "connection refused" in failed.detail
    assert failed.elapsed_ms >= 50, "asked again at once, it would have been refused again"


def test_a_bot_that_begins_to_listen_a_moment_later_is_reached_by_the_retry() -> None:
    with socket.socket() as held, ExitStack() as stack:
        held.bind(("127.0.0.1", 0))  # bound but not listening: refused
        lookups: list[RawBot] = []

        def resolve(host: str, port: int) -> Sequence[Endpoint]:
            if not lookups:
                lookups.append(stack.enter_context(RawBot(says(http()))))
                return (Endpoint(socket.AF_INET, held.getsockname()),)
            return (Endpoint(socket.AF_INET, ("127.0.0.1", lookups[0].port)),)

        answer(ask(OutboundClient(LOOPBACK, resolve=resolve), "http://bot.test"))


def test_what_is_shown_of_an_answer_is_short_and_safe_to_print() -> None:
    with RawBot(says(http(b"\x1b[31mred\x07\r\n\xff\xe2\x80\xae" + b"x" * 1000, "500 \x1b[2J"))) as bot:
        failed = failure(ask(OutboundClient(LOOPBACK), bot.url))
    assert failed.received.startswith("\ufffd[31mred\ufffd  \ufffd\ufffdxxx")
    assert len(failed.received) == 200
    assert failed.received.isprintable()
    assert failed.detail.isprintable()


def test_what_a_header_says_is_short_and_safe_to_print_too() -> None:
    with RawBot(says(http(headers="Content-Encoding: \x1b[31m" + "x" * 1000 + "\r\n"))) as bot:
        failed = failure(ask(OutboundClient(LOOPBACK), bot.url))
    assert failed.kind == "bad_body"
    assert failed.detail.isprintable()
    assert len(failed.detail) == 200


def test_an_answer_that_comes_twice_is_not_taken_for_that_of_the_next_ask() -> None:
    def twice(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        connection.sendall(http(f'{{"index":{len(bot.received)}}}'.encode()) * 2)
        return True

    with RawBot(twice) as bot:
        outbound = OutboundClient(LOOPBACK)
        bodies = [answer(ask(outbound, bot.url)).body for _ in range(5)]
    assert bodies == [f'{{"index":{number}}}'.encode() for number in range(1, 6)]


TOKENS = st.sampled_from(
    b"HTTP/1.1 |HTTP/1.0 |200|500|100| OK|\r\n|\n|\r|Content-Length: |5|-1|Transfer-Encoding: chunked|:| |\0|\xff|{}"
    b"|Content-Encoding: gzip|Connection: close|0\r\n\r\n|Content-Type: multipart/x; boundary=a|--a|Location: http://["
    b"|Set-Cookie: a=b".split(b"|")
)


def test_no_answer_whatever_raises_an_error() -> None:
    junk = b""

    def sends_junk(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        connection.sendall(junk)
        return False

    with RawBot(sends_junk) as bot:
        outbound = OutboundClient(LOOPBACK)

        @settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
        @given(st.booleans(), st.lists(TOKENS, max_size=25))
        def each(begins_well: bool, tokens: list[bytes]) -> None:
            nonlocal junk
            junk = (b"HTTP/1.1 200 OK\r\n" if begins_well else b"") + b"".join(tokens)
            assert isinstance(ask(outbound, bot.url, timeout_s=1, attempts=1), Answered | Failed)

        each()


def test_a_bot_over_ipv6_is_called() -> None:
    with RawBot(says(http()), family=socket.AF_INET6) as bot:
        assert answer(ask(OutboundClient(LOOPBACK), bot.url)).body == GOOD_BODY
        assert bot.received[0].headers["host"] == f"[::1]:{bot.port}"


Calls = Callable[[OutboundClient, str], Answered | Failed]
CALLS: dict[str, Calls] = {
    "post": ask,
    "get": lambda outbound, url: outbound.get(url + "/", timeout_s=2),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_request_asks_for_plain_json_and_carries_no_cookie(call: Calls) -> None:
    with RawBot(says(http(headers="Set-Cookie: a=b; Path=/\r\n"))) as bot:
        outbound = OutboundClient(LOOPBACK)
        for _ in range(2):
            answer(call(outbound, bot.url))
    for request in bot.received:
        assert request.headers["accept-encoding"] == "identity"
        assert request.headers["host"] == f"127.0.0.1:{bot.port}"
        assert "cookie" not in request.headers


def test_neither_a_proxy_nor_a_netrc_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("default login me password mine\n")
    with RawBot(says(http())) as proxy, RawBot(says(http())) as bot:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        monkeypatch.setenv("NETRC", str(netrc))
        answer(ask(OutboundClient(LOOPBACK), bot.url))
    assert proxy.connections == 0
    assert "authorization" not in bot.received[0].headers
