"""Each answer counts for its own ask, whatever a bot's server puts around it on the connection."""

from __future__ import annotations

import itertools
import json
import random
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from service.operations.context import Context
from service.operations.games.records import record
from service.operations.tournaments.matches import results
from tests.workers.outbound_setup import LOOPBACK, answer, ask, failure
from tests.workers.raw_bots import RawBot, Received, http, says
from tests.workers.tournament_setup import INFORMATION, NeverSlow, cup, faults_of, honest, served, worker_on
from workers.blocks import run_block
from workers.outbound import OutboundClient

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
TIRED = http(b"", "408 Request Timeout", "Connection: close\r\n")
Send = Callable[[socket.socket, bytes], bool]


def reset(connection: socket.socket) -> bool:
    """Ends the connection without the usual farewell."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def in_one_packet(*before: bytes, after: bytes = b"", keeps: bool = True) -> Send:
    def send(connection: socket.socket, answered: bytes) -> bool:
        connection.sendall(b"".join(before) + answered + after)
        return keeps

    return send


def one_by_one(*before: bytes) -> Send:
    def send(connection: socket.socket, answered: bytes) -> bool:
        for part in (*before, answered):
            connection.sendall(part)
            time.sleep(0.01)
        return True

    return send


def byte_by_byte(connection: socket.socket, answered: bytes) -> bool:
    for byte in HINTS + answered:
        connection.sendall(bytes((byte,)))
    return True


def then_resets(connection: socket.socket, answered: bytes) -> bool:
    connection.sendall(answered)
    return reset(connection)


WAYS: dict[str, Send] = {
    "plainly": in_one_packet(),
    "after 100": in_one_packet(CONTINUE),
    "after 102 and 103": in_one_packet(PROCESSING, HINTS),
    "a moment after 103": one_by_one(HINTS),
    "a moment after 102, 102 and 103": one_by_one(PROCESSING, PROCESSING, HINTS),
    "byte by byte, after 103": byte_by_byte,
    "with another answer behind it": in_one_packet(after=http(b'{"index":0}')),
    "with another answer's beginning behind it": in_one_packet(HINTS, after=b"HTTP/1.1 200 OK\r\nContent-Length: 2"),
    "with line ends behind it": in_one_packet(after=b"\r\n\r\n"),
    "with a 103 behind it": in_one_packet(after=HINTS),
    "and is tired of waiting at once": in_one_packet(after=TIRED, keeps=False),
    "and hangs up": in_one_packet(keeps=False),
    "and resets the connection": then_resets,
}


class Odd:
    """A push bot that sends each answer in another way. `meant`: the action it chose last, by game and decision."""

    def __init__(self) -> None:
        self.meant: dict[tuple[str, str], Any] = {}
        self.used: set[str] = set()
        self._ways = itertools.cycle(WAYS)
        self._random = random.Random(3)

    def __call__(self, bot: RawBot, connection: socket.socket, request: Received) -> bool:
        if "/act" not in request.line:
            connection.sendall(http(json.dumps(INFORMATION).encode()))
            return True
        asked, way = json.loads(request.body), next(self._ways)
        index = self._random.randrange(len(asked["legal_actions"]))
        self.meant[asked["game"], asked["decision"]["id"]] = asked["legal_actions"][index]
        self.used.add(way)
        return WAYS[way](connection, http(json.dumps({"index": index}).encode()))


def test_records_have_what_the_bot_meant_however_it_sends_it(ctx: Context) -> None:
    odd = Odd()
    with RawBot(odd) as bot, served(ctx, {"odd": bot.url, **honest("ann")}), worker_on(ctx) as worker:
        tournament = cup(ctx, "odd", "ann", warmup_ms=10_000)
        run_block(worker, tournament, 0, NeverSlow())
    assert odd.used == set(WAYS)
    assert faults_of(ctx, "odd") == []
    recorded = {
        (result.game, entry["decision"]): entry["action"]
        for result in results(ctx, tournament).values()
        for entry in record(ctx, result.game)["actions"]
    }
    assert {asked: recorded[asked] for asked in odd.meant} == odd.meant


@pytest.mark.parametrize("way", [way for way in WAYS if "behind it" in way])
def test_a_connection_on_which_more_came_than_the_answer_is_not_used_again(way: str) -> None:
    def send(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        return WAYS[way](connection, http(request.body))

    with RawBot(send) as bot:
        outbound = OutboundClient(LOOPBACK)
        for number in range(5):
            body = f'{{"ask":{number}}}'.encode()
            assert answer(ask(outbound, bot.url, body=body)).body == body
        outbound.close()
    assert bot.connections == 5


def test_what_comes_on_an_idle_connection_is_no_answer_to_the_next_ask() -> None:
    late = threading.Event()

    def send(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        connection.sendall(http(request.body))
        if request.connection == 1:
            connection.sendall(http(b'{"of":"nobody"}'))
            late.set()
        return True

    with RawBot(send) as bot:
        outbound = OutboundClient(LOOPBACK)
        answer(ask(outbound, bot.url))
        assert late.wait(5)
        assert answer(ask(outbound, bot.url, body=b'{"ask":2}')).body == b'{"ask":2}'
        outbound.close()
    assert bot.connections == 2


@pytest.mark.parametrize("says_why", [True, False])
def test_a_server_that_gives_up_waiting_as_the_next_ask_comes_costs_no_ask(says_why: bool) -> None:
    def send(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        if sum(earlier.connection == request.connection for earlier in list(bot.received)) == 1:
            connection.sendall(http(request.body))
            return True
        if says_why:
            connection.sendall(TIRED)
            return False
        return reset(connection)

    with RawBot(send) as bot:
        outbound = OutboundClient(LOOPBACK)
        for number in range(10):
            body = f'{{"ask":{number}}}'.encode()
            assert answer(ask(outbound, bot.url, body=body)).body == body
        outbound.close()
    assert len(bot.received) == 19


def test_a_408_on_a_new_connection_is_the_answer_to_the_ask() -> None:
    with RawBot(says(TIRED, then_closes=True)) as bot:
        failed = failure(ask(OutboundClient(LOOPBACK), bot.url))
    assert (failed.kind, failed.status, len(bot.received)) == ("bad_status", 408, 1)
