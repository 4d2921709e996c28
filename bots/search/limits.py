"""How long a search may take: a number of iterations, or as long as the clock allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

SHARE = 0.7
"""The part of the time left that a search uses at most. Reading the question and sending the answer take time too, and
other bots may share the processor."""

RESERVE = 0.02
"""Seconds that are kept back in addition."""

BANK = 0.1
"""The part of the bank that one answer may use, for a bot that searches by the clock."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """With `iterations` the same question gets the same answer on any machine, unless time runs out. With None a search
    makes as many as fit into the time for the decision, or into `seconds` if there is no limit."""

    iterations: int | None
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if self.iterations is not None and self.iterations < 1:
            raise ValueError(f"iterations must be 1 or more, not {self.iterations}")

    def clock(self, budget_ms: int | None, bank_ms: int | None, now: Callable[[], float]) -> Clock:
        """The clock for a question that has just arrived. `now` gives the seconds of a monotonic clock."""
        start = now()
        if self.iterations is not None:
            seconds = math.inf if budget_ms is None else _seconds(budget_ms)
        elif budget_ms is None:
            seconds = self.seconds
        else:
            bank = bank_ms or 0
            seconds = _seconds(budget_ms - bank + BANK * bank)
        return Clock(math.inf if self.iterations is None else self.iterations, start, seconds, now)


def _seconds(budget_ms: float) -> float:
    return max(0.0, SHARE * budget_ms / 1000 - RESERVE)


@dataclass(frozen=True, slots=True)
class Clock:
    """Runs out after `iterations`, or `seconds` after `start` by `now`. One of the two may be infinite, not both."""

    iterations: float
    start: float
    seconds: float
    now: Callable[[], float]

    def allows(self, done: int) -> bool:
        """Whether one more iteration is allowed after `done` iterations."""
        return done < self.iterations and not self.out_of_time

    def used(self, done: int) -> float:
        """The part of the limit that is used after `done` iterations: 0 to 1, or more.

        A limit of iterations is measured by iterations, so that the answer does not depend on the speed of the machine.
        """
        if self.iterations < math.inf:
            return done / self.iterations
        return (self.now() - self.start) / self.seconds if self.seconds else 1.0

    @property
    def out_of_time(self) -> bool:
        """Whether time has run out, whatever the number of iterations."""
        return self.seconds < math.inf and self.now() - self.start >= self.seconds
