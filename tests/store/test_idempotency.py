"""Answers that are kept for those who repeat a creating call."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from service.store.clients import Client
from service.store.idempotency import RedisIdempotencyStore
from service.store.keys import idempotent


def test_of_many_who_claim_one_gets_the_name(client: Client) -> None:
    store = RedisIdempotencyStore(client)
    with ThreadPoolExecutor(20) as pool:
        kept = list(pool.map(lambda number: store.claim("x", f"claim {number}", 60_000), range(20)))
    winner = client.get(idempotent("x"))
    assert kept.count(None) == 1
    assert set(kept) == {None, winner}


def test_an_answer_takes_the_claims_place_and_expires(client: Client) -> None:
    store = RedisIdempotencyStore(client)
    store.claim("x", "claim", 60_000)
    store.keep("x", "answer", 90_000)
    assert store.claim("x", "another", 60_000) == "answer"
    assert 60_000 < client.pttl(idempotent("x")) <= 90_000


def test_a_name_that_is_released_is_free(client: Client) -> None:
    store = RedisIdempotencyStore(client)
    store.claim("x", "claim", 60_000)
    store.release("x")
    assert store.claim("x", "another", 60_000) is None
