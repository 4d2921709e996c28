"""The casual games of a key, and of a bot, are listed for their owner."""

from __future__ import annotations

from typing import Any

from flask.testing import FlaskClient

from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, problem


def key(client: FlaskClient, role: str = "author") -> str:
    body = {"role": role, "name": "somebody"}
    return str((client.post("/v1/keys", json=body, headers=bearer(ORGANISER)).json or {})["key"])


def poller(client: FlaskClient, name: str, owner: str) -> Json:
    body = {"name": name, "kind": "poll", "casual": True}
    return client.post("/v1/bots", json=body, headers=bearer(owner)).json or {}


def game(client: FlaskClient, *seats: Any, token: str | None = None) -> str:
    headers = bearer(token) if token else None
    made: Json = client.post("/v1/games", json={"players": len(seats), "seats": seats}, headers=headers).json or {}
    return str(made["game"])


def listed(client: FlaskClient, path: str, token: str, **query: Any) -> tuple[list[str], str | None]:
    found = client.get(path, headers=bearer(token), query_string=query)
    assert found.status_code == 200, found.text
    page: Json = found.json or {}
    return [item["game"] for item in page["items"]], page["next"]


def test_a_keys_own_games_are_listed_newest_first_private_ones_too(client: FlaskClient) -> None:
    mine, other = key(client), key(client)
    games = [game(client, "creator", "open", token=mine) for _ in range(3)]
    game(client, "creator", "open", token=other)
    game(client, "creator", "open")
    assert listed(client, "/v1/keys/me/games", mine) == (games[::-1], None)
    first, following = listed(client, "/v1/keys/me/games", mine, limit=2)
    assert first == games[:0:-1]
    assert listed(client, "/v1/keys/me/games", mine, limit=2, cursor=following) == ([games[0]], None)


def test_a_bots_own_games_are_listed_for_its_owner_and_itself(client: FlaskClient) -> None:
    mine = key(client)
    bot, other = poller(client, "mine", mine), poller(client, "other", mine)
    games = [game(client, "creator", {"bot": "mine"}), game(client, {"bot": "mine"}, {"bot": "other"})]
    game(client, "creator", {"bot": "other"})
    for path in ("/v1/bots/mine/games", f"/v1/bots/{bot['bot']}/games"):
        for token in (mine, bot["token"], ORGANISER):
            assert listed(client, path, token) == (games[::-1], None)
    problem(client.get("/v1/bots/mine/games"), 401, "unauthorized")
    for token in (other["token"], key(client)):
        problem(client.get("/v1/bots/mine/games", headers=bearer(token)), 403, "forbidden")


def test_own_games_are_filtered_by_status(client: FlaskClient) -> None:
    mine = key(client)
    opened, running = game(client, "creator", "open", token=mine), game(client, "creator", "creator", token=mine)
    assert listed(client, "/v1/keys/me/games", mine, status="open")[0] == [opened]
    assert listed(client, "/v1/keys/me/games", mine, status="running")[0] == [running]
    assert listed(client, "/v1/keys/me/games", mine, status="finished")[0] == []


def test_a_list_of_own_games_needs_a_key(client: FlaskClient) -> None:
    problem(client.get("/v1/keys/me/games"), 401, "unauthorized")
    bot = poller(client, "mine", key(client))
    problem(client.get("/v1/keys/me/games", headers=bearer(bot["token"])), 403, "forbidden")


def test_games_that_are_gone_are_not_listed_and_a_deleted_bot_leaves_no_list(client: FlaskClient, context: Any) -> None:
    mine = key(client)
    bot = poller(client, "mine", mine)
    gone, kept = (game(client, "creator", {"bot": "mine"}, token=mine) for _ in range(2))
    context.games.remove(gone)
    assert listed(client, "/v1/bots/mine/games", mine)[0] == [kept]
    assert client.delete("/v1/bots/mine", headers=bearer(mine)).status_code == 204
    assert context.game_lists.of_bot(bot["bot"], 10, None).ids == ()
