"""From positions to weights.

What a seat will be ahead of the average at the end is explained by its features (ridge regression): first for all
stages of the game together, pulled towards what one would guess; then for each stage, pulled towards that. So a stage
of which few positions were seen does not go astray. In the end each stage's weights are scaled, by the one factor with
which the softmax of the values gives the winners the highest likelihood: from points to chances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from bots.search.evaluation import FEATURES, STAGES
from bots.tune.selfplay import Position

Floats = NDArray[np.float64]

GUESS = {"points": 1.0, "sure": 1.0, "open": 1.2, "coins": 0.5, "jack": 0.5, "good": 0.5, "broken": -0.5}
"""Points by feature; the same at each dock."""

PULL = 300.0
STAGE_PULL = 600.0
"""How strongly weights are pulled back: as so many positions would."""

HELD_OUT = 7
"""One position of so many is kept out of the fit, to measure it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One stage: positions seen, weights in chances, and what the positions held out say: the mean logarithmic loss of
    the chances, and that of chances from the points alone."""

    positions: int
    weights: list[float]
    loss: float
    loss_by_points: float


def fit(positions: Sequence[Position]) -> list[Fit]:
    """The weights for each stage, from games of one number of players. ValueError if a stage was hardly seen."""
    stages = [[position for position in positions if position.stage == stage] for stage in range(STAGES)]
    for stage, seen in enumerate(stages):
        if len(seen) < 2 * HELD_OUT:
            raise ValueError(f"stage {stage} was seen {len(seen)} times only: more games are needed")
    every = [position for seen in stages for position in _kept(seen)]
    guess = np.array([GUESS[name.rstrip("0123456789")] for name in FEATURES])
    common = _ridge(every, guess, PULL)
    return [_fit_stage(seen, common) for seen in stages]


def _fit_stage(seen: Sequence[Position], common: Floats) -> Fit:
    kept, held_out = _kept(seen), seen[::HELD_OUT]
    in_points = _ridge(kept, common, STAGE_PULL)
    weights = in_points * _scale(kept, in_points)
    points = np.array([float(name == "points") for name in FEATURES])
    by_points = points * _scale(kept, points)
    return Fit(len(seen), [float(weight) for weight in weights], _loss(held_out, weights), _loss(held_out, by_points))


def _kept(seen: Sequence[Position]) -> list[Position]:
    return [position for number, position in enumerate(seen) if number % HELD_OUT]


def _ridge(positions: Sequence[Position], towards: Floats, pull: float) -> Floats:
    """Weights (features,) that explain how far each seat ends ahead of the average, pulled towards others."""
    x, points = _arrays(positions)
    inputs = (x - x.mean(axis=1, keepdims=True)).reshape(-1, x.shape[2])
    ahead = (points - points.mean(axis=1, keepdims=True)).reshape(-1)
    # A pull on features in units of their own spread. One that hardly varies is pulled as if it did a little.
    spread = np.maximum(inputs.std(axis=0), 1e-2)
    missing = ahead - inputs @ towards
    return towards + np.linalg.solve(inputs.T @ inputs + pull * np.diag(spread**2), inputs.T @ missing)


def _scale(positions: Sequence[Position], weights: Floats) -> float:
    found = minimize_scalar(lambda scale: _loss(positions, scale * weights), bounds=(0.005, 1.0), method="bounded")
    return float(found.x)


def _loss(positions: Sequence[Position], weights: Floats) -> float:
    x, points = _arrays(positions)
    values = x @ weights
    values -= values.max(axis=1, keepdims=True)
    logs = values - np.log(np.exp(values).sum(axis=1, keepdims=True))
    first = points == points.max(axis=1, keepdims=True)
    return float(-(first * logs / first.sum(axis=1, keepdims=True)).sum(axis=1).mean())


def _arrays(positions: Sequence[Position]) -> tuple[Floats, Floats]:
    """(positions, seats, features) and (positions, seats): features, and points at the end."""
    x = np.array([position.features for position in positions], dtype=np.float64)
    return x, np.array([position.points for position in positions], dtype=np.float64)
