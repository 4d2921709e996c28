"""Who may do what: every endpoint with no token, a wrong one, another seat's, another game's, another bot's.

The endpoints are those of the OpenAPI document, so that none is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api.openapi import DOCUMENT_PATH
from tests.api.conftest import ORGANISER
from tests.api.game_setup import ApiGame, Json, bearer, new_game, problem

SEAT_CALLS: list[tuple[str, str, Any]] = [
    ("GET", "/decision", None),
    ("GET", "/legal-actions", None),
    ("POST", "/actions", {"decision": "1.play.0.0", "index": 0}),
    ("POST", "/resignation", {}),
]


@dataclass(frozen=True, slots=True)
class Tokens:
    """All kinds of tokens."""

    game: ApiGame
    other_game: ApiGame
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
    game = tokens.game
    before = game.view()
    address = f"{game.path}{path}"
    forged = game.tokens[0][:-1] + ("A" if game.tokens[0][-1] != "A" else "B")
    for worthless in (
        None,
        "x",
        forged,
        f"mb_{game.id}.0.",
        f"mb_{game.id}.7.x",
        "mb_nobody.0.x",
        "mbk_a.b",
        "mbb_a.b",
    ):
        problem(call(client, method, address, body, worthless), 401, "unauthorized")
    for strangers in (
        tokens.other_game.tokens[0],
        tokens.other_game.creator,
        game.creator,
        tokens.bot_token,
        tokens.author,
        ORGANISER,
    ):
        problem(call(client, method, address, body, strangers), 403, "forbidden")
    assert game.view() == before


def test_another_seat_cannot_answer_for_a_seat(client: FlaskClient, tokens: Tokens) -> None:
    body = {"decision": "1.play.0.0", "index": 0}
    response = call(client, "POST", f"{tokens.game.path}/actions", body, tokens.game.tokens[1])
    problem(response, 409, "not_your_decision")


def test_only_its_creator_or_an_organiser_aborts_a_game(client: FlaskClient, tokens: Tokens) -> None:
    game = tokens.game
    for worthless in (None, "x", f"mb_{game.id}.creator.forged", "mb_nobody.creator.x"):
        problem(call(client, "DELETE", game.path, None, worthless), 401, "unauthorized")
    for strangers in (
        game.tokens[0],
        tokens.other_game.creator,
        tokens.other_game.tokens[0],
        tokens.author,
        tokens.creator_key,
        tokens.bot_token,
    ):
        problem(call(client, "DELETE", game.path, None, strangers), 403, "forbidden")
    assert game.view()["status"] == "running"


def test_a_view_with_a_forged_or_foreign_token_is_no_spectators(client: FlaskClient, tokens: Tokens) -> None:
    game = tokens.game
    for worthless in (f"mb_{game.id}.0.forged", f"mb_{game.id}.creator.forged", "mb_nobody.0.x", "x"):
        problem(call(client, "GET", game.path, None, worthless), 401, "unauthorized")
    problem(call(client, "GET", game.path, None, tokens.other_game.tokens[0]), 403, "forbidden")
    for neutral in (None, game.creator, tokens.author, tokens.bot_token, ORGANISER):
        response = call(client, "GET", game.path, None, neutral)
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
    for strangers in (tokens.other_bot_token, tokens.creator_key, tokens.game.tokens[0], tokens.game.creator):
        problem(call(client, method, address, body, strangers), 403, "forbidden")
    assert client.get(f"/v1/bots/{tokens.bot}").json == before


def test_bots_are_registered_with_an_authors_key(client: FlaskClient, tokens: Tokens) -> None:
    body = {"name": "third", "kind": "poll"}
    problem(call(client, "POST", "/v1/bots", body, None), 401, "unauthorized")
    problem(call(client, "POST", "/v1/bots", body, "mbk_a.b"), 401, "unauthorized")
    for strangers in (tokens.creator_key, tokens.bot_token, tokens.game.tokens[0]):
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
        tokens.game.tokens[0],
        tokens.game.creator,
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


GAME, BOT, TOURNAMENT = "/v1/games/{game}", "/v1/bots/{bot}", "/v1/tournaments/{tournament}"
LADDER, HIDDEN = "/v1/ladders/{ladder}", "/v1/hidden-texts"
OWN = {"seat", "other_seat"}
OWNER = {"organiser", "author", "bot"}
WHO_MAY: dict[tuple[str, str], set[str]] = {
    ("DELETE", GAME): {"organiser", "creator"},
    ("POST", f"{GAME}/callback-secret"): {"organiser", "creator"},
    ("GET", f"{GAME}/decision"): OWN,
    ("GET", f"{GAME}/legal-actions"): OWN,
    ("POST", f"{GAME}/actions"): OWN,
    ("POST", f"{GAME}/resignation"): OWN,
    ("POST", "/v1/records"): {"organiser", "author", "other_author", "creator_key"},
    ("POST", "/v1/bots"): {"organiser", "author", "other_author"},
    ("PATCH", BOT): OWNER,
    ("DELETE", BOT): OWNER,
    ("POST", f"{BOT}/token"): OWNER,
    ("POST", f"{BOT}/secret"): OWNER,
    ("GET", f"{BOT}/faults"): OWNER,
    ("GET", f"{BOT}/games"): OWNER,
    ("POST", f"{BOT}/check"): OWNER,
    ("GET", f"{BOT}/checks/{{check}}"): OWNER,
    ("GET", "/v1/bots/me/decisions"): {"bot", "other_bot"},
    ("GET", "/v1/keys/me/games"): {"organiser", "author", "other_author", "creator_key"},
    ("POST", "/v1/keys"): {"organiser"},
    ("GET", "/v1/keys"): {"organiser"},
    ("DELETE", "/v1/keys/{key}"): {"organiser"},
    ("POST", "/v1/tournaments"): {"organiser"},
    ("DELETE", TOURNAMENT): {"organiser"},
    ("POST", f"{TOURNAMENT}/callback-secret"): {"organiser"},
    ("POST", f"{TOURNAMENT}/pause"): {"organiser"},
    ("POST", f"{TOURNAMENT}/resumption"): {"organiser"},
    ("POST", f"{TOURNAMENT}/cancellation"): {"organiser"},
    ("POST", f"{TOURNAMENT}/withdrawals"): {"organiser", "bot"},
    ("POST", "/v1/ladders"): {"organiser"},
    ("DELETE", LADDER): {"organiser"},
    ("POST", f"{LADDER}/seasons"): {"organiser"},
    ("POST", f"{LADDER}/entrants"): OWNER,
    ("DELETE", f"{LADDER}/entrants/{{bot}}"): OWNER,
    ("GET", HIDDEN): {"organiser"},
    ("POST", HIDDEN): {"organiser"},
    ("POST", f"{HIDDEN}/removals"): {"organiser"},
}


@dataclass(frozen=True, slots=True)
class Everything:
    """Every operation below `/v1`, at addresses that exist, and a token of each kind."""

    client: FlaskClient
    operations: dict[tuple[str, str], Json]
    ids: dict[str, str]
    record: Json
    callers: dict[str, str]

    def call(self, operation: tuple[str, str], token: str | None) -> Any:
        """Sends a request that nothing but its token can be wrong with."""
        method, path = operation
        described = self.operations[operation].get("requestBody")
        body = None if described is None else described["content"]["application/json"].get("example", {})
        if path == "/v1/records":
            body = self.record
        if path.endswith(("/withdrawals", "/entrants")):
            body = {"bot": "mine"}
        if path == "/v1/actions":
            body = {"actions": [{"game": self.ids["game"], "decision": "1.play.0.0", "index": 0}]}
        return call(self.client, method, path.format(**self.ids), body, token)


@pytest.fixture
def everything(client: FlaskClient, tokens: Tokens) -> Everything:
    described: Json = client.get(DOCUMENT_PATH).json or {}
    operations = {
        (method.upper(), path): operation
        for path, item in described["paths"].items()
        for method, operation in item.items()
        if path.startswith("/v1/") and method in ("get", "post", "patch", "delete")
    }
    body = {"name": "cup", "bots": ["mine", "other"], "players": 2}
    cup: Json = client.post("/v1/tournaments", json=body, headers=bearer(ORGANISER)).json or {}
    body = {"name": "ladder", "references": ["other"], "players": 2}
    ladder: Json = client.post("/v1/ladders", json=body, headers=bearer(ORGANISER)).json or {}
    other_author: Json = (
        client.post("/v1/keys", json={"role": "author", "name": "x"}, headers=bearer(ORGANISER)).json or {}
    )
    over = new_game(client)
    call(client, "DELETE", over.path, None, over.creator)
    game, foreign = tokens.game, tokens.other_game
    return Everything(
        client,
        operations,
        {
            "game": game.id,
            "seat": "1",
            "bot": tokens.bot,
            "tournament": cup["tournament"],
            "key": "nobody",
            "check": "none",
            "ladder": ladder["ladder"],
            "number": "1",
        },
        client.get(f"{over.path}/record").json or {},
        {
            "seat": game.tokens[0],
            "other_seat": game.tokens[1],
            "creator": game.creator,
            "another_games_seat": foreign.tokens[0],
            "another_games_creator": foreign.creator,
            "author": tokens.author,
            "other_author": other_author["key"],
            "creator_key": tokens.creator_key,
            "bot": tokens.bot_token,
            "other_bot": tokens.other_bot_token,
            "organiser": ORGANISER,
        },
    )


def test_it_is_known_of_every_operation_who_may(everything: Everything) -> None:
    needed = {name for name, operation in everything.operations.items() if operation["security"] == [{"token": []}]}
    assert needed == set(WHO_MAY)


def test_a_token_that_nobody_knows_is_refused_by_every_operation(everything: Everything) -> None:
    game, bot = everything.ids["game"], everything.ids["bot"]
    forged = (f"mb_{game}.0.forged", f"mb_{game}.creator.forged", "mb_nobody.0.x", f"mbb_{bot}.forged", "mbk_a.b", "x")
    for operation in everything.operations:
        for token in forged:
            answer = everything.call(operation, token)
            if answer.status_code == 200:
                # Each of many answers is judged by itself.
                assert operation == ("POST", "/v1/actions")
                assert [one["problem"]["code"] for one in answer.json["results"]] == ["unauthorized"]
            else:
                problem(answer, 401, "unauthorized")


def test_every_operation_that_needs_a_token_refuses_those_without_one_and_strangers(everything: Everything) -> None:
    for operation, allowed in WHO_MAY.items():
        problem(everything.call(operation, None), 401, "unauthorized")
        for caller in everything.callers.keys() - allowed:
            problem(everything.call(operation, everything.callers[caller]), 403, "forbidden")


def test_events_told_to_a_seat_of_another_game_are_refused_as_its_view_is(everything: Everything) -> None:
    for path in (GAME, f"{GAME}/events"):
        for caller in ("another_games_seat", "another_games_creator"):
            problem(everything.call(("GET", path), everything.callers[caller]), 403, "forbidden")
        for caller in everything.callers.keys() - {"another_games_seat", "another_games_creator"}:
            assert everything.call(("GET", path), everything.callers[caller]).status_code == 200
