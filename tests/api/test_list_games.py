"""`GET /v1/games`."""

from __future__ import annotations

from flask.testing import FlaskClient

from tests.api.game_setup import Json, bearer, new_game, problem


def listed(client: FlaskClient, query: str = "") -> list[str]:
    """Ids of the games listed, newest first."""
    found: Json = client.get(f"/v1/games{query}").json or {}
    return [game["game"] for game in found["items"]]


def test_only_public_games_are_listed_newest_first(client: FlaskClient) -> None:
    first = new_game(client, 2, public=True)
    new_game(client, 2)
    second = new_game(client, 2, public=True)
    assert listed(client) == [second.id, first.id]


def test_games_are_listed_by_status(client: FlaskClient) -> None:
    waiting = new_game(client, 3, public=True, seats=["creator", "open", "open"], name="join me", turn_seconds=60)
    running = new_game(client, 2, public=True)
    aborted = new_game(client, 2, public=True)
    client.delete(aborted.path, headers=bearer(aborted.creator))
    assert listed(client, "?status=open") == [waiting.id]
    assert listed(client, "?status=running") == [running.id]
    assert listed(client, "?status=aborted") == [aborted.id]
    assert listed(client, "?status=finished") == []
    shown: Json = client.get("/v1/games?status=open").json or {}
    (game,) = shown["items"]
    assert game["name"] == "join me"
    assert game["open_seats"] == [1, 2]
    assert game["turn_seconds"] == 60


def test_a_list_goes_on_by_link(client: FlaskClient) -> None:
    made = [new_game(client, 2, public=True).id for _ in range(5)]
    found: list[str] = []
    path: str | None = "/v1/games?limit=2&status=running"
    while path is not None:
        response = client.get(path)
        found += [game["game"] for game in (response.json or {})["items"]]
        link = response.headers.get("Link")
        path = None if link is None else link.removeprefix("<").removesuffix('>; rel="next"')
    assert found == made[::-1]


def test_queries_are_checked(client: FlaskClient) -> None:
    for query, field in (("status=dead", "status"), ("limit=0", "limit"), ("cursor=junk", "cursor"), ("x=1", "x")):
        assert field in problem(client.get(f"/v1/games?{query}"), 422, "invalid_request")["errors"]
