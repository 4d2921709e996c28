"""Match results as pairwise comparisons, summed by block: what ratings are estimated from.

In a match of k entrants each pair of them is one comparison. The entrant that is placed higher wins it; on a shared
place each gets half. Seats and the order of matches do not enter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.tournament.results import MatchResult, counting

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_UNITS = 5_000
"""Units to resample. If there are more blocks, neighbours are joined into this many units of (nearly) equal size."""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Comparisons among `names`, n of them. All arrays are read only.

    names   entrants with at least one comparison, in entrants' order
    blocks  how many blocks hold at least one comparison
    own     (n,) in how many of those blocks each entrant sat
    units   how many units there are to resample: the blocks, in order of number, or groups of them
    unit, cell, won   one element for each ordered pair of entrants in each unit: the unit's index, n * winner + loser,
                      and how many comparisons of that pair the winner won there (in halves)
    """

    names: tuple[str, ...]
    blocks: int
    own: Ints
    units: int
    unit: Ints
    cell: Ints
    won: Floats

    def wins(self, weights: Floats | None = None) -> Floats:
        """(n, n): how often row beat column, every unit counted `weights` (units,) times; by default once."""
        size = len(self.names)
        won = self.won if weights is None else self.won * weights[self.unit]
        sums = np.bincount(self.cell, weights=won, minlength=size * size)
        return np.asarray(sums, dtype=np.float64).reshape(size, size)

    def is_connected(self) -> bool:
        """Whether all entrants were compared with each other, directly or through others."""
        if not self.names:
            return True
        met = self.wins() > 0
        reached = np.zeros(len(self.names), dtype=bool)
        reached[0] = True
        while True:
            wider = reached | (met | met.T)[reached].any(axis=0)
            if (wider == reached).all():
                return bool(reached.all())
            reached = wider


def collect(entrants: Sequence[str], results: Iterable[MatchResult], *, with_not_started: bool = False) -> Comparisons:
    """The comparisons of all results that count (results.counting), but those with a bot that did not start, unless
    `with_not_started`.

    Raises KeyError if a result seats a bot that is no entrant.
    """
    rated = [result for result in counting(results) if with_not_started or not result.not_started]
    entered = set(entrants)
    seen = {name for result in rated for name in result.seats}
    if not seen <= entered:
        raise KeyError(f"no entrants: {', '.join(sorted(seen - entered))}")
    names = tuple(name for name in entrants if name in seen)
    place = {name: index for index, name in enumerate(names)}
    numbers = sorted({result.block for result in rated})
    units = min(len(numbers), MAX_UNITS)
    order = {number: index for index, number in enumerate(numbers)}
    sums: dict[tuple[int, int], float] = {}
    in_blocks: set[tuple[int, int]] = set()
    for result in rated:
        assert result.places is not None
        block = order[result.block]
        unit = block * units // len(numbers)
        seated = [(place[name], at) for name, at in zip(result.seats, result.places, strict=True)]
        for one, mine in seated:
            in_blocks.add((one, block))
            for other, theirs in seated:
                if mine <= theirs and one != other:
                    key = (unit, one * len(names) + other)
                    sums[key] = sums.get(key, 0.0) + (1.0 if mine < theirs else 0.5)
    own = np.bincount(np.array([one for one, _ in in_blocks], dtype=np.int64), minlength=len(names))
    keys = sorted(sums)
    return Comparisons(
        names=names,
        blocks=len(numbers),
        own=own.astype(np.int64),
        units=units,
        unit=np.array([unit for unit, _ in keys], dtype=np.int64),
        cell=np.array([cell for _, cell in keys], dtype=np.int64),
        won=np.array([sums[key] for key in keys], dtype=np.float64),
    )
