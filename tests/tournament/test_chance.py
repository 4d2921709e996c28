from __future__ import annotations

import pytest

from service.tournament.chance import Draws, shuffled
from service.tournament.resampling import unit_weights


def test_the_published_example_of_a_shuffle_comes_out() -> None:
    board = shuffled("kill-1", "warehouses", ["w1", "w2", "w3", "w4", "w5", "w6", "w7"])

    assert board == ["w4", "w7", "w2", "w5", "w3", "w6", "w1"]


def test_one_label_says_nothing_about_another() -> None:
    assert shuffled("seed", "one", range(20)) != shuffled("seed", "two", range(20))


def test_a_draw_is_below_its_bound_and_every_value_comes() -> None:
    draws = Draws("seed", "label")

    assert {draws.below(6) for _ in range(200)} == set(range(6))


def test_a_bound_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="bound"):
        Draws("seed", "label").below(0)


@pytest.mark.parametrize("units", [1, 7, 64, 2500])
def test_resamples_are_the_same_draws_one_after_another(units: int) -> None:
    draws = Draws("seed", "resample")

    for weights in unit_weights("seed", units, 3):
        counts = [0] * units
        for _ in range(units):
            counts[draws.below(units)] += 1
        assert weights.tolist() == counts
