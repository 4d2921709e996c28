"""Ratings: one number a bot from all results at once, with what the games do and do not show about it.

The model is Bradley-Terry on the comparisons of comparisons.py, ties half, on an Elo scale: 400 points more mean odds
of 10 to 1 of being placed higher. Their mean is 1500. docs/tournament-math.md says it all in words, with figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from service.tournament.bands import rank_bands, shown_differences
from service.tournament.comparisons import Comparisons, Floats, collect
from service.tournament.lazy import lazily
from service.tournament.resampling import effective_blocks, prior, resample
from service.tournament.results import MatchResult

choix = lazily("choix")
special = lazily("scipy.special")

MEAN = 1500.0
ELO = 400.0 / log(10.0)
"""Elo points in one natural unit of strength."""

RESAMPLES = 1000
LEAST_BLOCKS = 30
"""Blocks with a rated match that a tournament needs before any interval is given."""
LEAST_OWN_BLOCKS = 6
"""Blocks of its own that a bot needs for an interval."""
CONFIDENCE = 0.95

TOO_FEW_BLOCKS = "too few blocks"
NOT_ASKED_FOR = "not asked for"
NOT_CONNECTED = "some bots have not met, not even through others"


@dataclass(frozen=True, slots=True)
class Rating:
    """What the results say of one bot.

    rating      Elo points; the mean of all rated bots is 1500
    interval    95 % interval; None with the reason in `reason`
    superiority likelihood that it is stronger than the bot next below by rating, 0 to 1; None for the last bot and
                where there are no intervals
    bands       first and last of the rank bands that it is in, from 1, the strongest. Two bots whose difference the
                games do not show always share a band; None if intervals were not asked for
    blocks      blocks with a rated match of this bot
    """

    name: str
    rating: float
    interval: tuple[float, float] | None
    reason: str | None
    superiority: float | None
    bands: tuple[int, int] | None
    blocks: int

    def to_json(self) -> dict[str, Any]:
        """Its members by name; ratings to 0.1 Elo points, likelihoods to 4 decimals."""
        return {
            "name": self.name,
            "rating": round(self.rating, 1),
            "interval": None if self.interval is None else [round(end, 1) for end in self.interval],
            "reason": self.reason,
            "superiority": None if self.superiority is None else round(self.superiority, 4),
            "bands": None if self.bands is None else list(self.bands),
            "blocks": self.blocks,
        }


def rate(
    entrants: Sequence[str],
    results: Iterable[MatchResult],
    seed: str,
    resamples: int = RESAMPLES,
) -> dict[str, Rating]:
    """Ratings by name, strongest first; bots without a rated match have none.

    seed       the tournament's; the resamples are drawn from it and from nothing else
    resamples  how many tournaments are drawn; 0: no intervals, likelihoods or bands, only the ratings (fast)

    Matches with a bot that did not start, and all that results.counting leaves out, are not rated. The order of
    entrants and results does not matter. Raises KeyError if a result seats somebody who is no entrant.
    """
    data = collect(sorted(entrants), results)
    if len(data.names) < 2:
        return {}
    strengths = _strengths(data)
    order = sorted(range(len(data.names)), key=lambda index: (-strengths[index], data.names[index]))
    reason = None if resamples else NOT_ASKED_FOR
    if data.blocks < LEAST_BLOCKS:
        reason = TOO_FEW_BLOCKS
    elif not data.is_connected():
        reason = NOT_CONNECTED
    if reason is not None:
        return {row.name: row for row in _bare_rows(data, strengths, order, reason)}
    drawn = resample(data, strengths, seed, resamples)
    return {row.name: row for row in _full_rows(data, strengths, drawn, order)}


def _strengths(data: Comparisons) -> Floats:
    """(n,) strengths in natural units, mean 0."""
    halves = np.full(len(data.names), 0.5)
    found: Floats = choix.ilsr_pairwise_dense(data.wins() + prior(halves, halves), max_iter=10_000, tol=1e-9)
    centred: Floats = found - found.mean()
    return centred


def _bare_rows(data: Comparisons, strengths: Floats, order: list[int], reason: str) -> list[Rating]:
    bands = None if reason == NOT_ASKED_FOR else (1, 1)
    rows: list[Rating] = []
    for index in order:
        rating = MEAN + ELO * float(strengths[index])
        rows.append(Rating(data.names[index], rating, None, reason, None, bands, int(data.own[index])))
    return rows


def _full_rows(data: Comparisons, strengths: Floats, drawn: Floats, order: list[int]) -> list[Rating]:
    effective = effective_blocks(data.own, data.blocks)
    likelihood = _superiority(drawn[:, order], effective[order])
    bands = rank_bands(shown_differences(drawn[:, order], effective[order]))
    rows: list[Rating] = []
    for rank, index in enumerate(order):
        enough = data.own[index] >= LEAST_OWN_BLOCKS
        rows.append(
            Rating(
                name=data.names[index],
                rating=MEAN + ELO * float(strengths[index]),
                interval=_interval(drawn[:, index], float(effective[index])) if enough else None,
                reason=None if enough else TOO_FEW_BLOCKS,
                superiority=float(likelihood[rank, rank + 1]) if rank + 1 < len(order) else None,
                bands=bands[rank],
                blocks=int(data.own[index]),
            )
        )
    return rows


def _interval(drawn: Floats, blocks: float) -> tuple[float, float]:
    """The expanded percentile interval, in Elo points.

    Percentiles of resampled values are too narrow twice over: resampling shrinks the variance by (m - 1) / m, and
    ignores that it is itself estimated from m blocks. So the percentiles are taken further out, where a t quantile
    with m - 1 degrees of freedom and that variance would be (Hesterberg, "What teachers should know about the
    bootstrap", 2015, section 5.3).
    """
    spread = float(special.stdtrit(blocks - 1.0, 1.0 - (1.0 - CONFIDENCE) / 2.0)) * sqrt(blocks / (blocks - 1.0))
    outside = float(special.ndtr(-spread))
    low, high = np.quantile(drawn, [outside, 1.0 - outside])
    return MEAN + ELO * float(low), MEAN + ELO * float(high)


def _superiority(drawn: Floats, effective: Floats) -> Floats:
    """(n, n): likelihood that row is stronger than column; columns of `drawn` are in the order of rows.

    The share of resamples that say so, drawn back towards 1/2 by the same correction that widens the intervals.
    """
    count, size = drawn.shape
    share = np.empty((size, size))
    for index in range(size):
        above = drawn[:, index, None] > drawn
        share[index] = (above.sum(axis=0) + 0.5) / (count + 1.0)
    share[np.arange(size), np.arange(size)] = 0.5
    blocks = np.minimum(effective[:, None], effective[None, :])
    blocks = np.maximum(blocks, 1.5)
    found: Floats = special.stdtr(blocks - 1.0, special.ndtri(share) * np.sqrt((blocks - 1.0) / blocks))
    return found
