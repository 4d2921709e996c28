"""The example of training makes a bot that beats `greedy`, and plays over HTTP like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bots.environments.episode import Episode
from bots.inprocess import play
from bots.random_bot import RandomBot
from bots.training import linear
from montego_bot import Poller, running
from service.engine.components import standard_components
from service.engine.core.layout import CARD, JACK
from service.engine.setup import Variants
from tests.bots.poll_service import PollService
from tests.pollers import running_pollers


@pytest.fixture(scope="module")
def weights() -> linear.Weights:
    """Of a short training: random games only."""
    return linear.train(1500, 0)


@pytest.mark.slow
def test_a_short_training_beats_greedy(weights: linear.Weights) -> None:
    share, half = linear.duel(weights, 60)
    assert share - half > 0.5


def test_the_bot_does_not_look_at_cards_that_others_have_chosen(weights: linear.Weights) -> None:
    episode = Episode(2, Variants(), standard_components(2), "hidden")
    codes = [number for number in range(64) if 1 <= number & 7 <= 5 and 1 <= number >> 3 <= 5]
    chosen = set()
    for big in range(1, 6):
        state = episode.state.copy()
        state[CARD], state[CARD + 1], state[CARD + JACK] = big, 3, 0
        chosen.add(linear.choose(state, episode.config.tables, 1, codes, weights, 1))
    assert len(chosen) == 1


def test_the_bot_refuses_a_game_of_more_than_two(weights: linear.Weights) -> None:
    with pytest.raises(ValueError, match="games of two"):
        play([linear.ValueBot(weights)] * 3, "three")


def test_the_commands_train_and_measure(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    assert linear.main(["train", str(file), "--random-games", "20", "--own-games", "1"]) == 0
    assert len(json.loads(file.read_text("utf-8"))) == 40
    # Four games show nothing, and the exit status says so.
    assert linear.main(["duel", str(file), "--games", "4"]) == 1


def test_the_bot_plays_a_whole_game_over_http(weights: linear.Weights) -> None:
    service = PollService(2, "trained")
    bots = [linear.ValueBot(weights), RandomBot()]
    with running(service.app) as url:
        pollers = [Poller(bot, url, token, wait=1) for bot, token in zip(bots, service.tokens, strict=True)]
        with running_pollers(pollers):
            assert service.over.wait(60)
    assert service.refused == []
    points = service.game.points
    assert points[0] > points[1]
