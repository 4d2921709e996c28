"""Simulated tournaments with known strengths, played on real schedules: how well a format finds the best.

In a match every entrant gets its strength, what its luck with the block's deal is, what the seat is worth on that deal,
and a Gumbel draw; the higher sum is placed higher. Without deal, seats and shared places that is the Plackett-Luce
model, in which Elo strengths are exactly true for every pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from service.tournament.formats import known_blocks, next_stage, ranking
from service.tournament.plan import Plan
from service.tournament.rating import ELO
from service.tournament.results import MatchResult
from service.tournament.schedule import Block, Schedule
from service.tournament.stages import Stage
from service.tournament.standings import standings


def names_of(entrants: int) -> tuple[str, ...]:
    """Names of so many simulated entrants."""
    return tuple(f"bot{index:02d}" for index in range(entrants))


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
        return names_of(len(self.elo))

    @property
    def is_plain(self) -> bool:
        """Whether strengths are true for every pair as they stand."""
        return self.deal == self.seat == self.grain == 0


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


def played_through(
    simulated: SimulatedField, plan: Plan, rng: np.random.Generator
) -> tuple[tuple[Stage, ...], list[MatchResult]]:
    """One whole tournament, with the stages that were drawn. The entrants of the plan are those of the field, by their
    place."""
    if not plan.is_staged:
        return (), played(simulated, Schedule(plan), rng)
    stages: tuple[Stage, ...] = ()
    results: list[MatchResult] = []
    while (stage := next_stage(plan, stages, results, ())) is not None:
        known = known_blocks(plan, stages).blocks
        stages = (*stages, stage)
        schedule = known_blocks(plan, stages)
        results += played(simulated, map(schedule.block, range(known, schedule.blocks)), rng)
    return stages, results


@dataclass(frozen=True, slots=True)
class FoundShares:
    """What simulated tournaments of one plan found, as shares of all tournaments.

    matches     how many they had, on average
    first       the strongest entrant came first; a first rank shared by k counts as 1 / k
    top         the strongest entrant was among the first three
    top_three   the first three were the three strongest, in any order
    """

    matches: float
    first: float
    top: float
    top_three: float


def found(plan: Plan, runs: int, spread: float, seed: int = 1) -> FoundShares:
    """Plays `runs` tournaments of a plan, each among entrants of newly drawn strengths.

    spread  standard deviation of the strengths, in Elo points. Luck of the seat is 75 points, of an entrant with a deal
            70. The order of the entrants, by which some formats seed, says nothing about their strengths
    """
    rng = np.random.default_rng(seed)
    plan = replace(plan, entrants=names_of(len(plan.entrants)))
    matches, first, top, top_three = 0, 0.0, 0, 0
    # The blocks of a round robin are the same in all of them.
    known = None if plan.is_staged else list(Schedule(plan))
    for _ in range(runs):
        simulated = SimulatedField(tuple(rng.normal(0.0, spread, len(plan.entrants))), deal=70.0, seat=75.0)
        strength = dict(zip(plan.entrants, simulated.elo, strict=True))
        best = sorted(plan.entrants, key=lambda name: -strength[name])
        stages, results = played_through(simulated, plan, rng) if known is None else ((), played(simulated, known, rng))
        levels = ranking(plan, stages, results) or [(row.name,) for row in standings(plan.entrants, results)]
        order = [name for level in levels for name in level]
        matches += len(results)
        first += (best[0] in levels[0]) / len(levels[0])
        top += best[0] in order[:3]
        top_three += set(best[:3]) == set(order[:3])
    return FoundShares(matches / runs, first / runs, top / runs, top_three / runs)
