"""Simulated tournaments with known strengths: do the 95 % intervals hold them?

A small part of what `python -m tests.tournament.simulations coverage` does.
"""

from __future__ import annotations

import pytest

from service.tournament.simulation import SimulatedField
from tests.tournament.simulated_field import round_robin
from tests.tournament.simulations import coverage, spread

# simulated, players, deals, sets, tournaments to play
FIELDS = {
    "30 blocks of 4": (SimulatedField(spread(4, 300), deal=100, seat=100), 4, 30, None, 150),
    "30 blocks of 2": (SimulatedField(spread(2, 150)), 2, 30, None, 150),
    "30 sets of 4 among 10": (SimulatedField(spread(10, 400)), 4, 1, 30, 60),
    "300 blocks of 4": (SimulatedField(spread(4, 300)), 4, 300, None, 60),
}


QUICK = ("30 blocks of 2", "30 sets of 4 among 10")


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in FIELDS if name not in QUICK)]
)
def test_intervals_hold_the_true_strength_in_92_to_98_of_100_cases(name: str) -> None:
    simulated, players, deals, sets, tournaments = FIELDS[name]
    found = coverage(simulated, round_robin(simulated, players, deals, sets), tournaments, resamples=250)

    assert found.without == 0
    assert 0.92 <= found.covered <= 0.98
    assert found.falsely_shown <= 0.02


def test_equal_bots_are_shown_to_differ_in_about_one_tournament_of_twenty_at_most() -> None:
    simulated = SimulatedField(spread(5, 0))
    found = coverage(simulated, round_robin(simulated, 4, 6), tournaments=100, resamples=250)

    assert found.falsely_shown <= 0.08
