"""`/v1/ladders`. No worker runs here: what is played is tested with the use cases and the workers."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, problem

BODY: Json = {"name": "house ladder", "references": ["anne"], "players": 2}


@pytest.fixture
def bots(client: FlaskClient) -> dict[str, Json]:
    """Two registered bots by name."""
    found = {}
    for name in ("anne", "bert"):
        response = client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(ORGANISER))
        found[name] = response.json or {}
    return found


def opened(client: FlaskClient) -> str:
    """Opens a ladder; its path."""
    response = client.post("/v1/ladders", json=BODY, headers=bearer(ORGANISER))
    assert response.status_code == 201, response.text
    return str(response.headers["Location"])


@pytest.mark.usefixtures("bots")
def test_a_ladder_is_opened_listed_and_read(client: FlaskClient) -> None:
    path = opened(client)
    shown: Any = client.get(path).json
    assert (shown["status"], shown["season"]["season"], shown["season"]["blocks"]) == ("open", 1, 0)
    listed: Any = client.get("/v1/ladders").json
    assert [item["name"] for item in listed["items"]] == ["house ladder"]
    season: Any = client.get(f"/v1/tournaments/{shown['season']['tournament']}").json
    assert season["settings"]["format"] == "ladder" and "seed" not in season


def test_a_bot_enters_by_its_own_token_and_leaves(client: FlaskClient, bots: dict[str, Json]) -> None:
    path, own = opened(client), bearer(bots["bert"]["token"])
    entered = client.post(f"{path}/entrants", json={"bot": "bert"}, headers=own)
    assert (entered.status_code, (entered.json or {})["away"]) == (201, "offline")
    twice = client.post(f"{path}/entrants", json={"bot": "bert"}, headers=own)
    problem(twice, 409, "wrong_state")
    table: Any = client.get(f"{path}/table").json
    assert {row["name"]: row["reference"] for row in table["table"]} == {"anne": True, "bert": False}
    assert client.delete(f"{path}/entrants/bert", headers=own).status_code == 204
    events: Any = client.get(f"{path}/events?after=0").json
    assert [event["type"] for event in events["events"]] == ["started", "season_begun", "entered", "left"]


def test_a_stranger_enters_no_bot_and_opens_no_ladder(client: FlaskClient, bots: dict[str, Json]) -> None:
    path, other = opened(client), bearer(bots["anne"]["token"])
    assert client.post(f"{path}/entrants", json={"bot": "bert"}, headers=other).status_code == 403
    assert client.post(f"{path}/entrants", json={"bot": "bert"}).status_code == 401
    assert client.post("/v1/ladders", json=BODY, headers=other).status_code == 403
    assert client.post(f"{path}/seasons", json={}, headers=other).status_code == 403


@pytest.mark.usefixtures("bots")
def test_a_season_ends_and_is_exported_and_one_that_runs_is_not(client: FlaskClient) -> None:
    path = opened(client)
    assert client.get(f"{path}/seasons/1/export").status_code == 409
    past = client.post(f"{path}/seasons", json={"ends": "2020-01-01T00:00:00Z"}, headers=bearer(ORGANISER))
    assert "ends" in problem(past, 422, "invalid_request")["errors"]
    ended: Any = client.post(f"{path}/seasons", json={}, headers=bearer(ORGANISER))
    assert (ended.status_code, ended.json["season"]) == (201, 2)
    exported: Any = client.get(f"{path}/seasons/1/export").json
    assert [entry["type"] for entry in exported["log"]] == ["entered", "away"]
    assert client.get(f"{path}/seasons/3/export").status_code == 404


@pytest.mark.usefixtures("bots")
def test_a_closed_ladder_can_be_read_and_takes_nobody(client: FlaskClient) -> None:
    path = opened(client)
    assert client.delete(path, headers=bearer(ORGANISER)).status_code == 204
    assert (client.get(path).json or {})["status"] == "closed"
    refused = client.post(f"{path}/entrants", json={"bot": "bert"}, headers=bearer(ORGANISER))
    assert "closed" in problem(refused, 409, "wrong_state")["detail"]
    assert client.get("/v1/ladders/nowhere").status_code == 404


@pytest.mark.usefixtures("bots")
def test_a_season_is_listed_and_shown_as_a_tournament_and_stays(client: FlaskClient) -> None:
    path = opened(client)
    assert client.post(f"{path}/entrants", json={"bot": "bert"}, headers=bearer(ORGANISER)).status_code == 201
    running: Any = client.get("/v1/tournaments").json
    assert [(item["name"], item["status"]) for item in running["items"]] == [("house ladder, season 1", "running")]
    season = running["items"][0]["tournament"]
    assert client.post(f"{path}/seasons", json={}, headers=bearer(ORGANISER)).status_code == 201
    over: Any = client.get("/v1/tournaments").json
    assert [item["status"] for item in over["items"]] == ["running", "finished"]
    for page in ("/", "/tournaments", f"/tournaments/{season}", f"/tournaments/{season}/schedule", "/bots/bert"):
        assert client.get(page).status_code == 200, page
    kept = client.delete(f"/v1/tournaments/{season}", headers=bearer(ORGANISER))
    assert "stays with its ladder" in problem(kept, 409, "wrong_state")["detail"]
