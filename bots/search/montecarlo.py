"""Rung `montecarlo`: flat Monte Carlo to the end of the round, which is then evaluated.

In a card phase it first plays the round several times with random cards for all seats, to see which cards do well for
which seat. From then on the others choose among the cards that did best for them, and the seat's own actions are tried
against those, the promising ones more often (`bots.search.bandit`).
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
"""Tries by default."""

LOOK = 0.4
"""The part of the tries that goes into the first look at the others."""

HIRE_LOOK = 0.7
"""In a hire phase: the part of the tries in which the best cards after each answer are found."""

LIKELY = 5
"""How many choices of cards are expected of each other seat."""


def montecarlo(root: Root, evaluation: Evaluation, dice: random.Random, clock: Clock) -> int:
    """The code of the best action. An iteration of the clock is one try of one action."""
    flat = FlatSearch(root, evaluation, dice.random)
    plans, done = list(range(len(flat.plans))), 0
    if root.state[PHASE] == PLAY:
        done = _look(flat, clock)
    elif root.state[PHASE] == HIRE:
        done = compare(flat, plans, clock, done, HIRE_LOOK)
        plans = flat.heads()
    return halve(flat, plans, clock, done)


def _look(flat: FlatSearch, clock: Clock) -> int:
    """Finds what to expect of each seat. Returns the number of tries."""
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
