"""Rung `lookahead`: one step ahead. Every action is tried against a few samples of what the others may do.

In each sample the hidden ships are dealt and the others' cards are drawn at random, the same for all actions; the rest
of the round is played quickly, and the evaluation says what came of it. The highest mean wins.
"""

from __future__ import annotations

import random

from bots.search.evaluation import Evaluation
from bots.search.flat import FlatSearch
from bots.search.limits import Clock
from bots.search.root import Root
from service.engine.core.layout import HIRE, PHASE

SAMPLES = 8
"""Samples for each action, where the number is fixed."""


def lookahead(root: Root, evaluation: Evaluation, dice: random.Random, clock: Clock) -> int:
    """The code of the action that does best. An iteration of the clock is one sample, tried with every action."""
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
    """Tries plans until so much of the clock is used; how many samples that makes, with those before."""
    while clock.used(samples) < until and clock.allows(samples):
        sample = flat.sample()
        for number in plans:
            flat.learn(number, sample)
            if clock.out_of_time:
                break
        samples += 1
    return samples
