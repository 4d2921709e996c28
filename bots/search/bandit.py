"""What a search remembers at a question: how its choices did, for each seat that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, sqrt
from typing import Final

from bots.search.flat import FlatSearch
from bots.search.limits import Clock
from bots.search.opponents import estimates

EXPLORE: Final = 0.15
"""How much a choice that was tried less often gets a chance: chances to win differ by a few hundredths mostly."""

SPREAD: Final = 0.7
"""The same as a part of how far the chances are spread: near the end a choice wins or loses the game."""


class Arms:
    """The choices of one seat at one node: how often each was tried, and what it brought the seat on average."""

    __slots__ = ("_squares", "_sum", "_untried", "_widths", "means", "total", "tries")

    def __init__(self, means: list[float], untried: list[int]) -> None:
        """`untried`: choices that are tried before all others, the last one first. If there are none, the means given
        count as one try each."""
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
        """A try of a choice has brought this chance to win."""
        tries = self.tries[arm] + 1
        self.tries[arm] = tries
        self.total += 1
        self.means[arm] += (chance - self.means[arm]) / tries
        self._widths[arm] = 1 / sqrt(tries)
        self._sum += chance
        self._squares += chance * chance

    def any(self, draw: float) -> int:
        """A choice at random: one that was not tried before, as long as there are any; else drawn, 0 <= draw < 1."""
        return self._untried.pop() if self._untried else int(draw * len(self.means))

    def spread(self) -> float:
        """The standard deviation of what the tries have brought."""
        if not self.total:
            return 0.0
        mean = self._sum / self.total
        return sqrt(max(0.0, self._squares / self.total - mean * mean))

    def best(self) -> int:
        """The choice that was tried most; of equal ones, the better."""
        return max(range(len(self.means)), key=lambda arm: (self.tries[arm], self.means[arm]))

    def estimates(self, codes: list[int]) -> list[float]:
        """In a card phase: what each choice brings, as far as it and its single cards have been tried."""
        return estimates(codes, self.means, self.tries)

    def finalists(self, codes: list[int], count: int) -> list[int]:
        """In a card phase: so many choices, half of them those that were tried most, half those that look best by what
        their cards brought."""
        numbers = range(len(self.tries))
        tried = sorted(numbers, key=lambda arm: (self.tries[arm], self.means[arm]), reverse=True)[: count // 2]
        values = self.estimates(codes)
        others = sorted((arm for arm in numbers if arm not in tried), key=lambda arm: values[arm], reverse=True)
        return tried + others[: count - len(tried)]

    def tried(self, codes: list[int]) -> list[int]:
        """The codes of the choices, each as often as it was tried."""
        return [code for code, tries in zip(codes, self.tries, strict=True) for _ in range(tries)]


class Node:
    """A question in the tree: the arms of each seat that answers it, and what follows, by choices and next question,
    both in one number (ARM, NEXT). A child that is None has come up once."""

    __slots__ = ("arms", "children")

    def __init__(self, arms: list[Arms]) -> None:
        self.arms = arms
        self.children: dict[int, Node | None] = {}


def compare(flat: FlatSearch, plans: Sequence[int], clock: Clock, done: int, until: float) -> int:
    """Tries plans in the same samples until so much of the clock is used; how many tries it has been then."""
    while clock.used(done) < until and clock.allows(done):
        sample = flat.sample()
        for number in plans:
            flat.learn(number, sample)
            done += 1
            if clock.out_of_time:
                break
    return done


def halve(flat: FlatSearch, plans: Sequence[int], clock: Clock, done: int) -> int:
    """The code of the best of some plans, found with what the clock has left after `done` iterations.

    Every plan gets its share of the first part of the tries, the better half of them that of the next part, and so on
    until one is left. All plans that are still in are tried in the same samples, so that luck strikes all alike. An
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
