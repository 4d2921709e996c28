"""Ratings of many tournaments drawn at random from the blocks of one: what intervals are read from.

Everything random comes from the tournament's seed by hash, so that anybody who has the seed gets the same intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from service.chance import hash_prefix
from service.tournament.comparisons import Comparisons, Floats, Ints
from service.tournament.lazy import lazily

special = lazily("scipy.special")

Words = NDArray[np.uint64]

LABEL = "resample"
PRIOR_LABEL = "resample.prior"

_LEAST_PRIOR = 1e-4
_MATRIX_CELLS = 2_000_000  # of the resamples that are fitted at once: bounds the memory, about 100 MB
_STEPS = 200
_LARGEST_STEP = 2.0
_CLOSE = 1e-6


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
    """For each resample (units,): how often each unit was drawn, by draws below `units` as PROTOCOL's "Chance" says."""
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
        strengths += step * np.minimum(1.0, _LARGEST_STEP / np.maximum(longest, _CLOSE))
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
    drawn: Floats = np.maximum(normal * normal / 2.0, _LEAST_PRIOR)
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
