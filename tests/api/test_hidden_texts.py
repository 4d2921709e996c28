"""`/v1/hidden-texts`."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from service.operations.access.hidden_texts import MAX_TEXTS
from tests.api.conftest import ORGANISER
from tests.api.game_setup import bearer, problem

PATH = "/v1/hidden-texts"


def items(client: FlaskClient) -> list[str]:
    found: list[str] = (client.get(PATH, headers=bearer(ORGANISER)).json or {})["items"]
    return found


def test_texts_are_hidden_and_shown_again(client: FlaskClient) -> None:
    for text in ("rude", "ruder", "rude"):
        assert client.post(PATH, json={"text": text}, headers=bearer(ORGANISER)).status_code == 200
    assert items(client) == ["rude", "ruder"]
    removal = client.post(f"{PATH}/removals", json={"text": "rude"}, headers=bearer(ORGANISER))
    assert removal.json == {"items": ["ruder"]}
    again = client.post(f"{PATH}/removals", json={"text": "rude"}, headers=bearer(ORGANISER))
    problem(again, 404, "not_found")


def test_only_an_organiser_may_hide_texts(client: FlaskClient) -> None:
    made = client.post("/v1/keys", json={"role": "author", "name": "x"}, headers=bearer(ORGANISER)).json or {}
    problem(client.post(PATH, json={"text": "rude"}), 401, "unauthorized")
    problem(client.get(PATH), 401, "unauthorized")
    problem(client.post(PATH, json={"text": "rude"}, headers=bearer(made["key"])), 403, "forbidden")
    assert items(client) == []


@pytest.mark.parametrize("body", [{}, {"text": ""}, {"text": " \u3164 "}, {"text": "x" * 501}, {"text": 1}])
def test_what_cannot_be_hidden_is_refused_with_the_field(client: FlaskClient, body: dict[str, object]) -> None:
    found = problem(client.post(PATH, json=body, headers=bearer(ORGANISER)), 422, "invalid_request")
    assert "text" in found["errors"]


def test_no_more_than_so_many_texts_are_hidden(client: FlaskClient) -> None:
    for number in range(MAX_TEXTS):
        client.post(PATH, json={"text": f"rude {number}"}, headers=bearer(ORGANISER))
    problem(client.post(PATH, json={"text": "one more"}, headers=bearer(ORGANISER)), 409, "wrong_state")
    assert client.post(PATH, json={"text": "rude 0"}, headers=bearer(ORGANISER)).status_code == 200
