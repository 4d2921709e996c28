"""Which differences of strength the games show, and the rank bands that follow: all pairs judged at once.

Among 20 equal bots, 190 pairs are compared; judged one by one at 95 %, some would always seem to differ. Here the
chance that any pair of equal bots is shown to differ is 5 % in all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from service.tournament.pairwise import Floats

Flags = NDArray[np.bool_]

ERROR = 0.05
_ONE_SIGMA_BELOW = 0.158655  # of a normal distribution


def shown_differences(drawn: Floats, effective: Floats) -> Flags:
    """(n, n): whether row is shown to be stronger than column.

    drawn      (resamples, n) resampled strengths
    effective  (n,) blocks that the small-sample correction goes by

    A difference is measured in units of its own spread downwards (from the median of the resamples to the percentile
    that lies one sigma lower), so that a bot that won everything, whose rating is open upwards, is not held back by
    that. It is shown if it is larger than the largest fall below its median of any pair, in 95 % of the resamples;
    this bound is widened as a t quantile is against a normal one.
    """
    count, size = drawn.shape
    median, spread = np.empty((size, size)), np.empty((size, size))
    falls = np.full(count, -np.inf)
    for row in range(size):
        lead = drawn[:, row, None] - drawn
        median[row] = np.median(lead, axis=0)
        spread[row] = np.maximum(median[row] - np.quantile(lead, _ONE_SIGMA_BELOW, axis=0), 1e-12)
        scaled = (median[row] - lead) / spread[row]
        scaled[:, row] = -np.inf
        falls = np.maximum(falls, scaled.max(axis=1))
    bound = float(np.quantile(falls, 1.0 - ERROR))
    blocks = np.maximum(np.minimum(effective[:, None], effective[None, :]), 1.5)
    level = min(float(special.ndtr(bound)), 1.0 - 1e-9)
    widened = special.stdtrit(blocks - 1.0, level) * np.sqrt(blocks / (blocks - 1.0))
    shown: Flags = median > widened * spread
    shown[np.arange(size), np.arange(size)] = False
    return shown


def rank_bands(shown: Flags) -> list[tuple[int, int]]:
    """First and last band of each bot, from 1, given which of two differ; rows and columns strongest first.

    Bands are the longest runs of the ranking whose first and last do not differ. So two bots whose difference is not
    shown share at least one, and two that share none differ. A bot is in several where bands overlap.
    """
    size = len(shown)
    ends: list[int] = []
    for index in range(size):
        level = [other for other in range(index, size) if not shown[index, other]]
        ends.append(max(level[-1], ends[-1] if ends else 0))
    starts = [index for index in range(size) if index == 0 or ends[index] > ends[index - 1]]
    runs = [(start, ends[start]) for start in starts]
    bands: list[tuple[int, int]] = []
    for index in range(size):
        inside = [number for number, (start, end) in enumerate(runs, start=1) if start <= index <= end]
        bands.append((inside[0], inside[-1]))
    return bands
