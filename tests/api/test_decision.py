"""`GET /v1/games/{id}/decision` and `…/legal-actions`."""

from __future__ import annotations

import threading

from flask.testing import FlaskClient

from tests.api.game_setup import bearer, new_game, problem


def test_a_seat_is_asked_with_all_that_it_needs(client: FlaskClient) -> None:
    game = new_game(client)
    ask = game.ask(1)
    assert ask is not None
    assert ask["decision"] == {"id": "1.play.1.0", "seat": 1, "type": "play"}
    assert len(ask["legal_actions"]) == 25
    assert ask["observation"] == game.view(1)
    assert ask["budget_ms"] is None
    assert ask["deadline"] is None
    assert ask["match"] is None
    assert ask["previous"] is None


def test_an_ask_shows_the_game_as_it_stood_when_it_was_opened(client: FlaskClient) -> None:
    game = new_game(client, 3)
    before = game.ask(0)
    game.play_cards(1)
    assert game.ask(0) == before


def test_who_owes_nothing_is_asked_nothing(client: FlaskClient) -> None:
    game = new_game(client)
    game.play_cards(0)
    response = client.get(f"{game.path}/decision", headers=bearer(game.tokens[0]))
    assert response.status_code == 204
    assert response.data == b""


def test_nothing_is_asked_while_a_seat_is_open(client: FlaskClient) -> None:
    game = new_game(client, seats=["creator", "open"])
    assert game.ask(0) is None


def test_waiting_ends_when_the_seat_is_asked(client: FlaskClient) -> None:
    game = new_game(client, seats=["creator", "open"])
    later = threading.Timer(0.2, lambda: client.application.test_client().post(f"{game.path}/seats/1", json={}))
    later.start()
    response = client.get(f"{game.path}/decision?wait=20", headers=bearer(game.tokens[0]))
    later.join()
    assert response.status_code == 200


def test_after_the_end_it_is_game_over(client: FlaskClient) -> None:
    game = new_game(client, seed="over")
    game.play_out()
    for call in ("decision", "decision?wait=20", "legal-actions"):
        problem(client.get(f"{game.path}/{call}", headers=bearer(game.tokens[0])), 409, "game_over")


def test_a_deadline_is_stated(client: FlaskClient) -> None:
    ask = new_game(client, turn_seconds=60).ask(0)
    assert ask is not None
    assert 50_000 < ask["budget_ms"] <= 60_000
    assert ask["deadline"].endswith("Z")


def test_legal_actions_are_those_of_the_ask(client: FlaskClient) -> None:
    game = new_game(client)
    ask = game.ask(0)
    found = client.get(f"{game.path}/legal-actions", headers=bearer(game.tokens[0])).json
    assert ask is not None and found is not None
    assert found == {"decision": ask["decision"], "legal_actions": ask["legal_actions"]}


def test_legal_actions_of_a_seat_that_owes_nothing_are_refused(client: FlaskClient) -> None:
    game = new_game(client)
    game.play_cards(0)
    response = client.get(f"{game.path}/legal-actions", headers=bearer(game.tokens[0]))
    problem(response, 409, "not_your_decision")
