"""Heartbeats of the API: for how long it served, and for how long it could not."""

from __future__ import annotations

import time

import pytest

from service.store import keys
from service.store.api_processes import RECONNECT_MS, STALLS_KEPT_MS, ApiProcesses
from service.store.clients import RedisClient

NEVER_LATE_MS = 3_600_000


def now_ms(client: RedisClient) -> int:
    """Redis' wall clock."""
    seconds, microseconds = client.time()
    return int(seconds) * 1000 + int(microseconds) // 1000


@pytest.fixture
def strict(client: RedisClient) -> ApiProcesses:
    """Every pause of more than 0.1 s is a stall."""
    return ApiProcesses(client, 0)


def test_an_api_whose_heartbeat_comes_in_time_has_served_up_to_it(client: RedisClient) -> None:
    processes = ApiProcesses(client, NEVER_LATE_MS)
    since = now_ms(client)
    processes.heartbeat("one")
    first = processes.time_since(since)
    time.sleep(0.05)
    assert processes.time_since(since).served_ms == first.served_ms, "nothing is known of the time after it"
    processes.heartbeat("one")
    assert processes.time_since(since).served_ms >= first.served_ms + 50
    assert processes.time_since(since).stalled_ms == 0


def test_the_time_up_to_a_late_heartbeat_is_a_stall_and_some_more_for_those_who_come_back(
    client: RedisClient, strict: ApiProcesses
) -> None:
    strict.heartbeat("one")
    since = now_ms(client)
    time.sleep(0.3)
    strict.heartbeat("one")
    ended = now_ms(client)
    stalled = strict.time_since(since)
    assert stalled.served_ms == 0
    assert 300 <= stalled.stalled_ms <= now_ms(client) - since
    assert strict.time_since(ended + RECONNECT_MS).stalled_ms == 0


def test_a_silent_process_is_a_stall_while_it_lasts_though_another_one_serves(client: RedisClient) -> None:
    processes = ApiProcesses(client, 400)
    processes.heartbeat("silent")
    since = now_ms(client)
    while now_ms(client) < since + 700:
        processes.heartbeat("well")
        time.sleep(0.02)
    assert processes.time_since(since).served_ms == 0
    assert processes.time_since(since).stalled_ms >= 700
    processes.leave("silent")
    assert processes.time_since(since).served_ms > 0, "it is not expected back"


def test_without_any_process_time_stands_still_and_the_next_one_says_for_how_long(
    client: RedisClient, strict: ApiProcesses
) -> None:
    strict.heartbeat("old")
    since = now_ms(client)
    strict.leave("old")
    time.sleep(0.3)
    assert strict.time_since(since).served_ms == 0
    assert strict.time_since(since).stalled_ms >= 300
    strict.heartbeat("new")
    assert strict.time_since(since).served_ms == 0
    assert strict.time_since(since).stalled_ms >= 300


def test_the_first_process_ever_has_missed_nothing(client: RedisClient, strict: ApiProcesses) -> None:
    strict.heartbeat("first")
    assert client.zcard(keys.API_STALLS) == 0


def test_old_stalls_and_processes_that_are_long_gone_are_forgotten(client: RedisClient, strict: ApiProcesses) -> None:
    old = now_ms(client) - STALLS_KEPT_MS - 1000
    client.hset(keys.API_PROCESSES, "gone", old)
    client.zadd(keys.API_STALLS, {f"{old - 5} {old}": old})
    strict.heartbeat("one")
    assert set(client.hkeys(keys.API_PROCESSES)) == {"one", "any"}
    assert client.zcard(keys.API_STALLS) == 0
