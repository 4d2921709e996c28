"""`GET /v1/tournaments/{id}/export`: the whole tournament, once it is over."""

from __future__ import annotations

from typing import Any

from flask.testing import FlaskClient

from service.archive.verify import verify
from service.operations.context import Context
from tests.api.conftest import ORGANISER
from tests.api.game_setup import bearer, problem
from tests.operations.tournament_setup import play_all, play_number


def begin(client: FlaskClient) -> str:
    """A tournament of two bots and two matches; its id."""
    for name in ("ann", "ben"):
        client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(ORGANISER))
    body = {"name": "cup", "bots": ["ann", "ben"], "players": 2, "seed": "cup-seed"}
    return str((client.post("/v1/tournaments", json=body, headers=bearer(ORGANISER)).json or {})["tournament"])


def test_a_tournament_that_is_over_is_exported_whole_and_sound(client: FlaskClient, context: Context) -> None:
    tournament = begin(client)
    play_all(context, tournament)
    response = client.get(f"/v1/tournaments/{tournament}/export")
    assert response.status_code == 200
    archive: Any = response.json
    assert verify(archive).finished == 2
    path = f"/v1/tournaments/{tournament}"
    assert archive["standings"] == (client.get(f"{path}/standings").json or {})["standings"]
    assert archive["commitment"] == (client.get(path).json or {})["commitment"]
    games = [entry["record"]["game"] for entry in archive["matches"]]
    assert archive["matches"][0]["record"] == client.get(f"/v1/games/{games[0]}/record").json
    assert archive["settings"]["seed"] == "cup-seed"


def test_before_it_is_over_there_is_nothing_to_export(client: FlaskClient, context: Context) -> None:
    tournament = begin(client)
    play_number(context, tournament, 0)
    response = client.get(f"/v1/tournaments/{tournament}/export")
    assert "cup-seed" not in problem(response, 409, "wrong_state")["detail"]


def test_a_tournament_that_is_not_there_is_not_found(client: FlaskClient) -> None:
    problem(client.get("/v1/tournaments/nosuch/export"), 404, "not_found")
