"""Rung `lookahead`: one step ahead. Every action is tried against a few samples of what the others may do.

In each sample the hidden ships and the cards of the others are drawn at random, the same for all actions. The rest of
the round is played by the rollout policy, and the result is evaluated. The highest mean wins.
"""

from __future__ import annotations

import random

from bots.search.evaluation import Evaluation
from bots.search.flat import FlatSearch
from bots.search.limits import Clock
from bots.search.root import Root
from service.engine.core.layout import HIRE, PHASE

SAMPLES = 8
"""Samples for each action by default."""


def lookahead(root: Root, evaluation: Evaluation, dice: random.Random, clock: Clock) -> int:
    """The code of the best action. An iteration of the clock is one sample, tried with every action."""
    flat = FlatSearch(root, evaluation, dice.random)
    everything = list(range(len(flat.plans)))
    if root.state[PHASE] != HIRE:
        _try(flat, everything, clock, 1.0)
        return flat.best(everything)
    samples = _try(flat, everything, clock, 0.5)
    heads = flat.heads()
    _try(flat, heads, clock, 1.0, samples)
    return flat.best(heads)


def _try(flat: FlatSearch, plans: list[int], clock: Clock, until: float, samples: int = 0) -> int:
    """Tries plans until a part of the clock is used. Returns the number of samples so far."""
    while clock.used(samples) < until and clock.allows(samples):
        sample = flat.sample()
        for number in plans:
            flat.learn(number, sample)
            if clock.out_of_time:
                break
        samples += 1
    return samples
