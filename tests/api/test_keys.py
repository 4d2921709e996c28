"""`/v1/keys`."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, problem


def test_a_key_is_shown_once(client: FlaskClient) -> None:
    response = client.post("/v1/keys", json={"role": "author", "name": "Ada"}, headers=bearer(ORGANISER))
    made: Json = response.json or {}
    assert response.status_code == 201
    assert response.headers["Cache-Control"] == "no-store"
    assert made["key"].startswith(f"mbk_{made['id']}.")
    listed = client.get("/v1/keys", headers=bearer(ORGANISER))
    assert made["key"] not in listed.text
    assert (listed.json or {})["items"] == [{name: made[name] for name in ("id", "role", "name", "created")}]


def test_a_key_does_what_its_role_may(client: FlaskClient) -> None:
    made: Json = client.post("/v1/keys", json={"role": "author", "name": "Ada"}, headers=bearer(ORGANISER)).json or {}
    body = {"name": "bot", "kind": "poll"}
    assert client.post("/v1/bots", json=body, headers=bearer(made["key"])).status_code == 201


def test_a_key_is_revoked_once(client: FlaskClient) -> None:
    made: Json = client.post("/v1/keys", json={"role": "creator", "name": "x"}, headers=bearer(ORGANISER)).json or {}
    path = f"/v1/keys/{made['id']}"
    assert client.delete(path, headers=bearer(ORGANISER)).status_code == 204
    problem(client.delete(path, headers=bearer(ORGANISER)), 404, "not_found")
    assert (client.get("/v1/keys", headers=bearer(ORGANISER)).json or {})["items"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"role": "king", "name": "x"}, "role"),
        ({"name": "x"}, "role"),
        ({"role": "author"}, "name"),
        ({"role": "author", "name": ""}, "name"),
        ({"role": "author", "name": "x", "key": "mine"}, "key"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_field(client: FlaskClient, body: Json, field: str) -> None:
    found = problem(client.post("/v1/keys", json=body, headers=bearer(ORGANISER)), 422, "invalid_request")
    assert field in found["errors"]
