"""Sequential halving: few actions get many tries, many get few."""

from __future__ import annotations

from collections.abc import Sequence

from bots.search.clock import Clock
from bots.search.flat import Flat


def compare(flat: Flat, plans: Sequence[int], clock: Clock, done: int, until: float) -> int:
    """Tries plans in the same samples until so much of the clock is used; how many tries it has been then."""
    while clock.used(done) < until and clock.allows(done):
        sample = flat.sample()
        for number in plans:
            flat.learn(number, sample)
            done += 1
            if clock.out_of_time:
                break
    return done


def halve(flat: Flat, plans: Sequence[int], clock: Clock, done: int) -> int:
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
