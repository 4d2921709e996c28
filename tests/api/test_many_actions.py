"""`POST /v1/actions`, and `Prefer: return=minimal`."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.operations.context import Context
from service.operations.games.act_all import CHUNK
from tests.api.game_setup import ApiGame, Json, bearer, new_game, problem

CARDS = {"type": "play", "big": 3, "little": 5}


def cards(at: ApiGame, seat: int, **more: Any) -> Json:
    """The seat's cards of the first round."""
    sent = {"game": at.id, "token": at.tokens[seat], "decision": f"1.play.{seat}.0", "action": CARDS}
    return {**sent, **more}


def send(client: FlaskClient, *answers: Any, prefer: str | None = None, token: str | None = None) -> list[Json]:
    """The results of a call with these answers."""
    headers = bearer(token) | ({"Prefer": prefer} if prefer else {})
    response = client.post("/v1/actions", json={"actions": answers}, headers=headers)
    assert response.status_code == 200, response.text
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers.get("Preference-Applied") == prefer
    results: list[Json] = (response.json or {})["results"]
    return results


def test_each_answer_has_a_result_in_its_place(client: FlaskClient) -> None:
    games = [new_game(client) for _ in range(3)]
    results = send(client, *(cards(game, seat) for seat in range(2) for game in games))
    assert results == [{"status": 200, "version": 4}] * 3 + [{"status": 200, "version": 5}] * 3
    assert all(game.view()["phase"] != "play" or game.view()["round"] > 1 for game in games)


def test_a_whole_answer_is_what_it_would_be_alone(client: FlaskClient) -> None:
    twins = [new_game(client, seed="twins") for _ in range(2)]
    (result,) = send(client, cards(twins[0], 0), prefer="return=representation")
    alone = twins[1].act(0, {"decision": "1.play.0.0", "action": CARDS})
    assert result.pop("status") == 200
    assert {**result, "observation": None} == {**alone, "observation": None}
    assert result["observation"] == twins[0].view(0)


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"action": {**CARDS, "big": 6}}, 422, "illegal_action"),
        ({"action": {"type": "dance"}}, 422, "invalid_request"),
        ({"index": 3}, 422, "invalid_request"),
        ({"note": "unknown"}, 422, "invalid_request"),
        ({"game": "{other}"}, 422, "invalid_request"),
        ({"game": "0123456789abcdef"}, 404, "not_found"),
        ({"decision": "1.play.1.0"}, 409, "not_your_decision"),
        ({"token": "mbb_nobody.x"}, 401, "unauthorized"),
        ({"token": "mb_x/../y.0.z"}, 401, "unauthorized"),
    ],
)
def test_a_refused_answer_gets_the_problem_that_it_would_get_alone(
    client: FlaskClient, wrong: Json, status: int, code: str
) -> None:
    game = new_game(client)
    first, refused, last = send(client, cards(game, 1), cards(game, 0, **wrong), cards(game, 0))
    assert (first["status"], last["status"]) == (200, 200)
    assert refused["status"] == refused["problem"]["status"] == status
    assert refused["problem"]["code"] == code
    assert refused["problem"]["type"] == f"urn:montego-bay:problem:{code}"


@pytest.mark.parametrize("item", [7, "x", None, [], {}])
def test_what_is_no_answer_at_all_is_refused_by_itself(client: FlaskClient, item: Any) -> None:
    game = new_game(client)
    refused, accepted = send(client, item, cards(game, 0))
    assert refused["problem"]["code"] == "invalid_request"
    assert accepted == {"status": 200, "version": 4}


def test_an_answer_without_a_token_is_sent_by_the_caller(client: FlaskClient) -> None:
    game = new_game(client)
    answer = cards(game, 0)
    del answer["token"]
    assert send(client, answer)[0]["problem"]["code"] == "unauthorized"
    assert send(client, answer, token=game.tokens[1])[0]["problem"]["code"] == "not_your_decision"
    assert send(client, answer, token=game.tokens[0])[0]["status"] == 200


@pytest.mark.parametrize("number", [0, 257])
def test_a_call_takes_1_to_256_answers(client: FlaskClient, number: int) -> None:
    found = problem(client.post("/v1/actions", json={"actions": [{}] * number}), 422, "invalid_request")
    assert "actions" in found["errors"]
    assert len(send(client, *[{}] * 256)) == 256


def test_many_answers_are_one_transaction_of_redis(client: FlaskClient, context: Context) -> None:
    games = [new_game(client) for _ in range(CHUNK // 2)]
    before = transactions(context)
    results = send(client, *(cards(game, seat) for game in games for seat in range(2)))
    assert all(result["status"] == 200 for result in results)
    assert transactions(context) - before == 1


def transactions(context: Context) -> int:
    """How many transactions Redis has executed. It syncs its file to disk once for each."""
    stats = context.games._client.info("commandstats")
    return int(stats["cmdstat_exec"]["calls"]) if "cmdstat_exec" in stats else 0


@pytest.mark.parametrize("prefer", ["return=minimal", 'RETURN = "minimal"; foo=bar', "respond-async, return=minimal"])
def test_a_client_can_ask_for_the_version_only(client: FlaskClient, prefer: str) -> None:
    game = new_game(client)
    response = client.post(
        f"{game.path}/actions",
        json={"decision": "1.play.0.0", "action": CARDS},
        headers=bearer(game.tokens[0]) | {"Prefer": prefer},
    )
    assert response.json == {"version": 4}
    assert response.headers["Preference-Applied"] == "return=minimal"
    assert "Prefer" in response.headers["Vary"]


@pytest.mark.parametrize("prefer", ["return=everything", "wait=3", "", "return=representation, return=minimal"])
def test_any_other_preference_gets_the_whole_answer(client: FlaskClient, prefer: str) -> None:
    game = new_game(client)
    response = client.post(
        f"{game.path}/actions",
        json={"decision": "1.play.0.0", "action": CARDS},
        headers=bearer(game.tokens[0]) | {"Prefer": prefer},
    )
    assert response.json is not None and "observation" in response.json
    applied = "return=representation" if "representation" in prefer else None
    assert response.headers.get("Preference-Applied") == applied
