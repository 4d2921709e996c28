"""Bandits: which choice to try next (UCB1), and which of several is best (sequential halving)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, sqrt
from typing import Final

from bots.search.flat import FlatSearch
from bots.search.limits import Clock
from bots.search.opponents import estimates

EXPLORE: Final = 0.15
"""The weight of exploration. Chances to win mostly differ by a few hundredths."""

SPREAD: Final = 0.7
"""The same as a part of the spread of the chances: near the end of a game a choice wins or loses it."""


class Arms:
    """The choices of one seat at one node, with their tries and the mean chance to win that each brought."""

    __slots__ = ("_squares", "_sum", "_untried", "_widths", "means", "total", "tries")

    def __init__(self, means: list[float], untried: list[int]) -> None:
        """`untried`: choices to try before all others, the last one first. If it is empty, the given means count as one
        try each."""
        first = 0 if untried else 1
        self.means = means
        self.tries = [first] * len(means)
        self.total = first * len(means)
        self._sum = sum(means)
        self._squares = sum([mean * mean for mean in means])
        self._widths = [1.0] * len(means)
        self._untried = untried

    def select(self) -> int:
        """The choice to try next: the highest upper bound (UCB1)."""
        if self._untried:
            return self._untried.pop()
        wide = max(EXPLORE, SPREAD * self.spread()) * sqrt(log(self.total + 1))
        widths = self._widths
        best, highest = 0, -inf
        for arm, mean in enumerate(self.means):
            bound = mean + wide * widths[arm]
            if bound > highest:
                best, highest = arm, bound
        return best

    def learn(self, arm: int, chance: float) -> None:
        """Takes in the chance to win that a try of a choice has brought."""
        tries = self.tries[arm] + 1
        self.tries[arm] = tries
        self.total += 1
        self.means[arm] += (chance - self.means[arm]) / tries
        self._widths[arm] = 1 / sqrt(tries)
        self._sum += chance
        self._squares += chance * chance

    def any(self, draw: float) -> int:
        """A random choice: an untried one, as long as there are any; otherwise by `draw`, 0 <= draw < 1."""
        return self._untried.pop() if self._untried else int(draw * len(self.means))

    def spread(self) -> float:
        """The standard deviation of the chances that the tries have brought."""
        if not self.total:
            return 0.0
        mean = self._sum / self.total
        return sqrt(max(0.0, self._squares / self.total - mean * mean))

    def best(self) -> int:
        """The choice that was tried most; among equals, the better one."""
        return max(range(len(self.means)), key=lambda arm: (self.tries[arm], self.means[arm]))

    def estimates(self, codes: list[int]) -> list[float]:
        """In a card phase: the estimated chance of each choice, from its own tries and those of its single cards."""
        return estimates(codes, self.means, self.tries)

    def finalists(self, codes: list[int], count: int) -> list[int]:
        """In a card phase: `count` choices, half of them those that were tried most, half those with the best estimates
        by their single cards."""
        numbers = range(len(self.tries))
        tried = sorted(numbers, key=lambda arm: (self.tries[arm], self.means[arm]), reverse=True)[: count // 2]
        values = self.estimates(codes)
        others = sorted((arm for arm in numbers if arm not in tried), key=lambda arm: values[arm], reverse=True)
        return tried + others[: count - len(tried)]

    def tried(self, codes: list[int]) -> list[int]:
        """The codes of the choices, each as often as it was tried."""
        return [code for code, tries in zip(codes, self.tries, strict=True) for _ in range(tries)]


class Node:
    """A question in the tree: the arms of each seat that answers it, and the children, by one number for the choices
    and the next question (ARM and NEXT in `duct`). A child that is None has come up once."""

    __slots__ = ("arms", "children")

    def __init__(self, arms: list[Arms]) -> None:
        self.arms = arms
        self.children: dict[int, Node | None] = {}


def compare(flat: FlatSearch, plans: Sequence[int], clock: Clock, done: int, until: float) -> int:
    """Tries plans in the same samples until a part of the clock is used. Returns the number of tries so far."""
    while clock.used(done) < until and clock.allows(done):
        sample = flat.sample()
        for number in plans:
            flat.learn(number, sample)
            done += 1
            if clock.out_of_time:
                break
    return done


def halve(flat: FlatSearch, plans: Sequence[int], clock: Clock, done: int) -> int:
    """The code of the best of some plans, found with the rest of the clock after `done` iterations.

    In the first part of the tries every plan gets an equal share, in the next part the better half of the plans, and so
    on until one is left. All plans in a part are tried in the same samples, so that luck is the same for all. An
    iteration of the clock is one try of one plan.
    """
    left = list(plans)
    parts = max(1, (len(left) - 1).bit_length())
    start = clock.used(done)
    for part in range(1, parts + 1):
        until = start + (1 - start) * part / parts
        done = compare(flat, left, clock, done, until)
        if clock.out_of_time:
            break
        left.sort(key=flat.mean, reverse=True)
        left = left[: (len(left) + 1) // 2]
    return flat.best(left)
