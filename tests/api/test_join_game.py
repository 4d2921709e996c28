"""`POST /v1/games/{id}/seats/{n}`."""

from __future__ import annotations

from flask.testing import FlaskClient

from tests.api.game_setup import ApiGame, new_game, problem


def test_whoever_joins_gets_the_seats_token_and_the_last_one_starts_the_game(client: FlaskClient) -> None:
    game = new_game(client, 2, seats=["creator", "open"])
    response = client.post(f"{game.path}/seats/1", json={"name": "Ada"})
    joined = response.json
    assert joined is not None
    assert response.status_code == 201
    assert response.headers["Cache-Control"] == "no-store"
    assert joined["game"] == game.id
    assert joined["seat"] == 1
    both = ApiGame(client, game.id, game.creator, {**game.tokens, 1: joined["token"]})
    assert both.view(1)["seat"] == 1
    assert both.view()["status"] == "running"
    assert both.view()["seats"][1]["name"] == "Ada"


def test_a_name_is_not_needed(client: FlaskClient) -> None:
    game = new_game(client, 2, seats=["creator", "open"])
    assert client.post(f"{game.path}/seats/1").status_code == 201


def test_a_seat_is_taken_once(client: FlaskClient) -> None:
    game = new_game(client, 3, seats=["creator", "open", "open"])
    assert client.post(f"{game.path}/seats/1", json={}).status_code == 201
    before = game.view()
    problem(client.post(f"{game.path}/seats/1", json={}), 409, "seat_taken")
    problem(client.post(f"{game.path}/seats/0", json={}), 409, "seat_taken")
    assert game.view() == before


def test_seats_out_of_range_are_not_there(client: FlaskClient) -> None:
    game = new_game(client, 2, seats=["creator", "open"])
    for seat in ("2", "3", "4", "-1", "99999999999999999999", "x", "1.0", "%00", ""):
        problem(client.post(f"{game.path}/seats/{seat}", json={}), 404, "not_found")


def test_a_name_must_be_printable(client: FlaskClient) -> None:
    game = new_game(client, 2, seats=["creator", "open"])
    for name in ("", "\x1b[31mred", "x" * 61, 5):
        found = problem(client.post(f"{game.path}/seats/1", json={"name": name}), 422, "invalid_request")
        assert "name" in found["errors"]
    assert game.view()["status"] == "open"
