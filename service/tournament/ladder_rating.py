"""The ratings of a ladder: strengths by maximum likelihood from all blocks, and intervals that may be looked at at any
time.

docs/tournament-math.md says why each step is as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from service.tournament.confidence_sequence import Interval, interval
from service.tournament.rating import ELO, MEAN

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PROVISIONAL_HALF_WIDTH = 100.0
"""A rating is provisional until its interval is at most this many points wide to each side."""

NEW_SHARE = 100
"""All strengths are estimated jointly again when one comparison in so many is new."""

_PRIOR = 1.0
"""Drawn comparisons of each entrant with one of strength 0. They bound a rating that is all wins or all losses."""
_WIDENING = 2.72
"""Standard errors of the opponents' ratings by which an interval is widened: as many as the confidence sequence of a
normal mean needs about 100 blocks after its start."""
_STEPS = 100
_CLOSE = 1e-5
_MAX_STEP = 1.0


@dataclass(frozen=True, slots=True)
class LadderRating:
    """What the results say of one entrant. Elo points; the mean of the reference entrants is 1500.

    error        standard error of the rating, for one look; None without a block that counts
    interval     holds the rating at every look in at least 95 % of ladders; None: there is none yet, or its results fit
                 no single rating
    provisional  whether the interval is missing, open, or more than 100 points wide to a side
    blocks       finished blocks that count
    """

    name: str
    rating: float
    error: float | None
    interval: Interval | None
    provisional: bool
    blocks: int

    def to_json(self) -> dict[str, Any]:
        """Its members by name; points rounded to 0.1. An open end of the interval is null."""
        found = self.interval
        ends = None if found is None else [None if end is None else round(end, 1) for end in (found.low, found.high)]
        return {
            "name": self.name,
            "rating": round(self.rating, 1),
            "error": None if self.error is None else round(self.error, 1),
            "interval": ends,
            "provisional": self.provisional,
            "blocks": self.blocks,
        }


class LadderRatings:
    """Takes the finished blocks of a season in the order of their start, and gives the ratings at any time.

    Between two calls of `ratings`, only entrants with a new block get a new interval: that of another one rests on its
    opponents' ratings as they were at its own last block. And only their strengths move, each by itself, until one
    comparison in a hundred is new; then all are estimated jointly.
    """

    def __init__(self, players: int) -> None:
        self._players = players
        self._index: dict[str, int] = {}
        self._references: list[int] = []
        self._strengths: Floats = np.zeros(0)
        self._wins = sparse.csr_matrix((0, 0), dtype=np.float64)
        self._new: list[tuple[int, int, float]] = []
        self._shares: list[list[float]] = []
        self._opponents: list[list[tuple[int, ...]]] = []
        self._known: dict[int, tuple[float, float, Interval | None]] = {}
        """By index: variance and standard error (natural units), and interval less the zero of the scale (Elo)."""
        self._stale: set[int] = set()

    def enter(self, name: str, *, reference: bool = False) -> None:
        """A new entrant. One that is known already stays what it was."""
        if name in self._index:
            return
        if reference:
            self._references.append(len(self._index))
        self._index[name] = len(self._index)
        self._shares.append([])
        self._opponents.append([])

    def add(self, halves: Mapping[str, Mapping[str, int]]) -> None:
        """A block that counts: by member, by opponent, in how many of its matches the member was placed above, counted
        twice, and once where they shared a place. Raises KeyError for a name that is no entrant."""
        members = [self._index[name] for name in halves]
        possible = 2 * self._players * (self._players - 1)
        for (name, row), one in zip(halves.items(), members, strict=True):
            others = tuple(other for other in members if other != one)
            self._shares[one].append(sum(row.values()) / possible)
            self._opponents[one].append(others)
            self._new += [(one, self._index[other], count / 2) for other, count in row.items() if other != name]
        self._stale.update(members)

    def ratings(self, *, fresh: bool = False) -> dict[str, LadderRating]:
        """All entrants by name, strongest first. `fresh`: with every interval computed anew, from the ratings of now,
        so that nothing depends on when ratings were looked at before."""
        if fresh or len(self._new) * NEW_SHARE >= self._wins.nnz:
            self._fit(cold=fresh)
        else:
            self._strengths = np.pad(self._strengths, (0, len(self._index) - len(self._strengths)))
            for one in self._stale:
                self._strengths[one] = self._alone(one)
        zero = float(self._strengths[self._references].mean()) if self._references else 0.0
        if fresh:
            self._known.clear()
            self._stale = set(range(len(self._index)))
        stale = [one for one in self._stale if self._shares[one]]
        self._measure(stale)
        self._stale.clear()
        rows = [self._row(name, one, zero) for name, one in self._index.items()]
        return {row.name: row for row in sorted(rows, key=lambda row: (-row.rating, row.name))}

    def _row(self, name: str, one: int, zero: float) -> LadderRating:
        rating = MEAN + ELO * (float(self._strengths[one]) - zero)
        if one not in self._known:
            return LadderRating(name, rating, None, None, True, 0)
        _, error, found = self._known[one]
        shown = None if found is None else _shifted(found, MEAN - ELO * zero)
        half = None if shown is None else shown.half_width
        provisional = half is None or half > PROVISIONAL_HALF_WIDTH
        return LadderRating(name, rating, ELO * error, shown, provisional, len(self._shares[one]))

    def _fit(self, *, cold: bool) -> None:
        """Maximum likelihood in the Bradley-Terry model by Newton's method, from the strengths of the last time."""
        size = len(self._index)
        self._wins.resize((size, size))
        if self._new:
            winners, losers, won = zip(*self._new, strict=True)
            self._wins = self._wins + sparse.csr_matrix((won, (winners, losers)), shape=(size, size))
            self._new = []
        start = np.zeros(size) if cold else np.pad(self._strengths, (0, size - len(self._strengths)))
        played = (self._wins + self._wins.T).tocoo()
        row, column, count = played.row, played.col, played.data
        won_by = np.asarray(self._wins.sum(axis=1)).ravel()
        strengths: Floats = start
        for _ in range(_STEPS):
            beaten = 1.0 / (1.0 + np.exp(strengths[column] - strengths[row]))
            of_prior = 1.0 / (1.0 + np.exp(-strengths))
            slope = won_by - np.bincount(row, count * beaten, size) + _PRIOR * (0.5 - of_prior)
            weight = count * beaten * (1.0 - beaten)
            diagonal = np.bincount(row, weight, size) + _PRIOR * of_prior * (1.0 - of_prior)
            curvature = sparse.csr_matrix((-weight, (row, column)), shape=(size, size)) + sparse.diags(diagonal)
            step, _ = linalg.cg(curvature, slope, rtol=1e-3, M=sparse.diags(1.0 / diagonal))
            longest = float(np.abs(step).max(initial=0.0))
            strengths = strengths + step * min(1.0, _MAX_STEP / max(longest, _CLOSE))
            if longest < _CLOSE:
                self._strengths = strengths
                return
        raise ArithmeticError(f"the ratings did not settle in {_STEPS} steps")

    def _alone(self, one: int) -> float:
        """The most likely strength of one entrant, given those of its opponents."""
        strength = float(self._strengths[one])
        others = self._strengths[np.array(self._opponents[one])]
        won = self._players * (self._players - 1) * sum(self._shares[one])
        for _ in range(_STEPS):
            difference = strength - others
            of_prior = 1.0 / (1.0 + np.exp(-strength))
            expected = self._players * float((1.0 / (1.0 + np.exp(-difference))).sum()) + _PRIOR * (of_prior - 0.5)
            slope = self._players * float(_weight(difference).sum()) + _PRIOR * of_prior * (1.0 - of_prior)
            step = float(np.clip((won - expected) / slope, -_MAX_STEP, _MAX_STEP))
            strength += step
            if abs(step) < _CLOSE:
                break
        return strength

    def _measure(self, entrants: Sequence[int]) -> None:
        """New variance, error and interval of these entrants."""
        variances = {one: known[0] for one, known in self._known.items()}
        for one in entrants:
            variances[one] = self._variance(one)
        spread = np.array([variances.get(one, 0.0) for one in range(len(self._index))])
        of_zero = np.zeros(len(self._index))
        of_zero[self._references] = 1.0 / max(1, len(self._references))
        for one in entrants:
            opponents = np.array(self._opponents[one])
            strengths = self._strengths[opponents]
            weights = _weight(self._strengths[one] - strengths)
            # How far the rating moves with the strength of each other one: as an opponent, and as part of the zero.
            moved = np.bincount(opponents.ravel(), weights.ravel(), len(self._index)) / weights.sum() - of_zero
            own = 1.0 + moved[one]
            moved[one] = 0.0
            carried = sqrt(float(moved**2 @ spread))
            found = interval(np.array(self._shares[one]), ELO * strengths)
            wide = None if found is None else found.widened(_WIDENING * ELO * carried)
            self._known[one] = (variances[one], sqrt(own**2 * variances[one] + carried**2), wide)

    def _variance(self, one: int) -> float:
        """Of the strength of one entrant, from the spread of its blocks about their expectations (natural units)."""
        difference = self._strengths[one] - self._strengths[np.array(self._opponents[one])]
        expected = 1.0 / (1.0 + np.exp(-difference))
        pairs = self._players * (self._players - 1)
        surplus = pairs * (np.array(self._shares[one]) - expected.mean(axis=1))
        # Two blocks whose spread is that among equals, so that few blocks that happen to be alike don't claim too much.
        spread = float(surplus @ surplus) + 2.0 * self._players * (self._players**2 - 1) / 12.0
        slope = self._players * float(_weight(difference).sum()) + _PRIOR / 4.0
        return spread / slope**2


def _weight(difference: Floats) -> Floats:
    """Information of one comparison: p (1 - p)."""
    beaten: Floats = 1.0 / (1.0 + np.exp(-difference))
    return beaten * (1.0 - beaten)


def _shifted(found: Interval, by: float) -> Interval:
    return Interval(None if found.low is None else found.low + by, None if found.high is None else found.high + by)
