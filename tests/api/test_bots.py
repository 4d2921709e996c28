"""`/v1/bots`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api.app import create_app
from service.operations.context import Context
from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, new_game, problem

PUSH = {"name": "pusher", "kind": "push", "url": "http://bot.example:9000/base"}
POLL = {"name": "poller", "kind": "poll"}


def register(client: FlaskClient, body: Json, token: str = ORGANISER) -> Json:
    """Registers a bot."""
    response = client.post("/v1/bots", json=body, headers=bearer(token))
    assert response.status_code == 201, response.text
    assert response.headers["Cache-Control"] == "no-store"
    found: Json = response.json or {}
    assert response.headers["Location"] == f"/v1/bots/{found['bot']}"
    return found


def test_a_push_bot_gets_a_token_and_a_secret(client: FlaskClient) -> None:
    made = register(client, PUSH)
    assert made["secret"].startswith("whsec_")
    assert made["token"].startswith(f"mbb_{made['bot']}.")
    assert made["url"] == PUSH["url"]
    assert made["casual"] is False


def test_a_poll_bot_has_no_secret(client: FlaskClient) -> None:
    assert register(client, POLL)["secret"] is None


def test_the_url_is_its_owners(client: FlaskClient) -> None:
    made = register(client, PUSH)
    path = f"/v1/bots/{made['bot']}"
    assert "url" not in (client.get(path).json or {})
    assert (client.get(path, headers=bearer(made["token"])).json or {})["url"] == PUSH["url"]
    listed: Any = client.get("/v1/bots").json
    assert all("url" not in bot and "token" not in bot for bot in listed["items"])


def test_a_name_is_unique_until_its_bot_is_deleted(client: FlaskClient) -> None:
    made = register(client, POLL)
    problem(client.post("/v1/bots", json=POLL, headers=bearer(ORGANISER)), 409, "name_taken")
    deleted = client.delete(f"/v1/bots/{made['bot']}", headers=bearer(made["token"]))
    assert deleted.status_code == 204
    problem(client.get(f"/v1/bots/{made['bot']}"), 404, "not_found")
    register(client, POLL)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({**POLL, "name": "Upper"}, "name"),
        ({**POLL, "name": "x" * 41}, "name"),
        ({**POLL, "name": "-x"}, "name"),
        ({**POLL, "name": "x\n"}, "name"),
        ({**POLL, "name": "me"}, "name"),
        ({**POLL, "kind": "pull"}, "kind"),
        ({"name": "x"}, "kind"),
        ({**POLL, "url": "http://x.example"}, "url"),
        ({"name": "x", "kind": "push"}, "url"),
        ({**PUSH, "url": "bot"}, "url"),
        ({**PUSH, "url": "ftp://x.example"}, "url"),
        ({**PUSH, "url": "http://user:pass@x.example"}, "url"),
        ({**PUSH, "url": "http://x.example/?a=b"}, "url"),
        ({**PUSH, "url": "http://x.example/ a"}, "url"),
        ({**PUSH, "url": "http://"}, "url"),
        ({**PUSH, "url": 5}, "url"),
        ({**POLL, "casual": 1}, "casual"),
        ({**POLL, "max_games": 0}, "max_games"),
        ({**POLL, "max_games": 257}, "max_games"),
        ({**POLL, "owner": "me"}, "owner"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_field(client: FlaskClient, body: Json, field: str) -> None:
    found = problem(client.post("/v1/bots", json=body, headers=bearer(ORGANISER)), 422, "invalid_request")
    assert field in found["errors"]
    assert (client.get("/v1/bots").json or {})["items"] == []


def test_what_is_left_out_stays_as_it_is(client: FlaskClient) -> None:
    made = register(client, PUSH)
    changed = client.patch(f"/v1/bots/{made['bot']}", json={"casual": True}, headers=bearer(made["token"])).json or {}
    assert changed["casual"] is True
    assert changed["url"] == PUSH["url"]
    renamed = client.patch(f"/v1/bots/{made['bot']}", json={"name": "other"}, headers=bearer(made["token"]))
    problem(renamed, 422, "invalid_request")


def test_a_replaced_token_is_valid_until_the_time_that_the_answer_states(client: FlaskClient) -> None:
    made = register(client, POLL)
    path = f"/v1/bots/{made['bot']}"
    rotated = client.post(f"{path}/token", headers=bearer(made["token"])).json or {}
    assert rotated["old_token_valid_until"].endswith("Z")
    for token in (made["token"], rotated["token"]):
        assert client.get(f"{path}/faults", headers=bearer(token)).status_code == 200


def test_a_token_that_replaces_a_leaked_one_ends_it_at_once(client: FlaskClient) -> None:
    made = register(client, POLL)
    path = f"/v1/bots/{made['bot']}"
    rotated = client.post(f"{path}/token", json={"at_once": True}, headers=bearer(made["token"])).json or {}
    assert rotated["old_token_valid_until"] is None
    problem(client.get(f"{path}/faults", headers=bearer(made["token"])), 401, "unauthorized")
    assert client.get(f"{path}/faults", headers=bearer(rotated["token"])).status_code == 200


def test_a_new_secret_leaves_the_old_one_valid_for_a_while(client: FlaskClient) -> None:
    made = register(client, PUSH)
    rotated = client.post(f"/v1/bots/{made['bot']}/secret", headers=bearer(made["token"])).json or {}
    assert rotated["secret"] != made["secret"]
    assert rotated["old_secret_valid_until"].endswith("Z")
    poller = register(client, POLL)
    response = client.post(f"/v1/bots/{poller['bot']}/secret", headers=bearer(poller["token"]))
    problem(response, 409, "wrong_state")


def test_a_sixth_secret_is_refused_with_the_time_when_there_is_room(client: FlaskClient) -> None:
    made = register(client, PUSH)
    path = f"/v1/bots/{made['bot']}/secret"
    first, *_ = [client.post(path, headers=bearer(made["token"])).json or {} for _ in range(4)]
    refused = problem(client.post(path, headers=bearer(made["token"])), 409, "wrong_state")
    assert first["old_secret_valid_until"] in refused["detail"]
    assert client.post(path, json={"at_once": True}, headers=bearer(made["token"])).status_code == 200
    problem(client.post(path, json={"at_once": 1}, headers=bearer(made["token"])), 422, "invalid_request")


def test_lists_go_on_by_link(client: FlaskClient) -> None:
    for number in range(5):
        register(client, {"name": f"bot-{number}", "kind": "poll"})
    names: list[str] = []
    path: str | None = "/v1/bots?limit=2"
    pages = 0
    while path is not None:
        response = client.get(path)
        body: Json = response.json or {}
        names += [bot["name"] for bot in body["items"]]
        link = response.headers.get("Link")
        assert (link is None) == (body["next"] is None)
        path = None if link is None else link.removeprefix("<").removesuffix('>; rel="next"')
        pages += 1
    assert sorted(names) == [f"bot-{number}" for number in range(5)]
    assert pages == 3


def test_pages_are_checked(client: FlaskClient) -> None:
    for query, field in (
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("cursor=", "cursor"),
        ("cursor=junk", "cursor"),
        ("page=2", "page"),
    ):
        assert field in problem(client.get(f"/v1/bots?{query}"), 422, "invalid_request")["errors"]


def test_a_poll_bot_learns_what_it_owes_and_answers(client: FlaskClient) -> None:
    made = register(client, {**POLL, "casual": True})
    game = new_game(client, 2, seats=["creator", {"bot": "poller"}])
    waiting: Json = client.get("/v1/bots/me/decisions?version=1.0", headers=bearer(made["token"])).json or {}
    (ask,) = waiting["decisions"]
    assert ask["game"] == game.id
    assert ask["decision"]["id"] == "1.play.1.0"
    assert [notice["type"] for notice in waiting["notices"]] == ["start"]
    answer = {"decision": "1.play.1.0", "index": 0}
    acted = client.post(f"{game.path}/actions", json=answer, headers=bearer(made["token"]))
    assert acted.status_code == 200
    after: Json = (
        client.get(f"/v1/bots/me/decisions?after={waiting['cursor']}&wait=20", headers=bearer(made["token"])).json or {}
    )
    assert after["decisions"] == []
    assert (client.get(f"/v1/bots/{made['bot']}").json or {})["status"] == "online"


def test_only_a_poll_bot_polls(client: FlaskClient) -> None:
    path = "/v1/bots/me/decisions"
    problem(client.get(path), 401, "unauthorized")
    problem(client.get(path, headers=bearer(ORGANISER)), 403, "forbidden")
    problem(client.get(path, headers=bearer(register(client, PUSH)["token"])), 403, "forbidden")


def test_a_bot_that_is_not_casual_is_seated_by_its_owner_only(client: FlaskClient) -> None:
    made = register(client, POLL)
    body = {"players": 2, "seats": ["creator", {"bot": "poller"}]}
    problem(client.post("/v1/games", json=body), 401, "unauthorized")
    for token in (made["token"], ORGANISER):
        assert client.post("/v1/games", json=body, headers=bearer(token)).status_code == 201


@pytest.fixture
def two_bots_each(context: Context) -> FlaskClient:
    """A service in which an author may have two bots."""
    return create_app(replace(context, settings=replace(context.settings, max_bots=2))).test_client()


def test_an_author_has_so_many_bots_and_not_more(two_bots_each: FlaskClient) -> None:
    client = two_bots_each
    made = [client.post("/v1/keys", json={"role": "author", "name": name}, headers=bearer(ORGANISER)) for name in "ab"]
    mine, anothers = ((key.json or {})["key"] for key in made)

    def register(name: str, token: str) -> Any:
        return client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(token))

    bots = [register(name, mine) for name in ("one", "two")]
    found = problem(register("three", mine), 409, "wrong_state")
    assert found["detail"] == "This key has 2 bots, as many as it may have: delete one."
    problem(register("one", mine), 409, "name_taken")
    assert register("three", anothers).status_code == 201, "the name was not held"
    assert client.delete(f"/v1/bots/{(bots[0].json or {})['bot']}", headers=bearer(mine)).status_code == 204
    assert register("one", mine).status_code == 201
    assert all(register(name, ORGANISER).status_code == 201 for name in ("red", "green", "blue"))


def test_a_bot_goes_by_its_name_wherever_its_id_does(client: FlaskClient) -> None:
    made = register(client, POLL)
    by_id, by_name = f"/v1/bots/{made['bot']}", f"/v1/bots/{made['name']}"
    assert client.get(by_name).json == client.get(by_id).json
    changed = client.patch(by_name, json={"max_games": 9}, headers=bearer(made["token"])).json or {}
    assert changed["max_games"] == 9
    assert client.get(f"{by_name}/faults", headers=bearer(made["token"])).status_code == 200
    assert client.post(f"{by_name}/token", headers=bearer(made["token"])).status_code == 200
    assert client.delete(by_name, headers=bearer(made["token"])).status_code == 204
    problem(client.get(by_name), 404, "not_found")
