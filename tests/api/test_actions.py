"""`POST /v1/games/{id}/actions`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.game_setup import ApiGame, Json, bearer, new_game, problem

CARDS = {"type": "play", "big": 3, "little": 5}


def test_an_action_settles_the_decision_and_is_said_back(client: FlaskClient) -> None:
    game = new_game(client)
    before = game.view()["version"]
    acted = game.act(0, {"decision": "1.play.0.0", "action": CARDS})
    assert acted["decision"] == "1.play.0.0"
    assert acted["action"] == CARDS
    assert acted["version"] == before + 1
    assert acted["observation"] == game.view(0)


def test_an_index_counts_in_the_legal_actions(client: FlaskClient) -> None:
    game = new_game(client)
    ask = game.ask(0)
    assert ask is not None
    acted = game.act(0, {"decision": "1.play.0.0", "index": 7})
    assert acted["action"] == ask["legal_actions"][7]


@pytest.mark.parametrize("again", [{"action": CARDS}, {"action": dict(reversed(CARDS.items()))}, {"index": 14}])
def test_the_same_answer_again_gets_the_same_answer(client: FlaskClient, again: Json) -> None:
    game = new_game(client)
    first = game.act(0, {"decision": "1.play.0.0", "action": CARDS})
    version = game.view()["version"]
    second = game.act(0, {"decision": "1.play.0.0", **again})
    assert {name: second[name] for name in ("decision", "action", "version")} == {
        name: first[name] for name in ("decision", "action", "version")
    }
    assert game.view()["version"] == version


def test_a_choice_cannot_be_changed(client: FlaskClient) -> None:
    game = new_game(client)
    game.act(0, {"decision": "1.play.0.0", "action": CARDS})
    found = game.act(0, {"decision": "1.play.0.0", "action": {**CARDS, "big": 4}}, 409)
    assert found["code"] == "decision_closed"
    assert found["settled"] == {"action": CARDS, "by": "player", "fault": None}
    assert game.view(0)["cards"] == {"big": 3, "little": 5}


def test_a_repeat_is_recognised_after_the_end(client: FlaskClient) -> None:
    game = new_game(client, seed="repeat")
    first = game.act(0, {"decision": "1.play.0.0", "action": CARDS})
    game.play_out()
    again = game.act(0, {"decision": "1.play.0.0", "action": CARDS})
    assert again["version"] == first["version"]
    assert game.act(0, {"decision": "1.play.0.0", "index": 0}, 409)["code"] == "decision_closed"
    assert game.act(0, {"decision": "99.play.0.0", "index": 0}, 409)["code"] == "game_over"


def test_four_seats_may_choose_at_the_same_moment(client: FlaskClient) -> None:
    game = new_game(client, 4)

    def choose(seat: int) -> int:
        mine = ApiGame(client.application.test_client(), game.id, game.creator, game.tokens)
        return int(mine.play_cards(seat, seat + 1, 5)["version"])

    with ThreadPoolExecutor(4) as pool:
        versions = list(pool.map(choose, range(4)))
    assert len(set(versions)) == 4
    assert "revealed" in [event["type"] for event in (client.get(f"{game.path}/events").json or {})["events"]]


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        ({"decision": "1.play.0.0", "action": {**CARDS, "big": 6}}, 422, "illegal_action"),
        ({"decision": "1.play.0.0", "action": {**CARDS, "jack": 1}}, 422, "illegal_action"),
        ({"decision": "1.play.0.0", "action": {"type": "decline"}}, 422, "illegal_action"),
        ({"decision": "1.play.0.0", "action": {"type": "load", "ships": {}}}, 422, "illegal_action"),
        ({"decision": "1.play.0.0", "index": 25}, 422, "illegal_action"),
        ({"decision": "1.play.1.0", "action": CARDS}, 409, "not_your_decision"),
        ({"decision": "2.play.0.0", "action": CARDS}, 409, "not_your_decision"),
        ({"decision": "nonsense", "action": CARDS}, 409, "not_your_decision"),
        ({"decision": "..\u0000", "action": CARDS}, 409, "not_your_decision"),
        ({"decision": "", "action": CARDS}, 422, "invalid_request"),
        ({"decision": "1.play.0.0"}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": CARDS, "index": 3}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "index": -1}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "index": True}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "index": "3"}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": True}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": None}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": [CARDS]}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": {"type": "pass"}}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": {"type": ["play"]}}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": {"big": 1, "little": 1}}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": {**CARDS, "extra": 1}}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": {**CARDS, "big": "3"}}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": {**CARDS, "big": True}}, 422, "invalid_request"),
        ({"decision": "1.play.0.0", "action": CARDS, "seat": 1}, 422, "invalid_request"),
        ({"decision": 1, "action": CARDS}, 422, "invalid_request"),
    ],
)
def test_a_refused_answer_changes_nothing(client: FlaskClient, answer: Any, status: int, code: str) -> None:
    game = new_game(client)
    before = game.view(0)
    response = client.post(f"{game.path}/actions", json=answer, headers=bearer(game.tokens[0]))
    problem(response, status, code)
    assert game.view(0) == before


def test_an_illegal_action_is_told_why_and_what_would_be_legal(client: FlaskClient) -> None:
    game = new_game(client)
    ask = game.ask(0)
    found = game.act(0, {"decision": "1.play.0.0", "action": {**CARDS, "big": 6}}, 422)
    assert ask is not None
    assert found["legal_actions"] == ask["legal_actions"]
    assert "6" in found["detail"]


def test_nobody_acts_while_a_seat_is_open(client: FlaskClient) -> None:
    game = new_game(client, seats=["creator", "open"])
    assert game.act(0, {"decision": "1.play.0.0", "action": CARDS}, 409)["code"] == "wrong_state"
