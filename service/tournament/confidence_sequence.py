"""Intervals for a rating that hold however often and whenever one looks: betting confidence sequences on block scores.

A candidate rating h says what share of pairs an entrant should win in each of its blocks, given its opponents' ratings.
Bets are placed against h, block after block. If h is right, no way of betting can be expected to win, so the chance
that a stake *ever* grows twentyfold is at most 1 in 20 (Ville's inequality), whatever the luck within a block. The
interval holds all h against which no stake has. docs/tournament-math.md has the formulas and how often they hold.

After Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALPHA = 0.05
"""The chance that the interval misses at any time is at most this."""

STEP = 16.0
"""Candidates are this many Elo points apart. Between two of them the evidence is interpolated."""
MAX_STEPS = 150
"""How far from the mean opponent, in steps, a candidate may be; an end beyond is left open."""

# About how many steps wide to a side an interval is after one block.
_FIRST_STRIDE = 30.0

# Each part of the stake is bet on a rating that is so many steps above or below the candidate.
_SHIFTS = np.array([1, 2, 3, 5, 10, -1, -2, -3, -5, -10])
_LOG_STAKES = np.log(np.tile([0.02, 0.08, 0.225, 0.11, 0.065], 2))
_MAX_BET = 0.8
_OVERDISPERSION = (0.5, 3.0)
_PRIOR_BLOCKS = 4.0


@dataclass(frozen=True, slots=True)
class Interval:
    """Elo points. None: that end is open, since the results don't bound the rating on that side."""

    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def widened(self, error: float) -> Interval:
        """For opponents' ratings that are known with so much error only: half' = sqrt(half² + error²) about the same
        middle. Where one end is open, the other moves out by the error."""
        if self.low is None or self.high is None:
            return Interval(
                None if self.low is None else self.low - error, None if self.high is None else self.high + error
            )
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        wide = float(np.hypot(half, error))
        return Interval(middle - wide, middle + wide)


def interval(shares: Floats, opponents: Floats, alpha: float = ALPHA) -> Interval | None:
    """The interval of one entrant from its finished blocks in the order of their start.

    shares     (t,) share of pairs won in each block, shared places half: 0 to 1
    opponents  (t, m) ratings of its opponents there, Elo points; a block has m + 1 seatings
    alpha      chance of missing at any time

    None: no candidate agrees with the results, so strength is not one number here.
    """
    evidence = _Evidence(shares, opponents)
    bound = -log(alpha)
    inside = np.full(2, evidence.centre())
    at_inside = evidence.against(inside)
    if at_inside[0] >= bound:
        return None
    # Both ends at once, the lower one first: outwards in growing strides until the evidence is enough, then by halves.
    limits = np.array([-MAX_STEPS, MAX_STEPS])
    outside, at_outside = inside, at_inside
    stride = max(1, round(_FIRST_STRIDE / sqrt(len(shares))))
    while (wide := (at_outside < bound) & (outside != limits)).any():
        inside, at_inside = np.where(wide, outside, inside), np.where(wide, at_outside, at_inside)
        outside = np.where(wide, np.clip(inside + np.sign(limits) * stride, *limits), outside)
        at_outside = evidence.against(outside)
        stride *= 2
    is_open = at_outside < bound
    while (wide := ~is_open & (np.abs(outside - inside) > 1)).any():
        middle = np.where(wide, (inside + outside) // 2, inside)
        at_middle = evidence.against(middle)
        within = at_middle < bound
        inside, at_inside = np.where(within, middle, inside), np.where(within, at_middle, at_inside)
        outward = wide & ~within
        outside, at_outside = np.where(outward, middle, outside), np.where(outward, at_middle, at_outside)
    part = (bound - at_inside) / np.where(is_open, 1.0, at_outside - at_inside)
    ends = evidence.origin + STEP * (inside + part * (outside - inside))
    low, high = (None if unbounded else float(end) for unbounded, end in zip(is_open, ends, strict=True))
    return Interval(low, high)


class _Evidence:
    """The blocks of one entrant, and what they say against a candidate. Candidates are steps from `origin`."""

    def __init__(self, shares: Floats, opponents: Floats) -> None:
        self.origin = float(opponents.mean())
        self._shares = shares
        self._odds: Floats = 10.0 ** ((opponents - self.origin) / 400.0)

    def centre(self) -> int:
        """The step at which the expected shares add up to those that were won, or the nearest one."""
        low, high = -MAX_STEPS, MAX_STEPS
        won = self._shares.sum()
        while high - low > 1:
            middle = (low + high) // 2
            if self._expected(np.array([middle])).sum() < won:
                low = middle
            else:
                high = middle
        return high if high < MAX_STEPS or low == MAX_STEPS - 1 else low

    def _expected(self, steps: Ints) -> Floats:
        """(t, s) expected share of pairs won, for (s,) candidates."""
        scale = 10.0 ** (-steps * (STEP / 400.0))
        total: Floats = np.zeros((len(self._shares), len(steps)))
        for odds in self._odds.T:
            total += 1.0 / (1.0 + odds[:, None] * scale)
        total /= self._odds.shape[1]
        return total

    def against(self, steps: Ints) -> Floats:
        """(s,) logarithm of what a stake of 1 against each of these candidates has become."""
        blocks = len(self._shares)
        shifted = (steps[:, None] + _SHIFTS).ravel()
        expected = self._expected(steps)
        difference = self._shares[:, None] - expected
        variance = self._variance(steps)
        ratio = difference**2 / variance
        earlier = np.cumsum(ratio, axis=0) - ratio
        counted = _PRIOR_BLOCKS + np.arange(blocks)[:, None]
        spread = variance * np.clip((_PRIOR_BLOCKS + earlier) / counted, *_OVERDISPERSION)
        lead = self._expected(shifted).reshape(blocks, len(steps), len(_SHIFTS)) - expected[:, :, None]
        bets = lead / (spread[:, :, None] + lead**2)
        np.clip(bets, -_MAX_BET / (1.0 - expected)[:, :, None], _MAX_BET / expected[:, :, None], out=bets)
        stakes = _LOG_STAKES + np.log1p(bets * difference[:, :, None]).sum(axis=0)
        most = stakes.max(axis=1)
        total: Floats = most + np.log(np.exp(stakes - most[:, None]).sum(axis=1))
        return total

    def _variance(self, steps: Ints) -> Floats:
        """(t, s) variance of a block's share if matches follow the Plackett-Luce model and are independent."""
        size = self._odds.shape[1]
        scale = 10.0 ** (-steps * (STEP / 400.0))
        odds = [column[:, None] * scale for column in self._odds.T]
        beaten = [1.0 / (1.0 + one) for one in odds]
        total: Floats = np.zeros((len(self._shares), len(steps)))
        for one in beaten:
            total += one * (1.0 - one)
        for one, other in combinations(range(size), 2):
            total += 2.0 * (1.0 / (1.0 + odds[one] + odds[other]) - beaten[one] * beaten[other])
        total /= (size + 1) * size * size
        return total
