"""`/v1/tournaments`. No worker runs here: what is played is tested with the workers."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.operations.context import Context
from service.operations.tournaments import lifecycle
from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, problem

NAMES = ("anne", "bert", "cleo", "dora")
BODY: Json = {"name": "spring league", "bots": list(NAMES), "players": 4, "deals": 2}


@pytest.fixture
def bots(client: FlaskClient) -> dict[str, Json]:
    """Four registered bots by name."""
    found = {}
    for name in NAMES:
        response = client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(ORGANISER))
        found[name] = response.json or {}
    return found


SUMMARY = ("tournament", "name", "status", "reason", "commitment", "created", "matches")
"""What a list shows of a tournament."""


def create(client: FlaskClient, **members: Any) -> Json:
    """Creates a tournament."""
    response = client.post("/v1/tournaments", json={**BODY, **members}, headers=bearer(ORGANISER))
    assert response.status_code == 202, response.text
    made: Json = response.json or {}
    assert response.headers["Location"] == f"/v1/tournaments/{made['tournament']}"
    return made


def step(client: FlaskClient, made: Json, call: str, body: Json | None = None) -> Any:
    """Steers a tournament."""
    path = f"/v1/tournaments/{made['tournament']}/{call}"
    return client.post(path, json=body, headers=bearer(ORGANISER))


@pytest.mark.usefixtures("bots")
def test_a_tournament_is_created_with_its_defaults_filled_in(client: FlaskClient) -> None:
    made = create(client)
    assert made["status"] == "running"
    assert made["matches"] == {"total": 8, "drawn": 8, "finished": 0, "cancelled": 0}
    assert made["settings"]["move_ms"] == 1000
    assert made["settings"]["policy"] == "lenient"
    assert "seed" not in made
    shown: Any = client.get(f"/v1/tournaments/{made['tournament']}").json
    assert {(entrant.pop("status"), entrant.pop("last_seen")) for entrant in shown["entrants"]} == {("offline", None)}
    assert shown == made
    listed: Any = client.get("/v1/tournaments").json
    assert listed["items"] == [{name: made[name] for name in SUMMARY}]


@pytest.mark.usefixtures("bots")
def test_tables_matches_schedule_and_events_can_be_read_at_once(client: FlaskClient) -> None:
    path = f"/v1/tournaments/{create(client)['tournament']}"
    standings: Any = client.get(f"{path}/standings").json
    assert {row["name"] for row in standings["standings"]} == set(NAMES)
    assert client.get(f"{path}/crosstable").status_code == 200
    first: Any = client.get(f"{path}/matches?limit=5")
    assert [match["status"] for match in first.json["items"]] == ["scheduled"] * 5
    second: Any = client.get(first.headers["Link"][1:].split(">")[0]).json
    assert len(second["items"]) == 3
    assert second["next"] is None
    schedule: Any = client.get(f"{path}/schedule?limit=100").json
    assert [row["match"] for row in schedule["items"]] == [
        row["match"] for row in [*first.json["items"], *second["items"]]
    ]
    events: Any = client.get(f"{path}/events").json
    assert [event["type"] for event in events["events"]] == ["started"]


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"bots": ["anne"]}, "bots"),
        ({"bots": []}, "bots"),
        ({"bots": ["anne", "anne", "bert", "cleo"]}, "bots"),
        ({"bots": ["anne", "bert", "cleo", "nobody"]}, "bots"),
        ({"bots": "anne"}, "bots"),
        ({"players": 5}, "players"),
        ({"deals": 0}, "deals"),
        ({"deals": 1_000_000}, "deals"),
        ({"format": "league"}, "format"),
        ({"move_ms": 0}, "move_ms"),
        ({"move_ms": 9}, "move_ms"),
        ({"bank_ms": -1}, "bank_ms"),
        ({"policy": "harsh"}, "policy"),
        ({"name": None}, "name"),
        ({"seed": ""}, "seed"),
        ({"variants": {"tally": "x"}}, "variants"),
        ({"components": {"ships": []}}, "components"),
        ({"colour": "red"}, "colour"),
    ],
)
@pytest.mark.usefixtures("bots")
def test_what_cannot_be_used_is_refused_with_the_field(client: FlaskClient, members: Json, field: str) -> None:
    response = client.post("/v1/tournaments", json={**BODY, **members}, headers=bearer(ORGANISER))
    assert field in problem(response, 422, "invalid_request")["errors"]
    assert (client.get("/v1/tournaments").json or {})["items"] == []


@pytest.mark.usefixtures("bots")
def test_a_tournament_is_paused_resumed_and_cancelled(client: FlaskClient) -> None:
    made = create(client)
    for call, status in (
        ("pause", "paused"),
        ("pause", "paused"),
        ("resumption", "running"),
        ("cancellation", "cancelled"),
        ("cancellation", "cancelled"),
    ):
        assert step(client, made, call).json["status"] == status
    for call in ("pause", "resumption"):
        problem(step(client, made, call), 409, "wrong_state")


@pytest.mark.usefixtures("bots")
def test_what_is_over_opens_its_commitment(client: FlaskClient) -> None:
    made = create(client, seed="open-me")
    assert "open-me" not in client.get(f"/v1/tournaments/{made['tournament']}").text
    assert "open-me" not in client.get(f"/v1/tournaments/{made['tournament']}/events").text
    step(client, made, "cancellation")
    shown: Json = client.get(f"/v1/tournaments/{made['tournament']}").json or {}
    assert shown["seed"] == "open-me"


def test_a_bot_is_withdrawn_by_an_organiser_or_by_itself(client: FlaskClient, bots: dict[str, Json]) -> None:
    made = create(client)
    assert step(client, made, "withdrawals", {"bot": "anne"}).json["withdrawn"] == ["anne"]
    path = f"/v1/tournaments/{made['tournament']}/withdrawals"
    problem(client.post(path, json={"bot": "cleo"}, headers=bearer(bots["bert"]["token"])), 403, "forbidden")
    problem(client.post(path, json={"bot": "bert"}), 401, "unauthorized")
    left: Any = client.post(path, json={"bot": "bert"}, headers=bearer(bots["bert"]["token"])).json
    assert set(left["withdrawn"]) == {"anne", "bert"}
    problem(step(client, made, "withdrawals", {"bot": "nobody"}), 422, "invalid_request")


def test_a_bot_of_a_running_tournament_is_not_deleted(client: FlaskClient, bots: dict[str, Json]) -> None:
    made = create(client)
    path = f"/v1/bots/{bots['anne']['bot']}"
    problem(client.delete(path, headers=bearer(ORGANISER)), 409, "wrong_state")
    step(client, made, "cancellation")
    assert client.delete(path, headers=bearer(ORGANISER)).status_code == 204


@pytest.mark.usefixtures("bots")
def test_events_are_streamed_to_the_end(client: FlaskClient, context: Context) -> None:
    made = create(client)
    assert lifecycle.finish(context, made["tournament"], "failed", "nobody plays here")
    path = f"/v1/tournaments/{made['tournament']}/events"
    stream = client.get(path, headers={"Accept": "text/event-stream"})
    assert stream.mimetype == "text/event-stream"
    assert "event: failed" in stream.text
    done = client.get(path, headers={"Accept": "text/event-stream", "Last-Event-ID": "2"})
    assert done.status_code == 204


def test_a_tournament_that_is_not_there(client: FlaskClient) -> None:
    for call in ("", "/standings", "/crosstable", "/matches", "/schedule", "/events"):
        problem(client.get(f"/v1/tournaments/nobody{call}"), 404, "not_found")


@pytest.mark.usefixtures("bots")
def test_a_tournament_that_is_over_is_removed_by_an_organiser(client: FlaskClient) -> None:
    made, other = create(client), create(client)
    path = f"/v1/tournaments/{made['tournament']}"
    problem(client.delete(path), 401, "unauthorized")
    problem(client.delete(path, headers=bearer(ORGANISER)), 409, "wrong_state")
    step(client, made, "cancellation")
    author: Any = client.post("/v1/keys", json={"role": "author", "name": "ann"}, headers=bearer(ORGANISER)).json
    problem(client.delete(path, headers=bearer(author["key"])), 403, "forbidden")
    assert client.delete(path, headers=bearer(ORGANISER)).status_code == 204
    for call in ("", "/standings", "/crosstable", "/matches", "/schedule", "/events", "/export"):
        problem(client.get(path + call), 404, "not_found")
    problem(client.delete(path, headers=bearer(ORGANISER)), 404, "not_found")
    listed: Any = client.get("/v1/tournaments").json
    assert [item["tournament"] for item in listed["items"]] == [other["tournament"]]
