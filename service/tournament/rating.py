"""Ratings: strengths by the Bradley-Terry model, and intervals from tournaments resampled from the blocks of this one.

docs/tournament-math.md says why each step is as it is. Everything random comes from the tournament's seed by hash, so
that anybody who has the seed gets the same intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import log, sqrt
from typing import Any

import choix
import numpy as np
from numpy.typing import NDArray
from scipy import special

from service.chance import hash_prefix
from service.tournament.pairwise import Comparisons, Floats, Ints, collect
from service.tournament.rank_bands import rank_bands, shown_differences
from service.tournament.results import MatchResult

Words = NDArray[np.uint64]

MEAN = 1500.0
ELO = 400.0 / log(10.0)
"""Elo points in one natural unit of strength."""

RESAMPLES = 1000
MIN_BLOCKS = 30
"""Blocks with a rated match that a tournament needs before any interval is given."""
MIN_OWN_BLOCKS = 6
"""Blocks of its own that a bot needs for an interval."""
CONFIDENCE = 0.95

TOO_FEW_BLOCKS = "too few blocks"
NOT_ASKED_FOR = "not asked for"
PAIRED_BY_RESULTS = "who met whom depends on results"
NOT_CONNECTED = "some bots have not met, not even through others"

LABEL = "resample"
PRIOR_LABEL = "resample.prior"

_MIN_PRIOR = 1e-4
_MATRIX_CELLS = 2_000_000  # of the resamples that are fitted at once: bounds the memory, about 100 MB
_STEPS = 200
_MAX_STEP = 2.0
_CLOSE = 1e-6


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
    *,
    paired_by_results: bool = False,
) -> dict[str, Rating]:
    """Ratings by name, strongest first; bots without a rated match have none.

    seed       the tournament's; the resamples are drawn from it and from nothing else
    resamples  how many tournaments are drawn; 0: no intervals, likelihoods or bands, only the ratings (fast)
    paired_by_results  who met whom depends on results: then there are no intervals, since resampled blocks stand for
               those of a tournament whose schedule was fixed beforehand

    Matches with a bot that did not start, and all that results.counting leaves out, are not rated. The order of
    entrants and results does not matter. Raises KeyError if a result seats a bot that is no entrant.
    """
    data = collect(sorted(entrants), results)
    if len(data.names) < 2:
        return {}
    strengths = _strengths(data)
    order = sorted(range(len(data.names)), key=lambda index: (-strengths[index], data.names[index]))
    reason = None if resamples else NOT_ASKED_FOR
    if paired_by_results:
        reason = PAIRED_BY_RESULTS
    elif data.blocks < MIN_BLOCKS:
        reason = TOO_FEW_BLOCKS
    elif not data.is_connected():
        reason = NOT_CONNECTED
    if reason is not None:
        return {row.name: row for row in _bare_rows(data, strengths, order, reason)}
    drawn = resample(data, strengths, seed, resamples)
    return {row.name: row for row in _full_rows(data, strengths, drawn, order)}


def performances(entrants: Sequence[str], results: Iterable[MatchResult]) -> dict[str, float]:
    """Ratings by name as `rate` gives them, but from all matches that count: a bot that did not start has lost to the
    others. Standings that go by rating need that: a bot could else stay away from matches that it would lose."""
    data = collect(sorted(entrants), results, with_not_started=True)
    if len(data.names) < 2:
        return {}
    return {name: MEAN + ELO * float(one) for name, one in zip(data.names, _strengths(data), strict=True)}


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
        enough = data.own[index] >= MIN_OWN_BLOCKS
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


def resample(data: Comparisons, start: Floats, seed: str, resamples: int) -> Floats:
    """(resamples, n) strengths in natural units (as fit gives them), each row of a tournament drawn from `data`.

    A row's tournament has as many units as the real one, each drawn from all of them by `LABEL`. The prior is drawn
    too, by PRIOR_LABEL: where the games alone leave a rating open, because somebody won or lost everything, the
    interval must show how much of it is the prior's.
    """
    size = len(data.names)
    batch = max(1, min(resamples, _MATRIX_CELLS // (size * size)))
    drawn = unit_weights(seed, data.units, resamples)
    virtual = _virtual_results(seed, size, resamples)
    rows: list[Floats] = []
    for first in range(0, resamples, batch):
        count = min(batch, resamples - first)
        wins = np.empty((count, size, size))
        for index in range(count):
            wins[index] = data.wins(next(drawn))
        won, lost = virtual[first : first + count, 0], virtual[first : first + count, 1]
        rows.append(fit(wins + prior(won, lost), start))
    return np.concatenate(rows)


def unit_weights(seed: str, units: int, resamples: int) -> Iterator[Floats]:
    """For each resample (units,): how often each unit was drawn, by draws below `units` (RULES "Chance")."""
    words = _Words(seed, LABEL)
    limit = (1 << 64) - (1 << 64) % units
    spare = np.empty(0, dtype=np.uint64)
    for _ in range(resamples):
        while len(spare) < units:
            more = words(units - len(spare))
            if limit < 1 << 64:
                more = more[more < np.uint64(limit)]
            spare = np.concatenate([spare, more])
        drawn, spare = spare[:units] % np.uint64(units), spare[units:]
        yield np.bincount(drawn.astype(np.int64), minlength=units).astype(np.float64)


def prior(won: Floats, lost: Floats) -> Floats:
    """(…, n, n) virtual wins of row over column, from (…, n) virtual wins and losses of each entrant.

    Entrant i's virtual wins are spread over the others in proportion to their virtual losses:
    won[i] * lost[j] / (sum of lost without i). With one half everywhere, each of two entrants has
    1 / (2 (n - 1)) wins over the other: one drawn comparison an entrant, spread over all opponents.
    """
    size = won.shape[-1]
    others = lost.sum(axis=-1, keepdims=True) - lost
    spread: Floats = (won / others)[..., :, None] * lost[..., None, :]
    spread[..., np.arange(size), np.arange(size)] = 0.0
    return spread


def fit(wins: Floats, start: Floats) -> Floats:
    """(batch, n) Bradley-Terry strengths of greatest likelihood for (batch, n, n) wins; natural units, mean 0.

    Strength s wins against t with probability 1 / (1 + exp(t - s)). Newton's method from `start` (n,), all of the
    batch at once; the result agrees with the library that the ratings themselves come from.
    """
    batch, size, _ = wins.shape
    played = wins + wins.transpose(0, 2, 1)
    # The curvature is singular along equal shifts of all strengths; this fixes their mean and touches nothing else.
    anchor = np.full((size, size), 1.0 / size)
    diagonal = np.arange(size)
    strengths: Floats = np.tile(start, (batch, 1))
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
        slope = (wins - played * expected).sum(axis=2)
        weight = played * expected * (1.0 - expected)
        curvature = anchor - weight
        curvature[:, diagonal, diagonal] += weight.sum(axis=2)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        strengths += step * np.minimum(1.0, _MAX_STEP / np.maximum(longest, _CLOSE))
        if longest.max() < _CLOSE:
            centred: Floats = strengths - strengths.mean(axis=1, keepdims=True)
            return centred
    raise ArithmeticError(f"the ratings of a resample did not settle in {_STEPS} steps")


def _virtual_results(seed: str, size: int, resamples: int) -> Floats:
    """(resamples, 2, n): virtual wins and losses, gamma distributed with shape and mean 1/2.

    Half the square of a normal draw has that distribution. It makes the drawn prior to all-win bots what Jeffreys'
    prior is to a proportion of 100 %.
    """
    words = _Words(seed, PRIOR_LABEL)(resamples * 2 * size)
    uniform = (words.astype(np.float64) + 0.5) / 2.0**64
    normal: Floats = special.ndtri(np.clip(uniform, 1e-16, 1.0 - 1e-16))
    drawn: Floats = np.maximum(normal * normal / 2.0, _MIN_PRIOR)
    return drawn.reshape(resamples, 2, size)


class _Words:
    """Called with a number: that many next elements of the hash sequence of a seed and label, as 64-bit integers."""

    def __init__(self, seed: str, label: str) -> None:
        self._prefix = hash_prefix(seed, label)
        self._counter = 0

    def __call__(self, count: int) -> Words:
        prefix, first = self._prefix, self._counter
        self._counter += count
        counters = np.arange(first, first + count, dtype=">u8").tobytes()
        digests = b"".join([sha256(prefix + counters[at : at + 8]).digest() for at in range(0, 8 * count, 8)])
        return np.frombuffer(digests, dtype=">u8")[::4].astype(np.uint64)


def effective_blocks(own: Ints, blocks: int) -> Floats:
    """(n,) number of blocks that the small-sample correction goes by: the geometric mean of an entrant's and all.

    A rating rests on its own blocks, and through the opponents on all others; simulations hold this mean to its word.
    """
    mean: Floats = np.sqrt(own.astype(np.float64) * blocks)
    return mean
