"""Rung `montecarlo`: flat Monte Carlo, cut at the end of the round with the evaluation.

Where cards are chosen, it first plays the round out a number of times with random cards for everybody, to see which
cards do well for whom. From then on the others choose among those that did best for them, and the own actions are tried
against that, most often those that do well (`bots.search.bandit`).
"""

from __future__ import annotations

import random
from collections import defaultdict

from bots.search.bandit import compare, halve
from bots.search.evaluation import Evaluation
from bots.search.flat import FlatSearch
from bots.search.limits import Clock
from bots.search.root import Root
from service.engine.core.layout import HIRE, PHASE, PLAY

ITERATIONS = 1000
"""Tries in all, where the number is fixed."""

LOOK = 0.4
"""The part of the tries that goes into the first look at the others."""

HIRE_LOOK = 0.7
"""The part of the tries in which cards are looked for that go with hiring, and with declining."""

LIKELY = 5
"""How many of its choices are expected of a seat."""


def montecarlo(root: Root, evaluation: Evaluation, dice: random.Random, clock: Clock) -> int:
    """The code of the action that is left. An iteration of the clock is one try of one action."""
    flat = FlatSearch(root, evaluation, dice.random)
    plans, done = list(range(len(flat.plans))), 0
    if root.state[PHASE] == PLAY:
        done = _look(flat, clock)
    elif root.state[PHASE] == HIRE:
        done = compare(flat, plans, clock, done, HIRE_LOOK)
        plans = flat.heads()
    return halve(flat, plans, clock, done)


def _look(flat: FlatSearch, clock: Clock) -> int:
    """Finds what to expect of each seat; how many tries that took."""
    found: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    done = 0
    while clock.used(done) < LOOK and clock.allows(done):
        for seat, (code, chance) in enumerate(flat.look()):
            found[seat][code].append(chance)
        done += 1
    for seat, by_code in found.items():
        means = {code: sum(chances) / len(chances) for code, chances in by_code.items()}
        flat.likely[seat] = sorted(means, key=lambda code: means[code], reverse=True)[:LIKELY]
    return done
