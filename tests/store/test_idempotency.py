"""Creating calls that can be repeated: whose turn it is, and the answer that is written in the step that creates."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.processes.supervisor import wait_until
from service.store.api_keys import Key, KeyStore
from service.store.bots import BotStore
from service.store.clients import RedisClient, texts
from service.store.games import Effects, GameStore
from service.store.idempotency import ANSWER_KEPT_MS, CLAIM_MS, Claim, ClaimLost, ClaimTaken, IdempotencyStore, Receipt
from service.store.keys import idempotency_record
from service.store.tournaments import TournamentStore
from tests.store.samples import bot, past

RUNNING = Effects("running")
Create = Callable[[Receipt], object]


@pytest.fixture
def store(client: RedisClient) -> IdempotencyStore:
    return IdempotencyStore(client)


@pytest.fixture(params=["a game", "a seat", "a bot", "a key", "a tournament"])
def create(request: pytest.FixtureRequest, client: RedisClient) -> Create:
    """Creates something, and keeps the answer."""
    games = GameStore(client)

    def game(receipt: Receipt | None, name: str = "g") -> object:
        return games.create(name, meta="{}", tokens={}, entries=["1"], effects=RUNNING, kind="public", receipt=receipt)

    if request.param == "a seat":
        game(None, "open")
    creates: dict[str, Create] = {
        "a game": game,
        "a seat": lambda receipt: games.append("open", past(games, "open", 1), ["2"], effects=RUNNING, receipt=receipt),
        "a bot": lambda receipt: BotStore(client).create(bot("a"), receipt),
        "a key": lambda receipt: KeyStore(client).create(Key("k", "author", "", "", 0), receipt),
        "a tournament": lambda receipt: TournamentStore(client).create("t", "{}", [], "began", receipt=receipt),
    }
    return creates[request.param]


def claimed(store: IdempotencyStore, holder: str = "me") -> Claim:
    found = store.claim("x", "request", holder)
    assert isinstance(found, Claim)
    return found


def contents(client: RedisClient) -> set[str]:
    """All keys but that of the record."""
    return set(texts(client.keys("*"))) - {idempotency_record("x")}


def test_of_many_who_claim_one_gets_the_claim(store: IdempotencyStore) -> None:
    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(lambda number: store.claim("x", "request", f"holder {number}"), range(20)))
    assert [type(one) for one in found].count(Claim) == 1
    assert found.count(ClaimTaken("request", None)) == 19


def test_a_claim_expires(client: RedisClient) -> None:
    claimed(IdempotencyStore(client, claim_ms=1))
    assert wait_until(lambda: isinstance(IdempotencyStore(client).claim("x", "other", "you"), Claim), 5)
    assert 0 < client.pttl(idempotency_record("x")) <= CLAIM_MS


def test_a_claim_that_is_released_leaves_the_name_to_any_request(store: IdempotencyStore) -> None:
    store.release(claimed(store))
    assert store.claim("x", "another request", "you") == Claim("x", "you")


def test_who_does_not_hold_the_claim_cannot_release_it(store: IdempotencyStore) -> None:
    claimed(store)
    store.release(Claim("x", "you"))
    assert store.claim("x", "request", "you") == ClaimTaken("request", None)


def test_the_answer_is_written_with_what_is_created_and_expires(
    store: IdempotencyStore, client: RedisClient, create: Create
) -> None:
    claim = claimed(store)
    before = contents(client)
    create(Receipt(claim, "answer"))
    assert contents(client) > before or client.llen("mb1:{g:open}:log") == 2
    assert store.claim("x", "request", "you") == ClaimTaken("request", "answer")
    assert client.hgetall(idempotency_record("x")) == {"request": "request", "answer": "answer"}
    assert CLAIM_MS < client.pttl(idempotency_record("x")) <= ANSWER_KEPT_MS


def test_an_answer_outlives_the_release_of_its_claim(store: IdempotencyStore, create: Create) -> None:
    claim = claimed(store)
    create(Receipt(claim, "answer"))
    store.release(claim)
    assert store.claim("x", "request", "you") == ClaimTaken("request", "answer")


@pytest.mark.parametrize("followed", [False, True], ids=["free", "another's"])
def test_nothing_is_created_when_the_claim_no_longer_stands(
    store: IdempotencyStore, client: RedisClient, create: Create, followed: bool
) -> None:
    claim = claimed(store)
    store.release(claim)
    if followed:
        claimed(store, "you")
    before = {name: client.dump(name) for name in contents(client)}
    with pytest.raises(ClaimLost):
        create(Receipt(claim, "answer"))
    assert {name: client.dump(name) for name in contents(client)} == before
    assert client.hget(idempotency_record("x"), "answer") is None


def test_what_is_refused_leaves_no_answer(store: IdempotencyStore, client: RedisClient) -> None:
    bots = BotStore(client)
    assert bots.create(bot("a"))
    claim = claimed(store)
    assert not bots.create(bot("a"), Receipt(claim, "answer"))
    assert store.claim("x", "request", "you") == ClaimTaken("request", None)
