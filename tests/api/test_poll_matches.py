"""Answers over poll in a match: the first one counts, whatever it is (PROTOCOL "Poll")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.operations.context import Context
from service.operations.games.change import load
from service.operations.tournaments import matches
from service.operations.tournaments.document import load_tournament
from tests.api.conftest import ORGANISER
from tests.api.game_setup import Json, bearer, problem

NAMES = ("anne", "bert")


@dataclass(frozen=True, slots=True)
class Match:
    """A match of two poll bots, in which the first seat's bot has been asked."""

    path: str
    id: str
    token: str
    other: str


@pytest.fixture
def match(client: FlaskClient, context: Context) -> Match:
    """What a referee does before it waits."""
    made = {}
    for name in NAMES:
        registered = client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(ORGANISER))
        made[name] = registered.json or {}
    body = {"name": "polled", "bots": list(NAMES), "players": 2}
    created: Json = client.post("/v1/tournaments", json=body, headers=bearer(ORGANISER)).json or {}
    _, doc = load_tournament(context, created["tournament"])
    pairing = doc.schedule().block(0).pairings[0]
    bots = {bot.name: bot for one in made.values() if (bot := context.bots.read(one["bot"])) is not None}
    game = matches.open_match(context, created["tournament"], doc, pairing, attempt=0, bots=bots)
    first, second = pairing.seats
    context.games.publish_ask(game.id, "1.play.0.0", made[first]["bot"], 60_000, 5_000)
    return Match(f"/v1/games/{game.id}", game.id, made[first]["token"], made[second]["token"])


def send(client: FlaskClient, match: Match, token: str, **request: Any) -> Any:
    """Posts an answer."""
    return client.post(f"{match.path}/actions", headers=bearer(token), **request)


def ledger(client: FlaskClient, match: Match) -> list[Json]:
    """What the first seat's bot reads of its faults."""
    bot = match.token.removeprefix("mbb_").split(".")[0]
    found: Json = client.get(f"/v1/bots/{bot}/faults", headers=bearer(match.token)).json or {}
    items: list[Json] = found["items"]
    return items


DEFAULT = {"type": "play", "big": 1, "little": 1}


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"data": b"{", "content_type": "application/json"}, 400),
        ({"data": b'{"decision":"1.play.0.0","index":NaN}', "content_type": "application/json"}, 400),
        ({"data": b" " * 300_000, "content_type": "application/json"}, 413),
        ({"data": b'{"decision":"1.play.0.0","index":0}', "content_type": "text/plain"}, 415),
        ({"json": []}, 422),
        ({"json": {"decision": "1.play.0.0"}}, 422),
        ({"json": {"decision": "1.play.0.0", "index": 0, "x": 1}}, 422),
        ({"json": {"decision": "1.play.0.0", "action": {"type": "nap"}}}, 422),
    ],
)
def test_an_answer_that_cannot_be_read_costs_the_decision(
    client: FlaskClient, context: Context, match: Match, request_: Json, status: int
) -> None:
    response = send(client, match, match.token, **request_)
    assert response.status_code == status
    assert response.json["settled"] == {"action": DEFAULT, "by": "default", "fault": "bad_body"}
    assert load(context, match.id).closed["1.play.0.0"].fault == "bad_body"
    late = send(client, match, match.token, json={"decision": "1.play.0.0", "index": 3})
    assert problem(late, 409, "decision_closed")["settled"]["fault"] == "bad_body"
    (fault,) = ledger(client, match)
    assert (fault["kind"], fault["decision"], fault["game"]) == ("bad_body", "1.play.0.0", match.id)
    assert fault["detail"] == response.json["detail"]
    assert fault["received"] or status in (413, 415)


def test_an_illegal_answer_costs_the_decision(client: FlaskClient, context: Context, match: Match) -> None:
    response = send(client, match, match.token, json={"decision": "1.play.0.0", "index": 99})
    assert problem(response, 422, "illegal_action")["settled"]["fault"] == "illegal"
    assert load(context, match.id).closed["1.play.0.0"].fault == "illegal"
    (fault,) = ledger(client, match)
    assert (fault["kind"], fault["received"], fault["status"]) == ("illegal", '{"index": 99}', None)
    assert "99" in fault["detail"]


def test_what_is_not_about_the_open_decision_costs_nothing(client: FlaskClient, context: Context, match: Match) -> None:
    problem(send(client, match, match.token, json={"decision": "9.load.0.0", "x": 1}), 422, "invalid_request")
    problem(send(client, match, match.other, data=b"{", content_type="application/json"), 400, "malformed_json")
    problem(send(client, match, match.other, json={"decision": "1.play.1.0", "index": 0}), 409, "not_your_decision")
    problem(send(client, match, match.token + "x", data=b"{"), 401, "unauthorized")
    assert load(context, match.id).closed == {}


def test_a_good_answer_counts(client: FlaskClient, match: Match) -> None:
    acted = send(client, match, match.token, json={"decision": "1.play.0.0", "index": 7})
    assert acted.status_code == 200


@pytest.mark.parametrize(
    ("answer", "fault"),
    [({"index": 7}, None), ({"index": 99}, "illegal"), ({"index": 7, "x": 1}, "bad_body"), ({}, "bad_body")],
)
def test_an_answer_among_many_counts_as_it_would_alone(
    client: FlaskClient, context: Context, match: Match, answer: Json, fault: str | None
) -> None:
    sent = {"game": match.id, "token": match.token, "decision": "1.play.0.0", **answer}
    early = {"game": match.id, "token": match.other, "decision": "1.play.1.0", "index": 0}
    response = client.post("/v1/actions", json={"actions": [early, sent]})
    assert response.json is not None
    refused, judged = response.json["results"]
    assert refused["problem"]["code"] == "not_your_decision"
    assert judged["status"] == (200 if fault is None else 422)
    assert load(context, match.id).closed["1.play.0.0"].fault == fault
    if fault is not None:
        assert judged["problem"]["settled"]["fault"] == fault
        assert [entry["kind"] for entry in ledger(client, match)] == [fault]


def test_an_ask_states_what_is_left_of_the_budget(client: FlaskClient, match: Match) -> None:
    waiting: Json = client.get("/v1/bots/me/decisions", headers=bearer(match.token)).json or {}
    (ask,) = waiting["decisions"]
    assert 50_000 < ask["budget_ms"] <= 60_000
    assert ask["match"] is not None
    notice: Json = waiting["notices"][0]
    assert notice["type"] == "start"
    assert notice["tournament"] is not None
