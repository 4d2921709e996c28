"""Names of players, games, tournaments and bots go by one rule, wherever they come in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import ORGANISER
from tests.api.game_setup import bearer, new_game, problem

GOOD = ("Ann", "山田\u3000太郎", "علی\u200cرضا", "👩\u200d👩\u200d👧\u200d👦", "Ann\u00a0Author", "x" * 60)
BAD = ("", " ", "\u200d", "a\nb", "a\tb", "\x1b[31mred", "a\u202eb", "a\u2066b", "x" * 61)

Answer = Any


def of_a_player(client: FlaskClient, name: str) -> Answer:
    game = new_game(client, 2, seats=["creator", "open"])
    return client.post(f"{game.path}/seats/1", json={"name": name})


def of_the_creator(client: FlaskClient, name: str) -> Answer:
    return client.post("/v1/games", json={"players": 2, "seats": [{"name": name}, "creator"]})


def of_a_game(client: FlaskClient, name: str) -> Answer:
    return client.post("/v1/games", json={"players": 2, "name": name})


def of_a_tournament(client: FlaskClient, name: str) -> Answer:
    for bot in ("anne", "bert"):
        client.post("/v1/bots", json={"name": bot, "kind": "poll"}, headers=bearer(ORGANISER))
    body = {"name": name, "bots": ["anne", "bert"], "players": 2}
    return client.post("/v1/tournaments", json=body, headers=bearer(ORGANISER))


def of_a_bot(client: FlaskClient, name: str) -> Answer:
    body = {"name": "slug", "kind": "poll", "display_name": name}
    return client.post("/v1/bots", json=body, headers=bearer(ORGANISER))


def of_a_changed_bot(client: FlaskClient, name: str) -> Answer:
    made = client.post("/v1/bots", json={"name": "slug", "kind": "poll"}, headers=bearer(ORGANISER)).json or {}
    return client.patch(f"/v1/bots/{made['bot']}", json={"display_name": name}, headers=bearer(ORGANISER))


NAMED: tuple[Callable[[FlaskClient, str], Answer], ...] = (
    of_a_player,
    of_the_creator,
    of_a_game,
    of_a_tournament,
    of_a_bot,
    of_a_changed_bot,
)


@pytest.mark.parametrize("name", GOOD, ids=ascii)
@pytest.mark.parametrize("named", NAMED)
def test_a_name_is_taken(client: FlaskClient, named: Callable[[FlaskClient, str], Answer], name: str) -> None:
    assert named(client, name).status_code in (200, 201, 202)


@pytest.mark.parametrize("name", BAD, ids=ascii)
@pytest.mark.parametrize("named", NAMED)
def test_what_is_no_name_is_refused(
    client: FlaskClient, named: Callable[[FlaskClient, str], Answer], name: str
) -> None:
    problem(named(client, name), 422, "invalid_request")


def test_the_creator_names_own_seats(client: FlaskClient) -> None:
    game = new_game(client, 3, seats=[{"name": "Ann"}, "creator", {"name": "Ben"}])
    assert [seat["name"] for seat in game.view()["seats"]] == ["Ann", "player 1", "Ben"]
    assert sorted(game.tokens) == [0, 1, 2]


def test_the_error_names_the_seat_whose_name_is_none(client: FlaskClient) -> None:
    refused = problem(
        client.post("/v1/games", json={"players": 2, "seats": ["creator", {"name": "a\u202eb"}]}),
        422,
        "invalid_request",
    )
    assert "U+202E" in str(refused["errors"])
    assert "seats" in str(refused["errors"])


def test_a_bots_display_name_is_shown_and_its_name_stays_a_slug(client: FlaskClient) -> None:
    made = client.post(
        "/v1/bots", json={"name": "robot", "kind": "poll", "display_name": "Robotà 山"}, headers=bearer(ORGANISER)
    ).json
    assert made is not None
    assert (made["name"], made["display_name"]) == ("robot", "Robotà 山")
    bad = {"name": "Robotà", "kind": "poll"}
    problem(client.post("/v1/bots", json=bad, headers=bearer(ORGANISER)), 422, "invalid_request")
    path = f"/v1/bots/{made['bot']}"
    assert (client.patch(path, json={"display_name": None}, headers=bearer(ORGANISER)).json or {})[
        "display_name"
    ] is None
