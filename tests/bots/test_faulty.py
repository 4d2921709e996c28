"""The faulty bots do on the wire what they are named after, and can be ended at any moment."""

from __future__ import annotations

import gzip
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from bots.faulty import FAULTY_BOTS, start
from service.protocol import FAULTS
from tests.bots.positions import cards

TIMEOUT = 10
SPOILS_NOTHING = sorted(name for name, bot in FAULTY_BOTS.items() if bot.fault is None and bot.comes_up)


def address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def request(**changes: Any) -> bytes:
    body = json.dumps(cards(**changes)).encode()
    return f"POST /act HTTP/1.1\r\nHost: bot\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def received(url: str, seconds: float, enough: Callable[[bytes], bool] = lambda got: False) -> bytes:
    """All that comes back on one connection, until it is enough, the bot closes it or the time is over."""
    until = time.monotonic() + seconds
    with closing(socket.create_connection(address(url), timeout=TIMEOUT)) as connection:
        connection.sendall(request())
        got = b""
        while not enough(got) and (left := until - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                piece = connection.recv(1 << 16)
            except TimeoutError:
                break
            if not piece:
                break
            got += piece
    return got


def post(url: str, **changes: Any) -> requests.Response:
    return requests.post(url + "/act", json=cards(**changes), timeout=TIMEOUT, allow_redirects=False)


@pytest.mark.parametrize("name", FAULTY_BOTS)
def test_every_bad_bot_can_be_registered_started_and_ended(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,39}", name)
    assert FAULTY_BOTS[name].fault in {*FAULTS, None}
    with start(name) as bad:
        assert bad.asks == 0
        port = address(bad.url)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(port, timeout=TIMEOUT).close()


@pytest.mark.parametrize(
    "name", sorted(name for name in FAULTY_BOTS if FAULTY_BOTS[name].comes_up and name != "slow-start")
)
def test_one_that_comes_up_answers_to_its_warm_up(name: str) -> None:
    with start(name) as bad:
        assert requests.get(bad.url + "/", timeout=TIMEOUT).json()["protocol"] == "montego-bay/1"
        assert requests.post(bad.url + "/start", json={}, timeout=TIMEOUT).status_code == 200
        assert requests.post(bad.url + "/end", json={}, timeout=TIMEOUT).status_code == 200


@pytest.mark.parametrize("name", [name for name in SPOILS_NOTHING if name != "slow-start"])
def test_one_that_spoils_nothing_answers_legally_again_and_again(name: str) -> None:
    with start(name) as bad:
        for _ in range(3):
            answer = post(bad.url)
            assert answer.status_code == 200
            assert answer.json()["action"] in cards()["legal_actions"]
        assert bad.asks == 3


def test_refusing_refuses_connections_from_the_start() -> None:
    with start("refusing") as bad, pytest.raises(ConnectionRefusedError):
        socket.create_connection(address(bad.url), timeout=TIMEOUT)


def test_slow_start_is_unready_at_first_and_ready_in_the_end() -> None:
    with start("slow-start") as bad:
        assert requests.get(bad.url + "/", timeout=TIMEOUT).status_code == 503
        until = time.monotonic() + TIMEOUT
        while requests.get(bad.url + "/", timeout=TIMEOUT).status_code != 200:
            assert time.monotonic() < until
        assert post(bad.url).status_code == 200


def test_other_protocol_and_never_starting_do_not_come_up() -> None:
    with start("other-protocol") as bad:
        assert requests.get(bad.url + "/", timeout=TIMEOUT).json()["protocol"] == "montego-bay/0"
    with start("never-starting") as bad:
        assert requests.post(bad.url + "/start", json={}, timeout=TIMEOUT).status_code == 500


def test_late_answers_after_its_budget() -> None:
    with start("late") as bad:
        began = time.monotonic()
        assert post(bad.url, budget_ms=50).status_code == 200
        assert time.monotonic() - began > 0.05


def test_hanging_says_nothing_and_lets_go_when_it_is_ended() -> None:
    with start("hanging") as bad:
        assert received(bad.url, 0.3) == b""
        connection = socket.create_connection(address(bad.url), timeout=TIMEOUT)
        connection.sendall(request())
        until = time.monotonic() + TIMEOUT
        while bad.asks < 2:
            assert time.monotonic() < until
    with closing(connection):
        assert connection.recv(1) == b""


@pytest.mark.parametrize("name", ["dripping", "dripping-head"])
def test_a_dripping_bot_never_comes_to_an_end(name: str) -> None:
    with start(name) as bad:
        began = time.monotonic()
        got = received(bad.url, TIMEOUT, lambda got: len(got) >= 70)
    assert got.startswith(b"HTTP/1.1 200")
    assert (b"\r\n\r\n" in got) is (name == "dripping")
    drops = len(got.rpartition(b"0" if name == "dripping" else b" ")[2])
    assert drops > 10
    assert time.monotonic() - began > 0.04 * drops, "one after another"


def test_hanging_up_ends_the_connection_before_a_status_line() -> None:
    with start("hanging-up") as bad:
        assert received(bad.url, TIMEOUT) == b""
        assert bad.asks == 1


def test_crashing_answers_three_times_and_is_gone() -> None:
    with start("crashing") as bad:
        for _ in range(3):
            assert post(bad.url).status_code == 200
        with pytest.raises(requests.ConnectionError):
            post(bad.url)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address(bad.url), timeout=TIMEOUT)


def test_closing_ends_the_connection_without_saying_so() -> None:
    with start("closing") as bad:
        got = received(bad.url, TIMEOUT)
    assert b'"action"' in got
    assert b"onnection:" not in got


def test_answering_twice_leaves_a_second_answer_in_the_connection() -> None:
    with start("answering-twice") as bad:
        assert received(bad.url, TIMEOUT, lambda got: got.count(b"HTTP/1.1 200") == 2).count(b"HTTP/1.1 200") == 2


def test_changing_version_changes_it() -> None:
    with start("changing-version") as bad:
        told = [requests.get(bad.url, timeout=TIMEOUT).json()["version"] for _ in range(3)]
    assert len(set(told)) == 3


def test_illegal_is_now_and_then_and_repeated_illegal_always() -> None:
    legal = range(len(cards()["legal_actions"]))
    with start("illegal") as bad:
        answers = [post(bad.url).json() for _ in range(6)]
    assert ["index" in answer for answer in answers] == [True, False, False] * 2
    assert answers[0]["index"] not in legal
    with start("repeated-illegal") as bad:
        assert all(post(bad.url).json()["index"] not in legal for _ in range(4))


@pytest.mark.parametrize(("name", "status"), [("redirecting", 307), ("server-error", 500), ("created", 201)])
def test_a_bad_status_is_that(name: str, status: int) -> None:
    with start(name) as bad:
        assert post(bad.url).status_code == status


def test_the_bomb_is_small_until_it_is_unpacked() -> None:
    with start("gzip-bomb") as bad:
        answer = requests.post(bad.url + "/act", json=cards(), timeout=TIMEOUT, stream=True)
        body = answer.raw.read(decode_content=False)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(body) < 65_536
    assert len(gzip.decompress(body)) > 30_000_000


def too_large(body: bytes) -> bool:
    return len(body) > 65_536


def no_strict_answer(body: bytes) -> bool:
    def refuse(_: object) -> object:
        raise ValueError("not strict")

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return dict(pairs) if len(dict(pairs)) == len(pairs) else {"duplicate": refuse(pairs)}

    try:
        value = json.loads(body, parse_constant=refuse, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return True
    if not isinstance(value, dict) or len({"index", "action"} & set(value)) != 1:
        return True
    return type(value.get("index", 0)) is not int or not isinstance(value.get("action", {}), dict)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("huge", too_large),
        ("junk", no_strict_answer),
        ("not-utf8", no_strict_answer),
        ("wrong-type", no_strict_answer),
        ("nan", no_strict_answer),
        ("deep-nesting", no_strict_answer),
        ("huge-number", no_strict_answer),
        ("duplicate-members", no_strict_answer),
        ("both", no_strict_answer),
        ("neither", no_strict_answer),
        ("empty", no_strict_answer),
    ],
)
def test_a_bad_body_comes_whole_with_status_200_and_is_no_answer(name: str, wrong: Callable[[bytes], bool]) -> None:
    with start(name) as bad:
        for _ in range(6):
            answer = post(bad.url)
            assert answer.status_code == 200
            assert wrong(answer.content)


def test_truncated_promises_more_than_it_sends() -> None:
    with start("truncated") as bad:
        head, _, body = received(bad.url, TIMEOUT).partition(b"\r\n\r\n")
    assert b"Content-Length: 400" in head
    assert len(body) < 400


def test_endless_sends_far_more_than_anybody_reads() -> None:
    with start("endless") as bad, requests.post(bad.url + "/act", json=cards(), timeout=TIMEOUT, stream=True) as answer:
        assert sum(len(piece) for piece, _ in zip(answer.iter_content(65_535), range(8), strict=False)) > 400_000


def test_faulty_bots_can_be_started_by_hand() -> None:
    command = [sys.executable, "-m", "bots.faulty"]
    with subprocess.Popen([*command, "late"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            assert requests.get(url, timeout=TIMEOUT).json()["name"] == "late"
        finally:
            process.kill()
    listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout
    assert all(name in listed for name in FAULTY_BOTS)
