"""Connections are kept and used again; one that was closed between asks is repaired within the same call."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import certifi
from requests import Request

from tests.workers.outbound_setup import ASK, LOOPBACK, SECRET, answer, ask, failure
from tests.workers.raw_bots import GOOD_BODY, RawBot, Received, http, says
from workers.outbound import OutboundClient
from workers.outbound.lookup import Lookup
from workers.outbound.transport import ConnectAttempt, Dial, GuardedAdapter


def test_asks_one_after_another_share_a_connection() -> None:
    with RawBot(says(http())) as bot:
        outbound = OutboundClient(LOOPBACK)
        for _ in range(10):
            answer(ask(outbound, bot.url))
    assert bot.connections == 1


def test_a_failure_with_a_whole_body_costs_no_connection() -> None:
    with RawBot(says(http(b"oh", "500 Oh"))) as bot:
        outbound = OutboundClient(LOOPBACK)
        for _ in range(5):
            failure(ask(outbound, bot.url))
    assert bot.connections == 1


def test_sixteen_threads_at_once_use_sixteen_connections_at_most() -> None:
    meeting = threading.Barrier(16, timeout=5)

    def waits_for_all(bot: RawBot, connection: socket.socket, request: Received) -> bool:
        meeting.wait()
        connection.sendall(http(request.body))
        return True

    with RawBot(waits_for_all) as bot, ThreadPoolExecutor(16) as threads:
        outbound = OutboundClient(LOOPBACK)
        bodies = [f'{{"ask":{number}}}'.encode() for number in range(64)]
        answers = threads.map(lambda body: answer(ask(outbound, bot.url, timeout_s=10, body=body)).body, bodies)
        assert list(answers) == bodies, "each caller gets the answer to its own ask"
        outbound.close()
    assert bot.connections == 16


def test_a_server_that_closes_after_each_answer_costs_no_ask() -> None:
    with RawBot(says(http(), then_closes=True)) as bot:  # and does not say so: no Connection: close
        outbound = OutboundClient(LOOPBACK)
        for _ in range(20):
            answer(ask(outbound, bot.url))
    assert bot.connections == 20


def answers_once_a_connection(bot: RawBot, connection: socket.socket, request: Received) -> bool:
    if sum(earlier.connection == request.connection for earlier in list(bot.received)) > 1:
        return False
    connection.sendall(http())
    return True


def test_a_server_that_closes_on_the_next_request_costs_no_ask() -> None:
    with RawBot(answers_once_a_connection) as bot:
        outbound = OutboundClient(LOOPBACK)
        for number in range(20):
            answer(outbound.post(f"{bot.url}/act", ASK, webhook_id=f"g1_{number}", secrets=[SECRET], timeout_s=2))
    ids = Counter(request.headers["webhook-id"] for request in bot.received)
    assert ids == {"g1_0": 1} | {f"g1_{number}": 2 for number in range(1, 20)}


def test_a_retry_never_uses_another_kept_connection() -> None:
    # Eight callers at once give one another back connections that are good for nothing more.
    with RawBot(answers_once_a_connection) as bot, ThreadPoolExecutor(8) as threads:
        outbound = OutboundClient(LOOPBACK)
        for exchange in threads.map(lambda _: ask(outbound, bot.url, timeout_s=10), range(400)):
            answer(exchange)


def test_a_connection_unused_for_long_is_not_used_again() -> None:
    with RawBot(says(http())) as bot:
        outbound = OutboundClient(LOOPBACK, max_idle_s=0)
        for _ in range(3):
            answer(ask(outbound, bot.url))
    assert bot.connections == 3


def test_there_is_one_retry_and_no_more() -> None:
    with RawBot(says(b"", then_closes=True)) as bot:
        failure(ask(OutboundClient(LOOPBACK), bot.url))
        assert len(bot.received) == 2
        assert len({request.headers["webhook-id"] for request in bot.received}) == 1
        failure(ask(OutboundClient(LOOPBACK), bot.url, attempts=1))
        assert len(bot.received) == 3


def test_an_attempt_that_wants_a_fresh_connection_gets_one_though_another_is_kept() -> None:
    with RawBot(says(http())) as bot:
        dial = Dial(LOOPBACK, Lookup(), connect_s=2, max_idle_s=30)
        adapter = GuardedAdapter(dial, certifi.where())
        opened = []
        for fresh in (False, False, True, False):
            dial.begin(ConnectAttempt(time.monotonic() + 2, fresh=fresh))
            response = adapter.send(Request("GET", bot.url).prepare(), stream=True)
            assert response.raw.read() == GOOD_BODY
            opened.append(bot.connections)
        adapter.close()
    assert opened == [1, 1, 2, 2]
