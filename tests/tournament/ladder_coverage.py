"""Do the intervals of a ladder hold the true ratings at every look? `python -m tests.tournament.simulations ladder`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from service.tournament.ladder_rating import LadderRating, LadderRatings
from tests.tournament.simulated_ladder import Luck, SimulatedLadder, drawn_strengths

LOOKS = (17, 25, 50, 100)
"""Blocks after which half-widths are noted."""


REFERENCES = 8


@dataclass(frozen=True, slots=True)
class Scenario:
    """A ladder that is played from cold.

    entrants   with normally distributed strengths, `spread` Elo points wide; the first eight are the references
    newcomers  enter when the others have `settled` blocks each, on average
    blocks     how many blocks each newcomer then plays at least
    look       blocks on the whole ladder between two looks
    """

    what: str
    luck: Luck
    spread: float = 300.0
    players: int = 4
    entrants: int = 30
    newcomers: int = 5
    settled: int = 80
    blocks: int = 100
    look: int = 10

    @property
    def strengths(self) -> dict[str, float]:
        """The same in every run."""
        return drawn_strengths(self.entrants + self.newcomers, self.spread)

    def ladder(self, seed: int) -> SimulatedLadder:
        return SimulatedLadder(self.strengths, players=self.players, luck=self.luck, seed=seed)

    def ratings(self) -> LadderRatings:
        made = LadderRatings(self.players)
        for number, name in enumerate(self.strengths):
            made.enter(name, reference=number < REFERENCES)
        return made

    def truth(self, blocks: int = 3000) -> dict[str, float]:
        """The ratings that a ladder without end would give, from one of so many blocks for each entrant, under the
        same pairing."""
        ladder, ratings = self.ladder(seed=99), self.ratings()
        ladder.enter(*self.strengths)
        ladder.settle(*self.strengths)
        for _, _, halves in ladder.play(blocks * len(self.strengths) // self.players):
            ratings.add(halves)
        return {name: row.rating for name, row in ratings.ratings().items()}


@dataclass(slots=True)
class Found:
    """Over all runs: how many entrants there were, and those whose interval missed the truth at some look."""

    entrants: int = 0
    missed: int = 0
    newcomers: int = 0
    newcomers_missed: int = 0
    half_widths: dict[int, list[float]] = field(default_factory=lambda: {look: [] for look in LOOKS})
    """Of newcomers, by number of blocks."""
    errors: list[float] = field(default_factory=list)
    """Rating less truth of the newcomers, at the end."""

    @property
    def held(self) -> float:
        return 1.0 - self.missed / self.entrants

    @property
    def newcomers_held(self) -> float:
        return 1.0 - self.newcomers_missed / self.newcomers


def run(scenario: Scenario, runs: int, first: int = 1) -> Found:
    """Plays and watches so many ladders."""
    truth, found = scenario.truth(), Found()
    names = list(scenario.strengths)
    old, new = names[: scenario.entrants], names[scenario.entrants :]
    for seed in range(first, first + runs):
        missed: set[str] = set()
        for rows in _looks(scenario, seed, old, new):
            missed.update(name for name, row in rows.items() if row.blocks and not _holds(row, truth[name]))
            _note(found, [rows[name] for name in new])
        found.entrants += len(old)
        found.missed += len(missed.intersection(old))
        found.newcomers += len(new)
        found.newcomers_missed += len(missed.intersection(new))
        found.errors += [rows[name].rating - truth[name] for name in new]
    return found


def _looks(scenario: Scenario, seed: int, old: Sequence[str], new: Sequence[str]) -> Iterator[dict[str, LadderRating]]:
    """The ratings at each look, from the first block to the last."""
    ladder, ratings = scenario.ladder(seed), scenario.ratings()
    ladder.enter(*old)
    for number, (_, _, halves) in enumerate(ladder.play(scenario.settled * len(old) // scenario.players)):
        ratings.add(halves)
        if number % scenario.look == 0:
            yield ratings.ratings()
    ladder.enter(*new)
    while min(ladder.state.entrants[name].finished for name in new) < scenario.blocks:
        for _, _, halves in ladder.play(scenario.look):
            ratings.add(halves)
        yield ratings.ratings()
    yield ratings.ratings(fresh=True)


def _holds(row: LadderRating, truth: float) -> bool:
    found = row.interval
    return found is not None and not (
        (found.low is not None and found.low > truth) or (found.high is not None and found.high < truth)
    )


def _note(found: Found, rows: Sequence[LadderRating]) -> None:
    for row in rows:
        half = None if row.interval is None else row.interval.half_width
        if half is not None and row.blocks in found.half_widths:
            found.half_widths[row.blocks].append(half)


def print_ladder(runs: int = 8) -> None:
    print(f"{runs} ladders each; held: never missed at any look")
    print(f"{'ladder':44}{'held':>8}{'newcomers':>11}   half-width of newcomers after {LOOKS} blocks; error")
    for scenario in SCENARIOS:
        found = run(scenario, runs)
        halves = " ".join(f"{np.median(found.half_widths[look]):5.0f}" for look in LOOKS)
        error = f"{np.mean(found.errors):+5.1f} ± {np.std(found.errors):.1f}"
        print(f"{scenario.what:44}{found.held:8.1%}{found.newcomers_held:11.1%}   {halves}   {error}", flush=True)


LUCK = Luck(seat=75, deal=100)
SCENARIOS = (
    Scenario("strength alone", Luck()),
    Scenario("luck of seat (75) and deal (100)", LUCK),
    Scenario("the same, spread 150", LUCK, spread=150),
    Scenario("the same, spread 450", LUCK, spread=450),
    Scenario("with shared places", Luck(75, 100, grain=100)),
    Scenario("with much luck of deal (150)", Luck(75, 150)),
    Scenario("with rock-paper-scissors (80)", Luck(75, 100, cycle=80)),
    Scenario("tables of 3", LUCK, players=3),
    Scenario("tables of 2", LUCK, players=2, blocks=150),
    Scenario("12 entrants, 2 newcomers", LUCK, entrants=12, newcomers=2),
)
