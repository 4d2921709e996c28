"""Length, header and encoding oddities, sent byte by byte to the server as it is shipped."""

from __future__ import annotations

import gzip
import json
import re
import socket
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import pytest
import requests

from tests.api.conftest import ORGANISER
from tests.api.raw_http import RawResponse, connect, exchange, parse, read_all, request_bytes
from tests.api.serving import Served, serve
from tests.fixtures_redis import started_redis

BODY = b'{"players":2}'
CREATE = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
ORIGIN = "https://play.example"


def send(server: Served, sent: bytes) -> RawResponse:
    response = exchange(server.url, sent)
    assert response is not None
    return response


UNREADABLE = {
    b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n": "its first line is longer than 4094 bytes",
    b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 100_000 + b"\r\n\r\n": "a header is longer than 8190 bytes",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: 1\r\n" * 100 + b"\r\n": "it has more than 100 headers",
    b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n": "Host is given more than once",
    b"GET / HTTP/1.1\r\nAccept: */*\r\n\r\n": "Host is missing",
    b"GET / HTTP/1.1\r\nBad Header: x\r\n\r\n": "a header is malformed",
    b"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: a\x00b\r\n\r\n": "a header is malformed",
    b"GET / HTTP/1.1\r\nHost: x\r\nX: 1\r\n continued\r\n\r\n": "a header is continued on a second line",
    b"GET / HTTP/1.1\r\nHost: x\r\nExpect: money\r\n\r\n": "Expect can only be 100-continue",
    b"GET / HTTP/3.0\r\nHost: x\r\n\r\n": "it is not HTTP/1.0 or HTTP/1.1",
    b"nonsense\r\n\r\n": "its first line is not a method, a target and a version",
    CREATE + b"Content-Length: ten\r\n\r\n": "Content-Length is not a number",
    CREATE + b"Content-Length: -1\r\n\r\n": "Content-Length is not a number",
    CREATE + b"Content-Length: 13\r\nContent-Length: 13\r\n\r\n" + BODY: "Content-Length is given more than once",
    CREATE + b"Content-Length: 13\r\nContent-Length: 12\r\n\r\n" + BODY: "Content-Length is given more than once",
    CREATE + b"Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": (
        "Content-Length and Transfer-Encoding are both given"
    ),
    CREATE + b"Transfer-Encoding: gzip\r\n\r\n": "Transfer-Encoding can only be chunked, in HTTP/1.1",
    CREATE + b"Transfer-Encoding: nonsense\r\n\r\n": "Transfer-Encoding can only be chunked, in HTTP/1.1",
}


@pytest.mark.parametrize("sent", UNREADABLE, ids=UNREADABLE.values())
def test_a_request_that_cannot_be_read_gets_the_reason(server: Served, sent: bytes) -> None:
    response = send(server, sent)
    assert (response.status, response.json["code"]) == (400, "bad_request")
    assert response.json["detail"] == f"The request cannot be read: {UNREADABLE[sent]}."


def test_answers_made_before_the_application_have_its_headers(server: Served) -> None:
    response = send(server, b"nonsense\r\n\r\n")
    assert response.headers.get_content_type() == "application/problem+json"
    assert re.fullmatch(r"[0-9a-f]{32}", response.headers["X-Request-ID"])
    assert abs(time.time() - parsedate_to_datetime(response.headers["Date"]).timestamp()) < 60
    assert response.headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.fixture(scope="module")
def open_server() -> Iterator[Served]:
    """A service that pages of one origin may call."""
    with started_redis() as redis_server, serve(redis_server.url, ORGANISER, MONTEGO_CORS_ORIGINS=ORIGIN) as served:
        yield served


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"x" * 5_000 + b" HTTP/1.1\r\nHost: x\r\nOrigin: https://play.example\r\n\r\n", 400),
        (request_bytes("POST", "/v1/games", BODY, {"Origin": ORIGIN}, length=20), 400),
        (request_bytes("POST", "/v1/games", b"", {"Origin": ORIGIN, "Expect": "100-continue"}, length=10**9), 413),
        (request_bytes("GET", "/v1/nothing", b"", {"Origin": ORIGIN}), 404),
        (request_bytes("GET", "/v1/keys", b"", {"Origin": ORIGIN, "Authorization": "Bearer x"}), 401),
    ],
    ids=["unreadable", "cut", "too large", "not found", "unauthorized"],
)
def test_every_error_can_be_read_by_the_pages_that_may_call(open_server: Served, sent: bytes, status: int) -> None:
    response = send(open_server, sent)
    assert response.status == status
    assert response.headers["Access-Control-Allow-Origin"] in (ORIGIN, "*")
    assert "X-Request-ID" in response.headers["Access-Control-Expose-Headers"]
    assert response.headers["X-Request-ID"]
    assert response.headers["Date"]


def test_a_body_that_is_announced_too_large_is_refused_before_it_is_sent(server: Served) -> None:
    with connect(server.url) as connection:
        connection.sendall(request_bytes("POST", "/v1/games", b"", {"Expect": "100-continue"}, length=10**9))
        response = parse(read_all(connection))
    assert response is not None
    assert (response.status, response.json["code"]) == (413, "too_large")
    assert response.headers["Connection"] == "close"


def test_a_client_that_asks_whether_to_send_its_body_is_told_to(server: Served) -> None:
    with connect(server.url) as connection:
        connection.sendall(request_bytes("POST", "/v1/games", b"", {"Expect": "100-continue"}, length=len(BODY)))
        assert connection.recv(64) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(BODY)
        connection.shutdown(socket.SHUT_WR)
        response = parse(read_all(connection))
    assert response is not None
    assert response.status == 201


def test_a_byte_order_mark_before_json_is_ignored(server: Served) -> None:
    assert send(server, request_bytes("POST", "/v1/games", b"\xef\xbb\xbf" + BODY)).status == 201


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("gzip", True),
        ("gzip;q=0.2, br;q=0.9", True),
        ("*", True),
        ("identity;q=0.5, gzip", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
        ("gzip;q=0.5, identity", False),
        ("gzip;q=nonsense", False),
    ],
)
def test_gzip_is_used_where_the_client_prefers_it(server: Served, accepted: str, compressed: bool) -> None:
    plain = send(server, request_bytes("GET", "/openapi.json"))
    response = send(server, request_bytes("GET", "/openapi.json", b"", {"Accept-Encoding": accepted}))
    assert (response.headers["Content-Encoding"] == "gzip") is compressed
    assert "Accept-Encoding" in response.headers["Vary"]
    assert (gzip.decompress(response.body) if compressed else response.body) == plain.body


def new_game(server: Served) -> tuple[str, str]:
    """A game of two: its path, and its creator's token."""
    made = send(server, request_bytes("POST", "/v1/games", BODY, {"Authorization": f"Bearer {ORGANISER}"})).json
    return f"/v1/games/{made['game']}", made["creator_token"]


@pytest.mark.parametrize("last", ["", "0"])
def test_an_empty_last_event_id_is_none(server: Served, last: str) -> None:
    path, _ = new_game(server)
    events = send(server, request_bytes("GET", f"{path}/events?after=0", b"", {"Last-Event-ID": last})).json["events"]
    assert events[0]["n"] == 1


def test_after_counts_where_the_last_event_id_is_empty(server: Served) -> None:
    path, _ = new_game(server)
    events = send(server, request_bytes("GET", f"{path}/events?after=2", b"", {"Last-Event-ID": ""})).json["events"]
    assert events[0]["n"] == 3


@pytest.mark.parametrize(
    "form", ['W/"{}"', '"{}"', 'W/"{}-gzip"', '"{}-gzip"', '"{};br"', 'W/"{}:gzip"', 'W/"{}--gzip"']
)
def test_an_entity_tag_that_a_proxy_changed_is_recognised(server: Served, form: str) -> None:
    path, _ = new_game(server)
    tag = send(server, request_bytes("GET", path)).headers["ETag"].removeprefix('W/"').removesuffix('"')
    assert send(server, request_bytes("GET", path, b"", {"If-None-Match": form.format(tag)})).status == 304
    assert send(server, request_bytes("GET", path, b"", {"If-None-Match": form.format("9999")})).status == 200


@pytest.mark.parametrize("tags", ['""', 'W/""', '"", "x"', "W/", '"'])
def test_an_empty_or_broken_entity_tag_is_none_of_ours(server: Served, tags: str) -> None:
    path, _ = new_game(server)
    assert send(server, request_bytes("GET", path, b"", {"If-None-Match": tags})).status == 200


@pytest.mark.parametrize("wait", ["9.585692891394553", "0.30000000000000004", "1e-05", "2.5", "0"])
def test_seconds_are_any_number_that_a_language_writes(server: Served, wait: str) -> None:
    path, _ = new_game(server)
    assert send(server, request_bytes("GET", f"{path}?wait={wait}")).status == 200


@pytest.mark.parametrize("wait", ["", "-1", "30.1", "nan", "inf", "1e3", "0x1", "1,5", "+1", " 1"])
def test_what_is_no_number_of_seconds_is_refused(server: Served, wait: str) -> None:
    path, _ = new_game(server)
    response = send(server, request_bytes("GET", f"{path}?wait={wait.replace('+', '%2B').replace(' ', '%20')}"))
    assert (response.status, list(response.json["errors"])) == (422, ["wait"])


def test_waiting_for_a_game_that_is_over_is_answered_at_once(server: Served) -> None:
    path, creator = new_game(server)
    who = {"Authorization": f"Bearer {creator}"}
    requests.delete(f"{server.url}{path}", headers=who, timeout=10).raise_for_status()
    version = send(server, request_bytes("GET", path)).json["version"]
    last = len(send(server, request_bytes("GET", f"{path}/events")).json["events"])
    started = time.monotonic()
    assert send(server, request_bytes("GET", f"{path}?wait=30&version={version}")).status == 304
    assert send(server, request_bytes("GET", f"{path}/events?wait=30&after={last}")).json["events"] == []
    assert time.monotonic() - started < 15
    assert json.loads(send(server, request_bytes("GET", path)).body)["status"] == "aborted"


def test_the_reference_leads_on_without_repeating_the_host_of_the_client(server: Served) -> None:
    response = send(server, b"GET /docs HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n")
    assert (response.status, response.headers["Location"]) == (308, "/docs/")
