"""The log of a season that is played here, and its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from service.tournament.ladder import Season, won_of
from service.tournament.matchmaking import next_block
from service.tournament.results import MatchResult
from service.tournament.simulation import finished

SEED = "the season's seed"


@dataclass(slots=True)
class PlayedSeason:
    """`results`: by block."""

    players: int = 3
    log: list[dict[str, Any]] = field(default_factory=list)
    results: dict[int, list[MatchResult]] = field(default_factory=dict)

    @property
    def season(self) -> Season:
        made = Season(self.players)
        for entry in self.log:
            made.add(entry)
        return made

    def note(self, kind: str, **members: Any) -> None:
        self.log.append({"type": kind, "at": len(self.log), **members})

    def enter(self, name: str, *, reference: bool = False) -> None:
        self.note("entered", entrant=name, bot=f"id of {name}", version=None, reference=reference)

    def start(self, busy: tuple[str, ...] = ()) -> int | None:
        """The number of the next block; None if there is none now."""
        members = next_block(self.season.state, SEED, busy)
        if members is None:
            return None
        number = self.season.blocks
        self.note("started", block=number, entrants=list(members), busy=list(busy))
        return number

    def finish(self, number: int, strengths: Mapping[str, float]) -> None:
        rng, block = np.random.default_rng(number), self.season.block(number)
        self.results[number] = []
        for pairing in block.pairings:
            points = [int(strengths[name] + 100 * rng.gumbel()) + 1000 for name in pairing.seats]
            self.results[number].append(finished(pairing.match, number, pairing.seats, points))
        self.note("finished", block=number, won=won_of(block, self.results[number]))


def played_season(blocks: int = 12) -> PlayedSeason:
    """References and three bots, one of which leaves and comes back; two blocks at a time."""
    made = PlayedSeason()
    strengths = {name: 50.0 * rank for rank, name in enumerate(("r", "s", "t", "ann", "ben", "cid"))}
    for name in ("r", "s", "t"):
        made.enter(name, reference=True)
    for name in ("ann", "ben", "cid"):
        made.enter(name)
    for turn in range(blocks // 2):
        for number in [made.start(), made.start()]:
            if number is not None:
                made.finish(number, strengths)
        if turn == 1:
            made.note("away", entrant="ben", reason="left")
        if turn == 3:
            made.note("back", entrant="ben")
    return made
