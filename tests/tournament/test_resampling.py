from __future__ import annotations

import pytest

from service.chance import Draws
from service.tournament.rating import unit_weights


@pytest.mark.parametrize("units", [1, 7, 64, 2500])
def test_resamples_are_the_same_draws_one_after_another(units: int) -> None:
    draws = Draws("seed", "resample")

    for weights in unit_weights("seed", units, 3):
        counts = [0] * units
        for _ in range(units):
            counts[draws.below(units)] += 1
        assert weights.tolist() == counts
