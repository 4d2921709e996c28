"""`POST /v1/records`."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.engine.record import digest
from service.operations.context import Context
from tests.api.conftest import ORGANISER
from tests.api.game_setup import ApiGame, Json, bearer, new_game, problem


def record_of(client: FlaskClient, game: ApiGame) -> Json:
    """The record of a game that is over."""
    found: Json = client.get(f"{game.path}/record").json or {}
    return found


def forget(context: Context, game: ApiGame) -> None:
    """The record comes to a service that has never heard of the game."""
    context.games.remove(game.id)
    context.projections.drop(game.id)


def post(client: FlaskClient, record: Json, token: str | None = ORGANISER) -> Any:
    """Imports a record."""
    return client.post("/v1/records", json=record, headers=bearer(token))


def resigned_in_the_card_phase(client: FlaskClient) -> ApiGame:
    """One seat resigns after its choice, one before."""
    game = new_game(client, 4, seed="resigned")
    game.play_cards(1)
    for seat in (1, 2):
        client.post(f"{game.path}/resignation", headers=bearer(game.tokens[seat]))
    game.play_out()
    return game


def played_with_chance(client: FlaskClient) -> ApiGame:
    """A whole game of three."""
    game = new_game(client, 3, variants={"tally": "circuit", "starting_coins": 3})
    game.play_out(random.Random(5).choice)
    return game


def given_deal(client: FlaskClient) -> ApiGame:
    """A game with a setup of its own."""
    first = new_game(client, 2, seed="given")
    first.play_out()
    record = record_of(client, first)
    game = new_game(client, 2, setup=record["setup"], orders=record["orders"])
    game.play_out(lambda legal: legal[-1])
    return game


def aborted(client: FlaskClient) -> ApiGame:
    """A game broken off while cards were chosen."""
    game = new_game(client, 2)
    game.play_cards(0)
    client.delete(game.path, headers=bearer(game.creator))
    return game


@pytest.mark.parametrize("play", [resigned_in_the_card_phase, played_with_chance, given_deal, aborted])
def test_an_imported_record_keeps_its_id_and_digest(client: FlaskClient, context: Context, play: Any) -> None:
    game = play(client)
    record = record_of(client, game)
    end = game.view()
    forget(context, game)
    response = post(client, record)
    assert response.status_code == 201
    assert response.headers["Location"] == game.path
    assert response.json == {"game": game.id, "status": end["status"], "digest": record["digest"]}
    assert record_of(client, game) == record
    shown = game.view()
    for name in ("status", "places", "round", "seats", "docks", "board", "bank"):
        assert shown[name] == end[name]
    events = client.get(f"{game.path}/events").json or {}
    assert events["events"][-1]["type"] == end["status"]


def test_a_record_without_its_secrets_can_be_imported(client: FlaskClient, context: Context) -> None:
    game = played_with_chance(client)
    record = record_of(client, game)
    record["setup"] |= {"seed": None, "nonce": None}
    forget(context, game)
    assert post(client, record).status_code == 201
    assert record_of(client, game) == record


def test_an_id_in_use_is_wrong_state(client: FlaskClient) -> None:
    record = record_of(client, aborted(client))
    problem(post(client, record), 409, "wrong_state")


def test_a_changed_record_is_refused_with_the_entry(client: FlaskClient, context: Context) -> None:
    game = played_with_chance(client)
    record = record_of(client, game)
    forget(context, game)
    record["actions"][3]["action"] = {"type": "play", "big": 9, "little": 9}
    found = problem(post(client, record), 422, "invalid_request")
    assert "actions" in found["errors"]
    problem(client.get(f"/v1/games/{record['game']}"), 404, "not_found")


def test_a_record_with_members_of_its_own_is_refused(client: FlaskClient, context: Context) -> None:
    game = aborted(client)
    record = record_of(client, game)
    forget(context, game)
    for place in (record, record["setup"], record["result"]):
        place["comment"] = "hello"
        record["digest"] = digest(record)
        problem(post(client, record), 422, "invalid_request")
        del place["comment"]
    record["digest"] = digest(record)
    assert post(client, record).status_code == 201


def test_an_id_of_a_tournament_here_is_not_taken(client: FlaskClient, context: Context) -> None:
    game = aborted(client)
    record = record_of(client, game)
    forget(context, game)
    for name in ("anne", "bert"):
        client.post("/v1/bots", json={"name": name, "kind": "poll"}, headers=bearer(ORGANISER))
    body = {"name": "x", "bots": ["anne", "bert"], "players": 2}
    made: Json = client.post("/v1/tournaments", json=body, headers=bearer(ORGANISER)).json or {}
    record["game"] = f"{made['tournament']}-0-0-0"
    record["digest"] = digest(record)
    problem(post(client, record), 409, "wrong_state")


def test_ids_that_are_none_are_refused(client: FlaskClient) -> None:
    record = record_of(client, aborted(client))
    for game in ("", "UPPER", "a b", "{x}", "x" * 65, "a/b"):
        record["game"] = game
        record["digest"] = digest(record)
        assert "game" in problem(post(client, record), 422, "invalid_request")["errors"]


def test_a_key_is_needed(client: FlaskClient) -> None:
    game = aborted(client)
    record = record_of(client, game)
    problem(post(client, record, None), 401, "unauthorized")
    problem(post(client, record, game.creator), 403, "forbidden")


def test_what_is_no_record_is_refused(client: FlaskClient) -> None:
    for body in ({}, {"format": "montego-bay-record/2"}, {"format": 1, "actions": {}}):
        problem(post(client, body), 422, "invalid_request")


def test_a_record_whose_players_have_no_proper_names_is_refused(client: FlaskClient) -> None:
    record = record_of(client, aborted(client))
    record["seats"][1]["name"] = "a\u202eb"
    record["digest"] = digest(record)
    refused = problem(post(client, record), 422, "invalid_request")
    assert "U+202E" in str(refused["errors"]["seats"])
