"""Random numbers depend on the question and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from bots.random_bot import RandomBot
from montego_bot import generator, question_hash, read_ask
from tests.bots.positions import cards, observation


def test_the_same_question_in_another_game_gets_the_same_numbers() -> None:
    here = cards(observation(game="here", version=3, commitment="aa" * 32))
    there = cards(observation(game="there", version=88, commitment="bb" * 32, seats={1: {"name": "somebody"}}))
    there |= {"match": "m7", "budget_ms": 12, "deadline": "2026-01-01T00:00:00Z", "bank_ms": 7}
    assert question_hash(read_ask(here)) == question_hash(read_ask(there))


@pytest.mark.parametrize(
    "change",
    [
        {"round": 3},
        {"stack": 8},
        {"seats": {1: {"coins": 1}}},
        {"seats": {1: {"chosen": True}}},
        {"docks": [{"ship": "s02", "capacity": 3, "points": [3, 2, 1], "barrels": [0, 0]}]},
    ],
)
def test_another_position_is_another_question(change: dict[str, Any]) -> None:
    changed = cards(observation(**change))
    assert question_hash(read_ask(cards())) != question_hash(read_ask(changed))


def test_other_legal_actions_are_another_question() -> None:
    fewer = cards()
    fewer["legal_actions"].pop()
    assert question_hash(read_ask(fewer)) != question_hash(read_ask(cards()))


def test_the_hash_does_not_change_from_release_to_release() -> None:
    # A bot that answered otherwise after an update of the kit could not be compared with itself.
    assert question_hash(read_ask(cards())).hex() == "cd2ee684ed5dacf02e92b92e46484842d87b105a719def8090ac6677f98e95f3"


def test_two_seeds_are_two_players() -> None:
    ask = read_ask(cards())
    seeds = [str(seed) for seed in range(40)]
    assert len({generator(seed, ask).random() for seed in seeds}) == len(seeds)


def test_random_plays_every_legal_action_sooner_or_later() -> None:
    ask = read_ask(cards())
    played = {(action.big, action.little) for action in (RandomBot("r", str(s)).act(ask) for s in range(400))}
    assert len(played) == 25
