"""What simulated tournaments (service.tournament.simulation) are held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from service.tournament.plan import Plan
from service.tournament.rating import rate
from service.tournament.results import MatchResult
from service.tournament.schedule import Schedule
from service.tournament.sequential_test import PairedDifferences
from service.tournament.simulation import SimulatedField, played


def round_robin(simulated: SimulatedField, players: int, deals: int, sets: int | None = None) -> Schedule:
    return Schedule(Plan("round_robin", simulated.names, (), players, deals, sets, "rotations", "world"))


def true_ratings(simulated: SimulatedField, players: int, deals: int = 3000) -> dict[str, float]:
    """The ratings that a tournament without end would give; mean 1500."""
    if simulated.is_plain:
        mean = float(np.mean(simulated.elo))
        return {name: 1500.0 + elo - mean for name, elo in zip(simulated.names, simulated.elo, strict=True)}
    results = played(simulated, round_robin(simulated, players, deals), np.random.default_rng(99))
    return {name: row.rating for name, row in rate(simulated.names, results, "truth", resamples=0).items()}


def pair_counts(schedule: Schedule) -> dict[tuple[str, str], int]:
    """In how many sets of one deal every two entrants meet, of those that the format lets meet; in entrants' order."""
    plan = schedule.plan
    met = Counter(
        pair
        for number in range(schedule.sets_per_deal)
        for pair in combinations(sorted(schedule.block(number).entrants, key=plan.entrants.index), 2)
    )
    rivals = set(plan.challengers)
    return {pair: met[pair] for pair in combinations(plan.entrants, 2) if not rivals.issuperset(pair)}


def differences(schedule: Schedule, results: Iterable[MatchResult], first: str, second: str) -> list[float]:
    """The differences of a gauntlet of `first` and `second`, all results being known."""
    paired = PairedDifferences(schedule, first, second)
    for result in results:
        paired.add(result)
    return list(paired.ready())
