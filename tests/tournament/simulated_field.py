"""Simulated tournaments with known strengths, played on real schedules.

In a match every bot gets its strength, what its luck with the block's deal is, what the seat is worth on that deal,
and a Gumbel draw; the higher sum is placed higher. Without deal, seats and shared places that is the Plackett-Luce
model, in which Elo strengths are exactly true for every pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from service.tournament.formats import known_blocks, next_stage
from service.tournament.plan import Plan
from service.tournament.rating import ELO, rate
from service.tournament.results import MatchResult
from service.tournament.schedule import Block, Schedule
from service.tournament.sequential_test import PairedDifferences
from service.tournament.stages import Stage


@dataclass(frozen=True, slots=True)
class SimulatedField:
    """Strengths in Elo points, by entrants' order; deal and seat: standard deviations in Elo points.

    grain   Elo points above the last that make a point in the game, so that bots close together share a place;
            0: none do
    """

    elo: tuple[float, ...]
    deal: float = 0.0
    seat: float = 0.0
    grain: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"bot{index:02d}" for index in range(len(self.elo)))

    @property
    def is_plain(self) -> bool:
        """Whether strengths are true for every pair as they stand."""
        return self.deal == self.seat == self.grain == 0


def round_robin(simulated: SimulatedField, players: int, deals: int, sets: int | None = None) -> Schedule:
    return Schedule(Plan("round_robin", simulated.names, (), players, deals, sets, "rotations", "world"))


def played(simulated: SimulatedField, blocks: Iterable[Block], rng: np.random.Generator) -> list[MatchResult]:
    """The results of these blocks, which may be a whole schedule."""
    strength = dict(zip(simulated.names, simulated.elo, strict=True))
    grain = simulated.grain or 1e-9
    results: list[MatchResult] = []
    for block in blocks:
        players = len(block.entrants)
        of_deal = dict(zip(block.entrants, rng.normal(0.0, simulated.deal, players), strict=True))
        of_seat = rng.normal(0.0, simulated.seat, players)
        for pairing in block.pairings:
            luck = ELO * rng.gumbel(size=players) + of_seat
            reached = [strength[name] + of_deal[name] + luck[seat] for seat, name in enumerate(pairing.seats)]
            points = [int((at - min(reached)) // grain) for at in reached]
            results.append(finished(pairing.match, block.number, pairing.seats, points))
    return results


def finished(match: int, block: int, seats: Sequence[str], points: Sequence[int]) -> MatchResult:
    """A match played to its end, placed by points."""
    return MatchResult(
        match=match,
        block=block,
        seating=0,
        attempt=0,
        status="finished",
        seats=tuple(seats),
        points=tuple(points),
        places=tuple(1 + sum(other > own for other in points) for own in points),
        ended="played",
    )


def played_in_stages(
    simulated: SimulatedField, plan: Plan, rng: np.random.Generator
) -> tuple[tuple[Stage, ...], list[MatchResult]]:
    """One whole tournament that is drawn in stages."""
    stages: tuple[Stage, ...] = ()
    results: list[MatchResult] = []
    while (stage := next_stage(plan, stages, results, ())) is not None:
        known = known_blocks(plan, stages).blocks
        stages = (*stages, stage)
        schedule = known_blocks(plan, stages)
        results += played(simulated, map(schedule.block, range(known, schedule.blocks)), rng)
    return stages, results


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
