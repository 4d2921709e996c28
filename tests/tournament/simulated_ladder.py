"""Simulated ladders: entrants with known strengths, paired by the real rule, their blocks played in simulated time."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from service.tournament.matchmaking import NEWCOMER_BLOCKS, LadderState, next_block
from service.tournament.rating import ELO

Halves = dict[str, dict[str, int]]
"""Of a block: by member, by opponent, how often the member was placed above it, counted twice, and once where they
shared a place."""


@dataclass(frozen=True, slots=True)
class Luck:
    """What enters a match besides strength; standard deviations in Elo points.

    seat   what each seat is worth, drawn anew for each block
    deal   what a block's deal is worth to each bot
    grain  Elo points that make a point in the game, so that bots close together share a place; 0: none do
    cycle  height of rock-paper-scissors: every bot has an angle, the same in each ladder, and gains this much against
           another times the sine of the difference of their angles
    """

    seat: float = 0.0
    deal: float = 0.0
    grain: float = 0.0
    cycle: float = 0.0


class SimulatedLadder:
    """A ladder on which `slots` blocks are played at a time, each for about `block_s` seconds of simulated time."""

    def __init__(
        self,
        strengths: Mapping[str, float],
        *,
        players: int = 4,
        slots: int = 8,
        block_s: float = 20.0,
        luck: Luck = Luck(),
        seed: int = 1,
        references: Sequence[str] = (),
    ) -> None:
        self.strengths = strengths
        self.slots = slots
        self.block_s = block_s
        self.luck = luck
        self.seed = seed
        self.now_s = 0.0
        self.state = LadderState(players)
        self.waits: dict[str, list[float]] = {name: [] for name in strengths}
        """Seconds that each entrant waited before each of its blocks."""
        self.meetings: dict[str, Counter[str]] = {name: Counter() for name in strengths}
        self._rng = np.random.default_rng(seed)
        angles = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, len(strengths))
        self._angles = dict(zip(strengths, angles, strict=True))
        self._running: list[tuple[float, int]] = []
        self._free_since = dict.fromkeys(strengths, 0.0)
        for name in references:
            self.state = self.state.enter(name, reference=True)

    def enter(self, *names: str) -> None:
        for name in names:
            self.state = self.state.enter(name)
            self._free_since[name] = self.now_s

    def settle(self, *names: str) -> None:
        """Makes entrants known: their pairing ratings are right, and they are no newcomers."""
        entrants = dict(self.state.entrants)
        for name in names:
            rating = round(self.strengths[name])
            entrants[name] = replace(entrants[name], finished=NEWCOMER_BLOCKS, rating=rating, last=0)
        self.state = replace(self.state, entrants=entrants)

    def play(self, blocks: int) -> Iterator[tuple[int, tuple[str, ...], Halves]]:
        """Plays on until so many more blocks are finished; gives the number, members and halves of each as it ends."""
        for _ in range(blocks):
            while len(self._running) < self.slots:
                members = next_block(self.state, f"seed {self.seed}")
                if members is None:
                    break
                self._begin(members)
            self.now_s, number = heapq.heappop(self._running)
            members = self.state.open[number]
            halves = self.result(members)
            self.state = self.state.finish(number, {name: sum(row.values()) for name, row in halves.items()})
            for name in members:
                self._free_since[name] = self.now_s
            yield number, members, halves

    def _begin(self, members: tuple[str, ...]) -> None:
        heapq.heappush(self._running, (self.now_s + self.block_s * self._rng.uniform(0.7, 1.3), self.state.started))
        for name in members:
            self.waits[name].append(self.now_s - self._free_since[name])
            self.meetings[name].update(other for other in members if other != name)
        self.state = self.state.start(members)

    def result(self, members: Sequence[str]) -> Halves:
        """What the matches of one block came to."""
        luck, rng, size = self.luck, self._rng, len(members)
        at = np.array([self.strengths[name] for name in members]) + rng.normal(0.0, luck.deal, size)
        if luck.cycle:
            angles = np.array([self._angles[name] for name in members])
            at += luck.cycle * np.sin(angles[:, None] - angles[None, :]).sum(axis=1) / (size - 1)
        of_seat = rng.normal(0.0, luck.seat, size)
        won = np.zeros((size, size), dtype=np.int64)
        for turn in range(size):
            reached = at + np.roll(of_seat, turn) + ELO * rng.gumbel(size=size)
            if luck.grain:
                reached = np.floor(reached / luck.grain)
            won += 2 * (reached[:, None] > reached[None, :]) + (reached[:, None] == reached[None, :])
        return {
            name: {other: int(won[one, two]) for two, other in enumerate(members) if other != name}
            for one, name in enumerate(members)
        }


def drawn_strengths(number: int, spread: float, seed: int = 1) -> dict[str, float]:
    """Entrants by name, with normally distributed strengths (standard deviation in Elo points) about 1500."""
    drawn = np.random.default_rng(seed).normal(1500.0, spread, number)
    return {f"bot{index:03d}": float(elo) for index, elo in enumerate(drawn)}
