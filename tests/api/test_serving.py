"""The server as it is shipped: many who wait, large bodies, stopping."""

from __future__ import annotations

import http.client
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import requests

from service.processes.redis_server import RedisServer
from tests.api.conftest import ORGANISER
from tests.api.serving import Served, serve

WAITERS = 300


def new_game(server: Served) -> tuple[str, list[str], int]:
    """A game of two: its address, tokens, version."""
    who = {"Authorization": f"Bearer {ORGANISER}"}
    made = requests.post(f"{server.url}/v1/games", json={"players": 2}, headers=who, timeout=10).json()
    tokens = [given["token"] for given in made["tokens"]]
    return f"{server.url}/v1/games/{made['game']}", tokens, made["observation"]["version"]


def ask(address: str) -> socket.socket:
    """Sends a GET and leaves the connection open."""
    parts = urlsplit(address)
    connection = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20)
    line = f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
    connection.sendall(line.encode())
    return connection


def test_hundreds_wait_and_all_hear_while_others_are_served(server: Served) -> None:
    game, tokens, version = new_game(server)
    waiting = [ask(f"{game}?wait=30&version={version}") for _ in range(WAITERS)]
    assert requests.get(f"{server.url}/healthz", timeout=10).ok
    acted = requests.post(
        f"{game}/actions",
        json={"decision": "1.play.0.0", "index": 0},
        headers={"Authorization": f"Bearer {tokens[0]}"},
        timeout=10,
    )
    assert acted.ok
    began = time.monotonic()
    heard = 0
    for connection in waiting:
        with connection:
            heard += connection.recv(64).startswith(b"HTTP/1.1 200")
    assert heard == WAITERS
    assert time.monotonic() - began < 10


def post(server: Served, body: bytes, chunked: bool = False) -> tuple[int, str | None]:
    """Posts a body; status and content type of the answer."""
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    pieces = (body[start : start + 65536] for start in range(0, len(body), 65536)) if chunked else body
    connection.request("POST", "/v1/games", pieces, {"Content-Type": "application/json"}, encode_chunked=chunked)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, response.headers["Content-Type"]


def test_a_body_of_megabytes_is_answered_413_and_not_reset(server: Served) -> None:
    for size in (300_000, 4_000_000, 8_000_000):
        for chunked in (False, True):
            assert post(server, b" " * size, chunked) == (413, "application/problem+json")


def test_a_body_sent_where_it_is_not_wanted_is_dropped(server: Served) -> None:
    with requests.Session() as session:
        for _ in range(3):
            response = session.post(f"{server.url}/v1/nothing", data=b"x" * 2_000_000, timeout=20)
            assert response.status_code == 404
        assert session.get(f"{server.url}/healthz", timeout=10).ok


def test_metrics_count_over_all_processes(server: Served) -> None:
    for _ in range(20):
        requests.get(f"{server.url}/v1/games/counted", timeout=10)
    text = requests.get(f"{server.url}/metrics", timeout=10).text
    line = next(row for row in text.splitlines() if 'operation="games.read_game",status="404"' in row)
    assert float(line.rsplit(" ", 1)[1]) >= 20


def test_it_stops_in_seconds_with_long_polls_and_streams_open(redis_server: RedisServer) -> None:
    with serve(redis_server.url, ORGANISER) as server, ThreadPoolExecutor(1) as pool:
        game, _, version = new_game(server)
        waiting = [ask(f"{game}?wait=30&version={version}") for _ in range(20)]
        stream = pool.submit(
            requests.get, f"{game}/events", headers={"Accept": "text/event-stream"}, stream=True, timeout=30
        )
        assert stream.result(10).status_code == 200
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 8
        for connection in waiting:
            connection.close()
