"""How long a search may think: so many iterations, or as long as the clock allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

SHARE = 0.7
"""The part of the time left that is used at most: reading the question and sending the answer take time too, and other
bots may share the processor."""

RESERVE = 0.02
"""Seconds that are kept back on top of that."""

BANK = 0.1
"""The part of the bank that one answer may use up, where a bot thinks by the clock."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """`iterations` fixed: the same question gets the same answer on any machine, unless time runs out before. None: as
    many as fit into the time of the question, or `seconds` where it has no limit."""

    iterations: int | None
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if self.iterations is not None and self.iterations < 1:
            raise ValueError(f"iterations must be 1 or more, not {self.iterations}")

    def clock(self, budget_ms: int | None, bank_ms: int | None, now: Callable[[], float]) -> Clock:
        """The clock for one question, which has just come. `now` gives seconds of a clock that never goes back."""
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
    """Runs out after `iterations`, or `seconds` after `start`, by `now`; either may be infinite, not both."""

    iterations: float
    start: float
    seconds: float
    now: Callable[[], float]

    def allows(self, done: int) -> bool:
        """Whether there may be one more iteration after so many."""
        return done < self.iterations and not self.out_of_time

    def used(self, done: int) -> float:
        """Which part of the thinking is over after so many iterations: 0 to 1, or more.

        By iterations, if they are fixed: then the answer does not depend on how fast the machine is.
        """
        if self.iterations < math.inf:
            return done / self.iterations
        return (self.now() - self.start) / self.seconds if self.seconds else 1.0

    @property
    def out_of_time(self) -> bool:
        """Whether time has run out, however few iterations there were."""
        return self.seconds < math.inf and self.now() - self.start >= self.seconds
