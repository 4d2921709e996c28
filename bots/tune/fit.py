"""Fits weights to positions.

The softmax of the seats' values is to give the winning seats the highest likelihood (conditional logistic regression).
First one set of weights is fitted to all stages of the game, each stage with a scale of its own, regularised towards a
guess. Then each stage gets its own weights, regularised towards the common ones, so that a stage with few positions is
not overfitted. Cross-validation by games chooses the strength of the regularisation and gives the reported losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bots.search.evaluation import FEATURES, STAGES, result
from bots.tune.selfplay import Position

Floats = NDArray[np.float64]

GUESS = {"points": 1.0, "sure": 1.0, "open": 1.2, "coins": 0.5, "jack": 0.5, "good": 0.5, "broken": -0.5}
"""The guessed value of a feature in points, the same at each dock."""

PULL = 30.0
STAGE_PULLS = (100.0, 300.0, 1000.0, 3000.0)
"""The strength of the regularisation, and the strengths that are tried for the stages. Half of it is the cost in nats
of a weight that is 1 off, for a feature whose standard deviation is 1."""

ROUNDS = 3
"""How often the common weights and the scales of the stages are fitted alternately."""

FOLDS = 4
"""The number of parts of the cross-validation."""

MIN_POSITIONS = 2 * FOLDS
"""The number of positions that each stage needs."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The fit of one stage: its number of positions, the weights, and the mean logarithmic loss of the chances of
    positions that were kept out of the fit; and the same loss by points alone."""

    positions: int
    weights: list[float]
    loss: float
    loss_by_points: float


@dataclass(frozen=True, slots=True)
class _Seen:
    """Positions of a stage: features less their mean over the seats (positions, seats, features), and shares of the win
    (positions, seats)."""

    x: Floats
    won: Floats


def fit(positions: Sequence[Position]) -> list[Fit]:
    """The weights for each stage, from games with one number of players. Raises ValueError if a stage has too few
    positions."""
    stages = [[position for position in positions if position.stage == stage] for stage in range(STAGES)]
    for stage, seen in enumerate(stages):
        if len(seen) < MIN_POSITIONS:
            raise ValueError(f"stage {stage} has only {len(seen)} positions: play more games")
    numbers = {game: number for number, game in enumerate(dict.fromkeys(position.game for position in positions))}
    parts = [np.array([numbers[position.game] % FOLDS for position in seen]) for seen in stages]
    data = [_arrays(seen) for seen in stages]
    losses, by_points = _kept_out(data, parts)
    best = int(np.argmin(losses.sum(axis=1)))
    found = _stages(data, _common(data), STAGE_PULLS[best])
    return [
        Fit(len(seen), [float(weight) for weight in weights], float(loss) / len(seen), float(plain) / len(seen))
        for seen, weights, loss, plain in zip(stages, found, losses[best], by_points, strict=True)
    ]


def _kept_out(data: Sequence[_Seen], parts: Sequence[NDArray[np.int64]]) -> tuple[Floats, Floats]:
    """The losses of all positions when their games are kept out: (pulls, stages), and by points alone (stages,)."""
    losses, by_points = np.zeros((len(STAGE_PULLS), STAGES)), np.zeros(STAGES)
    points = np.array([float(name == "points") for name in FEATURES])
    for part in range(FOLDS):
        kept = [_where(seen, of != part) for seen, of in zip(data, parts, strict=True)]
        out = [_where(seen, of == part) for seen, of in zip(data, parts, strict=True)]
        common = _common(kept)
        for number, pull in enumerate(STAGE_PULLS):
            fitted = _stages(kept, common, pull)
            losses[number] += [_loss(weights, seen)[0] for weights, seen in zip(fitted, out, strict=True)]
        by_points += [_loss(_scale(seen, points) * points, left)[0] for seen, left in zip(kept, out, strict=True)]
    return losses, by_points


def _common(data: Sequence[_Seen]) -> list[Floats]:
    """By stage: the common weights times the scale of the stage."""
    guess = np.array([GUESS[name.rstrip("0123456789")] for name in FEATURES])
    shared = guess
    scales = [_scale(seen, guess) for seen in data]
    for _ in range(ROUNDS):
        scaled = [_Seen(scale * seen.x, seen.won) for scale, seen in zip(scales, data, strict=True)]
        together = _Seen(np.concatenate([seen.x for seen in scaled]), np.concatenate([seen.won for seen in scaled]))
        shared = _pulled(together, guess, PULL)
        scales = [_scale(seen, shared) for seen in data]
    return [scale * shared for scale in scales]


def _stages(data: Sequence[_Seen], common: Sequence[Floats], pull: float) -> list[Floats]:
    return [_pulled(seen, towards, pull) for seen, towards in zip(data, common, strict=True)]


def _pulled(seen: _Seen, towards: Floats, pull: float) -> Floats:
    """The weights (features,) of the highest likelihood, regularised towards others."""
    # In units of the feature's standard deviation, with a minimum for features that hardly vary.
    pulls = pull * np.maximum(seen.x.std(axis=(0, 1)), 1e-2) ** 2

    def cost(weights: Floats) -> tuple[float, Floats]:
        loss, slope = _loss(weights, seen)
        off = weights - towards
        return loss + float(pulls @ off**2) / 2, slope + pulls * off

    return np.asarray(minimize(cost, towards, jac=True, method="L-BFGS-B").x, dtype=np.float64)


def _scale(seen: _Seen, weights: Floats) -> float:
    """The factor for the weights that gives the highest likelihood."""
    along = _Seen((seen.x @ weights)[:, :, np.newaxis], seen.won)
    found = minimize(_loss, np.array([0.1]), args=(along,), jac=True, method="L-BFGS-B", bounds=[(0.001, 10.0)])
    return float(found.x[0])


def _loss(weights: Floats, seen: _Seen) -> tuple[float, Floats]:
    """The sum of the logarithmic losses of all positions, and its gradient (features,)."""
    values = seen.x @ weights
    values -= values.max(axis=1, keepdims=True)
    logs = values - np.log(np.exp(values).sum(axis=1, keepdims=True))
    return float(-(seen.won * logs).sum()), np.einsum("is,isk->k", np.exp(logs) - seen.won, seen.x)


def _arrays(positions: Sequence[Position]) -> _Seen:
    x = np.array([position.features for position in positions], dtype=np.float64)
    won = np.array([result(position.points) for position in positions], dtype=np.float64)
    return _Seen(x - x.mean(axis=1, keepdims=True), won)


def _where(seen: _Seen, chosen: NDArray[np.bool_]) -> _Seen:
    return _Seen(seen.x[chosen], seen.won[chosen])
