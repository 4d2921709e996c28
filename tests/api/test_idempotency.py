"""`Idempotency-Key` on creating calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, new_game, problem

KEY = "0123456789abcdef-first"


def create(
    client: FlaskClient, body: Json, key: str = KEY, token: str | None = None, path: str = "/v1/games"
) -> TestResponse:
    """Sends a creating call with a key."""
    return client.post(path, json=body, headers={"Idempotency-Key": key, **bearer(token)})


def test_the_same_call_again_gets_the_same_answer_and_creates_nothing(client: FlaskClient) -> None:
    body = {"players": 2, "public": True}
    first, second = (client.post("/v1/games", json=body, headers={"Idempotency-Key": KEY}) for _ in range(2))
    assert second.status_code == 201
    assert second.json == first.json
    assert second.headers["Location"] == first.headers["Location"]
    assert second.headers["Cache-Control"] == "no-store"
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len((client.get("/v1/games").json or {})["items"]) == 1


def test_the_order_of_members_does_not_matter(client: FlaskClient) -> None:
    first = create(client, {"players": 2, "public": True})
    second = create(client, {"public": True, "players": 2})
    assert first.json == second.json


def test_the_same_key_with_another_body_is_refused(client: FlaskClient) -> None:
    create(client, {"players": 2})
    found = problem(create(client, {"players": 3}), 422, "invalid_request")
    assert "Idempotency-Key" in found["errors"]
    game = new_game(client, 2, seats=["creator", "open"])
    problem(create(client, {}, path=f"{game.path}/seats/1"), 422, "invalid_request")


def test_a_key_is_its_callers_own(client: FlaskClient) -> None:
    mine = create(client, {"players": 2})
    organisers = create(client, {"players": 2}, token=ORGANISER)
    assert mine.json != organisers.json
    game = new_game(client)
    by_seats = [create(client, {"players": 2}, token=token) for token in game.tokens.values()]
    assert by_seats[0].json != by_seats[1].json


def test_a_refused_call_leaves_the_key_free(client: FlaskClient) -> None:
    game = new_game(client, 2, seats=["creator", "open"])
    problem(create(client, {"name": "x"}, path=f"{game.path}/seats/0"), 409, "seat_taken")
    problem(create(client, {"players": 9}), 422, "invalid_request")
    joined = create(client, {"name": "x"}, path=f"{game.path}/seats/1")
    assert joined.status_code == 201


def test_a_seat_taken_with_a_key_is_taken_once(client: FlaskClient) -> None:
    game = new_game(client, 3, seats=["creator", "open", "open"])
    path = f"{game.path}/seats/1"
    first, second = (create(client, {"name": "Ada"}, path=path) for _ in range(2))
    assert first.json == second.json


@pytest.mark.parametrize("key", ["short", "x" * 15, "x" * 129, "sixteen chars or more"])
def test_an_invalid_key_is_refused_with_what_keys_are(client: FlaskClient, key: str) -> None:
    refused = problem(create(client, {"players": 2}, key), 422, "invalid_request")
    assert refused["errors"] == {"Idempotency-Key": ["Give 16 to 128 characters of ASCII, without spaces."]}


def test_of_many_at_once_one_creates(client: FlaskClient) -> None:
    def send(_: int) -> tuple[int, str]:
        response = client.application.test_client().post(
            "/v1/games", json={"players": 2, "public": True}, headers={"Idempotency-Key": KEY}
        )
        return response.status_code, (response.json or {}).get("code", "")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert set(answers) <= {(201, ""), (409, "wrong_state")}
    assert (201, "") in answers
    assert len((client.get("/v1/games").json or {})["items"]) == 1


def test_the_key_does_not_lie_in_the_store_and_tokens_only_in_the_answer(client: FlaskClient, redis_url: str) -> None:
    made: Json = create(client, {"players": 2}).json or {}
    kept = texts(redis_url)
    assert not any(KEY in text for text in kept.values())
    for token in (made["creator_token"], made["tokens"][0]["token"]):
        (name,) = (name for name, text in kept.items() if token in text)
        assert name.startswith("mb1:idempotency:")


def texts(redis_url: str) -> dict[str, str]:
    """Every key of the database, and what is in it, as far as it is text or fields."""
    with redis.Redis.from_url(redis_url, decode_responses=True) as store:
        read: dict[str, Any] = {"string": store.get, "hash": store.hgetall}
        return {name: f"{name} {read.get(store.type(name), str)(name)}" for name in store.scan_iter("*")}
