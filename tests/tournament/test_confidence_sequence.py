from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from service.tournament.confidence_sequence import Interval, _Evidence, interval
from tests.tournament.simulated_ladder import Luck, SimulatedLadder, drawn_strengths


def played(blocks: int, *, players: int = 4, strength: float = 1500.0, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Shares and opponents' ratings of blocks of one entrant against opponents of known strength."""
    others = drawn_strengths(20, 150)
    ladder = SimulatedLadder({**others, "it": strength}, players=players, luck=Luck(75, 100), seed=seed)
    rng = np.random.default_rng(seed)
    shares, opponents = [], []
    for _ in range(blocks):
        chosen = [str(name) for name in rng.choice(list(others), players - 1, replace=False)]
        won = ladder.result(["it", *chosen])["it"]
        shares.append(sum(won.values()) / (2 * players * (players - 1)))
        opponents.append([others[name] for name in chosen])
    return np.array(shares), np.array(opponents)


def test_before_the_first_bet_is_won_both_ends_are_open() -> None:
    assert interval(np.array([0.5]), np.full((1, 3), 1500.0)) == Interval(None, None)


def test_an_entrant_that_won_everything_is_bounded_from_below_alone() -> None:
    found = interval(np.ones(20), np.full((20, 3), 1500.0))
    assert found is not None and found.high is None
    assert found.low is not None and found.low > 1650
    lost = interval(np.zeros(20), np.full((20, 3), 1500.0))
    assert lost is not None and lost.low is None
    # Not quite the mirror image: in matches of more than two, the last places are more certain than the first.
    assert lost.high == pytest.approx(3000.0 - found.low, abs=5.0)


def test_the_interval_narrows_as_blocks_come_in() -> None:
    shares, opponents = played(200)
    for count, widest in ((25, 140.0), (50, 80.0), (100, 55.0), (200, 40.0)):
        found = interval(shares[:count], opponents[:count])
        assert found is not None and found.half_width is not None
        assert found.half_width < widest


def test_the_interval_follows_the_opponents_ratings() -> None:
    shares, opponents = played(60)
    one, other = interval(shares, opponents), interval(shares, opponents + 250.0)
    assert one is not None and one.low is not None and one.high is not None
    assert other is not None and other.low == pytest.approx(one.low + 250.0)
    assert other.high == pytest.approx(one.high + 250.0)


def test_results_that_fit_no_single_rating_give_no_interval() -> None:
    """It always wins against the strong ones and loses to the weak ones."""
    opponents = np.tile([[1900.0] * 3, [1100.0] * 3], (200, 1))
    assert interval(np.tile([1.0, 0.0], 200), opponents) is None


def test_a_bet_against_the_true_rating_is_not_expected_to_win() -> None:
    """The mean of the stake after some blocks, over all results that these can have, is 1."""
    ratings = np.array([[1400.0, 1600.0], [1500.0, 1550.0], [1450.0, 1450.0]])
    total = 0.0
    shares = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    evidence = _Evidence(np.zeros(3), ratings)
    expected = evidence._expected(np.array([4]))[:, 0]
    for drawn in product(range(5), repeat=3):
        chance = 1.0
        for block, index in enumerate(drawn):
            # Any distribution with the expected mean will do: half of it at one half, the rest at both ends.
            at_ends = 0.5
            inner = 0.5 * (index == 2)
            high = (expected[block] - 0.25) / at_ends
            chance *= inner + at_ends * (high * (index == 4) + (1 - high) * (index == 0))
        total += chance * float(np.exp(_Evidence(shares[list(drawn)], ratings).against(np.array([4]))[0]))
    assert total == pytest.approx(1.0)


def test_the_variance_is_that_of_matches_that_follow_strengths() -> None:
    ratings = np.array([[1400.0, 1700.0]])
    ladder = SimulatedLadder({"it": 1500.0, "a": 1400.0, "b": 1700.0}, players=3)
    shares = [sum(ladder.result(["it", "a", "b"])["it"].values()) / 12 for _ in range(20_000)]
    evidence = _Evidence(np.array([0.5]), ratings)
    # Steps are counted from the mean opponent.
    step = np.array([round((1500.0 - 1550.0) / 16.0)])
    assert np.mean(shares) == pytest.approx(evidence._expected(step)[0, 0], abs=0.01)
    assert np.var(shares) == pytest.approx(evidence._variance(step)[0, 0], rel=0.05)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_looking_after_every_block_the_interval_hardly_ever_misses(players: int) -> None:
    missed = 0
    for seed in range(25):
        shares, opponents = played(60, players=players, strength=1580.0, seed=seed)
        for count in range(4, 61, 2):
            found = interval(shares[:count], opponents[:count])
            assert found is not None
            if (found.low is not None and found.low > 1580) or (found.high is not None and found.high < 1580):
                missed += 1
                break
    assert missed <= 3
