"""Tuning: games give positions, and positions give back the weights that made them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bots.search.evaluation import FEATURES, STAGES, chances, read_weights, tuned_weights
from bots.tune.__main__ import main
from bots.tune.fit import fit
from bots.tune.selfplay import Position, play_game

TRUE = {"sure": 0.9, "open": 0.7, "points": 1.0, "coins": 0.3, "jack": 1.5, "good": 0.8, "broken": -1.0}


def positions(count: int) -> list[Position]:
    """Positions whose ends are the true weights' sums, and a little luck."""
    dice = np.random.default_rng(1)
    weights = np.array([TRUE[name.rstrip("012")] for name in FEATURES])
    made = []
    for number in range(count):
        x = dice.uniform(0, 6, (4, len(FEATURES)))
        points = x @ weights + dice.normal(0, 2, 4)
        made.append(Position(f"game {number // STAGES}", number % STAGES, x.tolist(), [round(own) for own in points]))
    return made


@pytest.mark.slow
def test_the_weights_behind_positions_are_found() -> None:
    for found in fit(positions(4000)):
        scale = found.weights[FEATURES.index("points")]
        weights = [weight / scale for weight in found.weights]
        assert weights == pytest.approx([TRUE[name.rstrip("012")] for name in FEATURES], abs=0.15)
        assert found.loss < found.loss_by_points
        assert found.positions == 1000


def test_a_stage_with_too_few_positions_is_an_error() -> None:
    with pytest.raises(ValueError, match="stage 0 has only 3 positions"):
        fit(positions(12))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_gives_its_positions_from_the_second_round_on(players: int) -> None:
    one, other = (play_game(players, "same", tuned_weights(players)) for _ in range(2))
    assert one == other
    assert len(one) > 2
    assert one[0].stage == 3
    assert all(len(seats.features) == players and len(seats.points) == players for seats in one)
    assert sum(own[FEATURES.index("points")] for own in one[-1].features) > sum(
        own[FEATURES.index("points")] for own in one[0].features
    )


@pytest.mark.slow
def test_the_command_writes_weights_that_can_be_read(tmp_path: Path) -> None:
    written = tmp_path / "weights.json"
    main(["--players", "2", "--games", "40", "--processes", "2", "--write", str(written)])
    weights = read_weights(json.loads(written.read_text()), 2)
    assert len(weights) == STAGES
    assert all(row[FEATURES.index("points")] > 0 for row in weights)


def test_weights_that_lack_a_feature_are_refused_by_its_name() -> None:
    rows = {str(stage): dict.fromkeys(FEATURES, 1.0) for stage in range(STAGES)}
    del rows["2"]["jack"]
    with pytest.raises(KeyError, match="jack"):
        read_weights({"2": rows}, 2)


def test_equal_values_are_equal_chances() -> None:
    assert chances([1.0, 1.0, 1.0, 1.0]) == [0.25] * 4
    assert chances([1000.0, 0.0]) == [1.0, 0.0]
