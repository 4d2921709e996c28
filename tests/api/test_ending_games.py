"""Resignation, abortion, records."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.engine.record import verify
from tests.api.conftest import ORGANISER
from tests.api.game_setup import bearer, new_game, problem


def test_a_seat_resigns_and_may_say_so_again(client: FlaskClient) -> None:
    game = new_game(client, 3)
    first = client.post(f"{game.path}/resignation", headers=bearer(game.tokens[0]))
    assert first.status_code == 200
    again = client.post(f"{game.path}/resignation", json={}, headers=bearer(game.tokens[0]))
    assert again.status_code == 200
    assert first.json is not None and again.json is not None
    assert first.json["version"] == again.json["version"]
    assert first.json["observation"]["seats"][0]["resigned"] is True


def test_when_a_single_seat_is_left_it_has_won(client: FlaskClient) -> None:
    game = new_game(client, 2)
    client.post(f"{game.path}/resignation", headers=bearer(game.tokens[1]))
    assert game.view()["places"] == [1, 2]
    record = client.get(f"{game.path}/record").json
    assert record is not None
    assert record["result"]["ended"] == "resigned"
    verify(record)


def test_a_resignation_has_no_members(client: FlaskClient) -> None:
    game = new_game(client)
    response = client.post(f"{game.path}/resignation", json={"why": "x"}, headers=bearer(game.tokens[0]))
    problem(response, 422, "invalid_request")
    assert not game.view()["seats"][0]["resigned"]


def test_nobody_resigns_before_the_start_or_after_the_end(client: FlaskClient) -> None:
    game = new_game(client, seats=["creator", "open"])
    problem(client.post(f"{game.path}/resignation", headers=bearer(game.tokens[0])), 409, "wrong_state")
    over = new_game(client, seed="over")
    over.play_out()
    problem(client.post(f"{over.path}/resignation", headers=bearer(over.tokens[0])), 409, "game_over")


def test_the_creator_aborts_and_may_say_so_again(client: FlaskClient) -> None:
    game = new_game(client)
    for _ in range(2):
        response = client.delete(game.path, headers=bearer(game.creator))
        assert response.status_code == 204
        assert response.data == b""
    assert game.view()["status"] == "aborted"
    assert game.view()["places"] is None
    record = client.get(f"{game.path}/record").json
    assert record is not None
    assert record["result"]["ended"] == "aborted"
    verify(record)


def test_an_organiser_aborts_any_game(client: FlaskClient) -> None:
    game = new_game(client)
    assert client.delete(game.path, headers=bearer(ORGANISER)).status_code == 204


def test_what_is_finished_is_not_aborted(client: FlaskClient) -> None:
    game = new_game(client, seed="over")
    game.play_out()
    problem(client.delete(game.path, headers=bearer(game.creator)), 409, "game_over")


def test_a_game_that_is_not_over_has_no_record(client: FlaskClient) -> None:
    problem(client.get(f"{new_game(client).path}/record"), 409, "game_not_over")
