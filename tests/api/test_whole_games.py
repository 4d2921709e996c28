"""A game of each size from its creation to its record, by HTTP alone."""

from __future__ import annotations

import random

import pytest
from flask.testing import FlaskClient

from service.engine.record import verify
from tests.api.game_setup import Json, new_game


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_is_played_to_its_end_and_its_record_replays(client: FlaskClient, players: int) -> None:
    chance = random.Random(players)
    game = new_game(client, players, seed=f"whole-{players}")
    end = game.play_out(chance.choice)
    assert end["status"] == "finished"
    assert min(end["places"]) == 1
    record = client.get(f"{game.path}/record").json
    assert record is not None
    assert record["result"]["places"] == end["places"]
    assert verify(record).game.outcome is not None


def test_the_same_seed_and_the_same_actions_make_the_same_game(client: FlaskClient) -> None:
    def last_of(legal: list[Json]) -> Json:
        return legal[-1]

    first, second = (new_game(client, 2, seed="twin").play_out(last_of) for _ in range(2))
    for own in ("game", "commitment"):
        del first[own], second[own]
    assert first == second


def test_events_count_up_without_gaps_to_the_end(client: FlaskClient) -> None:
    game = new_game(client, 2, seed="events")
    game.play_out()
    found = client.get(f"{game.path}/events").json
    assert found is not None
    assert [event["n"] for event in found["events"]] == list(range(1, found["last"] + 1))
    assert found["events"][-1]["type"] == "finished"
