"""Who may do what: every endpoint with no token, a wrong one, another seat's, another game's, another bot's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.conftest import ORGANISER
from tests.api.table import Table, bearer, new_game, problem

SEAT_CALLS: list[tuple[str, str, Any]] = [
    ("GET", "/decision", None),
    ("GET", "/legal-actions", None),
    ("POST", "/actions", {"decision": "1.play.0.0", "index": 0}),
    ("POST", "/resignation", {}),
]


@dataclass(frozen=True, slots=True)
class Tokens:
    """All kinds of tokens."""

    table: Table
    other_game: Table
    author: str
    creator_key: str
    bot: str
    bot_token: str
    other_bot_token: str


@pytest.fixture
def tokens(client: FlaskClient) -> Tokens:
    """A game, another game, two bots of an author, and keys."""
    keys = {}
    for role in ("author", "creator"):
        made = client.post("/v1/keys", json={"role": role, "name": role}, headers=bearer(ORGANISER))
        keys[role] = (made.json or {})["key"]
    bots = []
    for name in ("mine", "other"):
        made = client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(keys["author"]))
        bots.append(made.json or {})
    return Tokens(
        new_game(client),
        new_game(client),
        keys["author"],
        keys["creator"],
        bots[0]["bot"],
        bots[0]["token"],
        bots[1]["token"],
    )


def call(client: FlaskClient, method: str, path: str, body: Any, token: str | None) -> Any:
    """Sends a request."""
    return client.open(path, method=method, json=body, headers=bearer(token))


@pytest.mark.parametrize(("method", "path", "body"), SEAT_CALLS)
def test_a_seats_calls_need_that_seats_token(
    client: FlaskClient, tokens: Tokens, method: str, path: str, body: Any
) -> None:
    table = tokens.table
    before = table.view()
    address = f"{table.path}{path}"
    forged = table.tokens[0][:-1] + ("A" if table.tokens[0][-1] != "A" else "B")
    for worthless in (
        None,
        "x",
        forged,
        f"mb_{table.id}.0.",
        f"mb_{table.id}.7.x",
        "mb_nobody.0.x",
        "mbk_a.b",
        "mbb_a.b",
    ):
        problem(call(client, method, address, body, worthless), 401, "unauthorized")
    for strangers in (
        tokens.other_game.tokens[0],
        tokens.other_game.creator,
        table.creator,
        tokens.bot_token,
        tokens.author,
        ORGANISER,
    ):
        problem(call(client, method, address, body, strangers), 403, "forbidden")
    assert table.view() == before


def test_another_seat_cannot_answer_for_a_seat(client: FlaskClient, tokens: Tokens) -> None:
    body = {"decision": "1.play.0.0", "index": 0}
    response = call(client, "POST", f"{tokens.table.path}/actions", body, tokens.table.tokens[1])
    problem(response, 409, "not_your_decision")


def test_only_its_creator_or_an_organiser_aborts_a_game(client: FlaskClient, tokens: Tokens) -> None:
    table = tokens.table
    for worthless in (None, "x", f"mb_{table.id}.creator.forged", "mb_nobody.creator.x"):
        problem(call(client, "DELETE", table.path, None, worthless), 401, "unauthorized")
    for strangers in (
        table.tokens[0],
        tokens.other_game.creator,
        tokens.other_game.tokens[0],
        tokens.author,
        tokens.creator_key,
        tokens.bot_token,
    ):
        problem(call(client, "DELETE", table.path, None, strangers), 403, "forbidden")
    assert table.view()["status"] == "running"


def test_a_view_with_a_forged_or_foreign_token_is_no_spectators(client: FlaskClient, tokens: Tokens) -> None:
    table = tokens.table
    for worthless in (f"mb_{table.id}.0.forged", f"mb_{table.id}.creator.forged", "mb_nobody.0.x", "x"):
        problem(call(client, "GET", table.path, None, worthless), 401, "unauthorized")
    problem(call(client, "GET", table.path, None, tokens.other_game.tokens[0]), 403, "forbidden")
    for neutral in (None, table.creator, tokens.author, tokens.bot_token, ORGANISER):
        response = call(client, "GET", table.path, None, neutral)
        assert response.status_code == 200
        assert response.json["seat"] is None


BOT_CALLS: list[tuple[str, str, Any]] = [
    ("PATCH", "", {"casual": True}),
    ("POST", "/token", {}),
    ("POST", "/secret", {}),
    ("GET", "/faults", None),
    ("DELETE", "", None),
]


@pytest.mark.parametrize(("method", "path", "body"), BOT_CALLS)
def test_a_bot_is_its_owners(client: FlaskClient, tokens: Tokens, method: str, path: str, body: Any) -> None:
    address = f"/v1/bots/{tokens.bot}{path}"
    before = client.get(f"/v1/bots/{tokens.bot}").json
    for worthless in (None, "x", f"mbb_{tokens.bot}.forged", "mbk_a.b"):
        problem(call(client, method, address, body, worthless), 401, "unauthorized")
    for strangers in (tokens.other_bot_token, tokens.creator_key, tokens.table.tokens[0], tokens.table.creator):
        problem(call(client, method, address, body, strangers), 403, "forbidden")
    assert client.get(f"/v1/bots/{tokens.bot}").json == before


def test_bots_are_registered_with_an_authors_key(client: FlaskClient, tokens: Tokens) -> None:
    body = {"name": "third", "kind": "poll"}
    problem(call(client, "POST", "/v1/bots", body, None), 401, "unauthorized")
    problem(call(client, "POST", "/v1/bots", body, "mbk_a.b"), 401, "unauthorized")
    for strangers in (tokens.creator_key, tokens.bot_token, tokens.table.tokens[0]):
        problem(call(client, "POST", "/v1/bots", body, strangers), 403, "forbidden")
    assert call(client, "POST", "/v1/bots", body, ORGANISER).status_code == 201


ORGANISER_CALLS: list[tuple[str, str, Any]] = [
    ("POST", "/v1/keys", {"role": "author", "name": "x"}),
    ("GET", "/v1/keys", None),
    ("DELETE", "/v1/keys/nobody", None),
    ("POST", "/v1/tournaments", {"name": "x", "bots": ["mine", "other"], "players": 2}),
    ("POST", "/v1/tournaments/nobody/pause", {}),
    ("POST", "/v1/tournaments/nobody/resumption", {}),
    ("POST", "/v1/tournaments/nobody/cancellation", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), ORGANISER_CALLS)
def test_organisers_calls_need_an_organisers_key(
    client: FlaskClient, tokens: Tokens, method: str, path: str, body: Any
) -> None:
    for worthless in (None, "x", "mbk_a.b", f"{ORGANISER}x", "mb_nobody.0.x"):
        problem(call(client, method, path, body, worthless), 401, "unauthorized")
    for strangers in (
        tokens.author,
        tokens.creator_key,
        tokens.bot_token,
        tokens.table.tokens[0],
        tokens.table.creator,
    ):
        problem(call(client, method, path, body, strangers), 403, "forbidden")


def test_a_revoked_key_is_worth_nothing(client: FlaskClient) -> None:
    made = client.post("/v1/keys", json={"role": "organiser", "name": "x"}, headers=bearer(ORGANISER)).json or {}
    assert client.get("/v1/keys", headers=bearer(made["key"])).status_code == 200
    assert client.delete(f"/v1/keys/{made['id']}", headers=bearer(ORGANISER)).status_code == 204
    problem(client.get("/v1/keys", headers=bearer(made["key"])), 401, "unauthorized")


@pytest.mark.parametrize(
    "header", ["Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "Bearer \xe9", "Bearer " + "x" * 600, "x"]
)
def test_credentials_of_any_other_kind_are_refused(client: FlaskClient, header: str) -> None:
    problem(client.get("/v1/keys", headers={"Authorization": header}), 401, "unauthorized")


def test_a_token_cannot_name_a_key_of_the_store(client: FlaskClient) -> None:
    for token in ("mbb_x}:names.secret", "mbk_*.x", "mb_{g:x}.0.x", "mbb_a\\b.c"):
        problem(client.get("/v1/keys", headers=bearer(token)), 401, "unauthorized")


def test_health_answers_whoever_asks(app: Flask, client: FlaskClient) -> None:
    for path in ("/healthz", "/readyz", "/metrics", "/openapi.json"):
        assert client.get(path, headers=bearer("worthless")).status_code == 200
