"""Checks of bots: one at a time, kept for a while."""

from __future__ import annotations

import threading
import time

import pytest

from service.errors import NotFound
from service.store.bots import BotStore
from service.store.checks import CheckStore
from service.store.clients import RedisClient
from service.store.hub import Hub
from tests.store.samples import bot

MINUTE_MS = 60_000


@pytest.fixture
def checks(client: RedisClient) -> CheckStore:
    return CheckStore(client)


@pytest.fixture
def one(bots: BotStore) -> str:
    """The id of a bot."""
    made = bot("a")
    bots.create(made)
    return made.id


def test_a_check_is_read_until_another_one_follows(checks: CheckStore, one: str) -> None:
    assert checks.latest(one) is None
    assert checks.begin(one, "c1", "running", MINUTE_MS) == "c1"
    assert checks.latest(one) == ("c1", "running")
    assert checks.end(one, "c1", "finished", MINUTE_MS)
    assert checks.latest(one) == ("c1", "finished")
    assert checks.begin(one, "c2", "running", MINUTE_MS) == "c2"
    assert checks.latest(one) == ("c2", "running")


def test_a_check_that_runs_is_joined(checks: CheckStore, one: str) -> None:
    checks.begin(one, "c1", "running", MINUTE_MS)
    assert checks.begin(one, "c2", "running", MINUTE_MS) == "c1"
    assert checks.latest(one) == ("c1", "running")


def test_a_check_that_was_given_up_is_forgotten(checks: CheckStore, one: str) -> None:
    checks.begin(one, "c1", "running", 1)
    time.sleep(0.01)
    assert checks.latest(one) is None
    assert checks.begin(one, "c2", "running", MINUTE_MS) == "c2"
    assert not checks.end(one, "c1", "finished", MINUTE_MS), "it came too late"
    assert checks.latest(one) == ("c2", "running")


def test_whoever_waits_for_the_bot_wakes(checks: CheckStore, hub: Hub, one: str) -> None:
    checks.begin(one, "c1", "running", MINUTE_MS)
    seen = hub.version(f"bot:{one}")
    found: list[int] = []
    waiter = threading.Thread(target=lambda: found.append(hub.wait(f"bot:{one}", seen, 20)))
    waiter.start()
    checks.end(one, "c1", "finished", MINUTE_MS)
    waiter.join(20)
    assert found == [seen + 1]


def test_a_bot_that_is_gone_has_no_check(checks: CheckStore, bots: BotStore, client: RedisClient, one: str) -> None:
    checks.begin(one, "c1", "running", MINUTE_MS)
    bots.delete(one)
    assert checks.latest(one) is None
    assert not checks.end(one, "c1", "finished", MINUTE_MS)
    with pytest.raises(NotFound):
        checks.begin(one, "c2", "running", MINUTE_MS)
    assert not list(client.scan_iter("*check*"))
