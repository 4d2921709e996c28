"""`callback` of `POST /v1/games` and `POST /v1/tournaments`. What is sent is tested with the workers."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.operations.context import Context
from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, problem

URL = "https://example.org/hook"


def ask_for(client: FlaskClient, path: str, token: str | None, **members: Any) -> Any:
    """Creates a game or a tournament."""
    bodies: dict[str, Json] = {
        "/v1/games": {"players": 2, "public": True},
        "/v1/tournaments": {"name": "cup", "bots": ["anne", "bert"], "players": 2},
    }
    return client.post(path, json={**bodies[path], **members}, headers=bearer(token))


@pytest.fixture
def bots(client: FlaskClient) -> None:
    for name in ("anne", "bert"):
        client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(ORGANISER))


def key(client: FlaskClient, role: str) -> str:
    made: Any = client.post("/v1/keys", json={"role": role, "name": role}, headers=bearer(ORGANISER)).json
    return str(made["key"])


PATHS = pytest.mark.parametrize("path", ["/v1/games", "/v1/tournaments"])


@PATHS
@pytest.mark.usefixtures("bots")
def test_the_secret_is_in_the_answer_and_nowhere_else(client: FlaskClient, path: str) -> None:
    answer = ask_for(client, path, ORGANISER, callback=URL)
    assert answer.status_code in (201, 202)
    secret = answer.json["callback_secret"]
    assert secret.startswith("whsec_")
    assert answer.headers["Cache-Control"] == "no-store"
    for read in (answer.headers["Location"], path):
        shown = client.get(read, headers=bearer(ORGANISER)).text
        assert secret not in shown
        assert URL not in shown


@PATHS
@pytest.mark.usefixtures("bots")
def test_without_a_callback_there_is_no_secret(client: FlaskClient, path: str) -> None:
    assert "callback_secret" not in ask_for(client, path, ORGANISER, callback=None).json
    assert "callback_secret" not in ask_for(client, path, ORGANISER).json


@PATHS
@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(
    "url", ["", "ftp://example.org/", "https://example.org/?a=1", f"https://example.org/{'a' * 2048}", 7]
)
def test_what_is_no_url_to_call_is_refused_by_its_field(client: FlaskClient, path: str, url: Any) -> None:
    refused = problem(ask_for(client, path, ORGANISER, callback=url), 422, "invalid_request")
    assert set(refused["errors"]) == {"callback"}


@PATHS
@pytest.mark.usefixtures("bots")
def test_no_key_no_callback(client: FlaskClient, context: Context, path: str) -> None:
    problem(ask_for(client, path, None, callback=URL), 401, "unauthorized")
    problem(ask_for(client, path, "mbk_x.unknown", callback=URL), 401, "unauthorized")
    seat = ask_for(client, "/v1/games", None, public=False).json["tokens"][0]["token"]
    problem(ask_for(client, path, seat, callback=URL), 403, "forbidden")
    assert not context.callbacks.is_due()
    assert client.get(path).json == {"items": [], "next": None}


@pytest.mark.parametrize("role", ["author", "creator"])
def test_a_key_of_any_role_may_name_one_for_its_game(client: FlaskClient, role: str) -> None:
    assert ask_for(client, "/v1/games", key(client, role), callback=URL).json["callback_secret"]


def test_a_repeated_call_gets_the_same_secret_and_tells_once(client: FlaskClient, context: Context) -> None:
    headers = {**bearer(ORGANISER), "Idempotency-Key": "a-key-of-16-characters"}
    answers = [client.post("/v1/games", json={"players": 2, "callback": URL}, headers=headers).json for _ in range(2)]
    assert answers[0] == answers[1]
    game = (answers[0] or {})["game"]
    assert sorted(context.callbacks.take(9, 0)) == [(f"game.started:{game}", URL), (f"game.turn:{game}", URL)]


def rotate(client: FlaskClient, made: Any, token: str | None) -> Any:
    return client.post(f"{made.headers['Location']}/callback-secret", json={}, headers=bearer(token))


@PATHS
@pytest.mark.usefixtures("bots")
def test_a_new_secret_is_shown_to_who_may_have_it_and_says_how_long_the_old_one_is_good(
    client: FlaskClient, path: str
) -> None:
    made = ask_for(client, path, ORGANISER, callback=URL)
    answer = rotate(client, made, ORGANISER)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.json["callback_secret"].startswith("whsec_")
    assert answer.json["callback_secret"] != made.json["callback_secret"]
    assert answer.json["old_secret_valid_until"].endswith("Z")
    named = "game" if path == "/v1/games" else "tournament"
    assert answer.json[named] == made.json[named]
    assert answer.json["callback_secret"] not in client.get(made.headers["Location"], headers=bearer(ORGANISER)).text


@PATHS
@pytest.mark.usefixtures("bots")
def test_strangers_get_no_new_secret(client: FlaskClient, path: str) -> None:
    made = ask_for(client, path, ORGANISER, callback=URL)
    problem(rotate(client, made, None), 401, "unauthorized")
    problem(rotate(client, made, key(client, "author")), 403, "forbidden")
    other = ask_for(client, "/v1/games", None).json["creator_token"]
    problem(rotate(client, made, other), 403, "forbidden")
    problem(client.post(f"{path}/nosuch/callback-secret", json={}, headers=bearer(ORGANISER)), 404, "not_found")


@PATHS
@pytest.mark.usefixtures("bots")
def test_where_no_callback_was_named_there_is_no_secret_to_replace(client: FlaskClient, path: str) -> None:
    problem(rotate(client, ask_for(client, path, ORGANISER), ORGANISER), 409, "wrong_state")


def test_the_creator_of_a_game_may_replace_its_secret_and_a_seat_may_not(client: FlaskClient) -> None:
    made = ask_for(client, "/v1/games", key(client, "creator"), callback=URL)
    assert rotate(client, made, made.json["creator_token"]).status_code == 200
    problem(rotate(client, made, made.json["tokens"][0]["token"]), 403, "forbidden")
