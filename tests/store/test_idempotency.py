"""Creating calls that can be repeated: whose turn it is, and what is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.processes.supervisor import wait_until
from service.store.clients import RedisClient
from service.store.idempotency import IdempotencyStore, Kept, Turn
from service.store.keys import idempotent

LONG_MS = 60_000
KEPT_MS = 90_000


@pytest.fixture
def store(client: RedisClient) -> IdempotencyStore:
    return IdempotencyStore(client)


def claim(store: IdempotencyStore, salt: str, request: str = "request", lease_ms: int = LONG_MS) -> Turn | Kept:
    return store.claim("x", request, salt, lease_ms=lease_ms, kept_ms=KEPT_MS)


def test_of_many_who_claim_one_gets_a_turn(store: IdempotencyStore) -> None:
    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(lambda number: claim(store, f"salt {number}"), range(20)))
    assert [type(one) for one in found].count(Turn) == 1
    assert found.count(Kept("request", None)) == 19


def test_when_the_lease_has_run_out_the_next_one_goes_on_with_the_first_ones_salt(store: IdempotencyStore) -> None:
    assert claim(store, "first", lease_ms=1) == Turn(1, "first")
    found: list[Turn | Kept] = []

    def claimed() -> bool:
        found.append(claim(store, "second"))
        return isinstance(found[-1], Turn)

    assert wait_until(claimed, 5)
    assert found[-1] == Turn(2, "first")
    assert claim(store, "third") == Kept("request", None)


def test_an_answer_takes_the_claims_place_and_expires(store: IdempotencyStore, client: RedisClient) -> None:
    claim(store, "salt")
    store.keep("x", "request", "answer", KEPT_MS)
    assert claim(store, "another") == Kept("request", "answer")
    assert client.hgetall(idempotent("x")) == {"request": "request", "answer": "answer"}
    assert LONG_MS < client.pttl(idempotent("x")) <= KEPT_MS


def test_the_first_answer_stands(store: IdempotencyStore) -> None:
    claim(store, "salt")
    store.keep("x", "request", "answer", KEPT_MS)
    store.keep("x", "request", "later", KEPT_MS)
    assert claim(store, "another") == Kept("request", "answer")


def test_an_answer_comes_also_when_the_claim_has_expired(store: IdempotencyStore) -> None:
    store.keep("x", "request", "answer", KEPT_MS)
    assert claim(store, "another") == Kept("request", "answer")


def test_a_claim_without_an_answer_expires(store: IdempotencyStore, client: RedisClient) -> None:
    claim(store, "salt")
    assert LONG_MS < client.pttl(idempotent("x")) <= KEPT_MS


def test_another_request_gets_no_turn_whoever_is_at_work(store: IdempotencyStore) -> None:
    claim(store, "salt", lease_ms=0)
    assert claim(store, "another", request="other") == Kept("request", None)
    store.keep("x", "other", "answer", KEPT_MS)
    assert claim(store, "another") == Turn(2, "salt")


def test_who_lets_go_leaves_the_salt_to_the_next(store: IdempotencyStore) -> None:
    claim(store, "salt")
    store.let_go("x", 1)
    assert claim(store, "another") == Turn(2, "salt")


def test_a_name_that_is_forgotten_is_free_for_anything(store: IdempotencyStore) -> None:
    claim(store, "salt")
    store.forget("x", 1)
    assert claim(store, "another", request="other") == Turn(1, "another")


def test_an_attempt_that_was_followed_ends_nothing(store: IdempotencyStore) -> None:
    claim(store, "salt")
    store.let_go("x", 1)
    claim(store, "another")
    store.let_go("x", 1)
    store.forget("x", 1)
    assert claim(store, "third") == Kept("request", None)
