"""Which contests are played: each rung against the one below, in three settings; and `duct` with more iterations."""

from __future__ import annotations

from collections.abc import Iterator

from bots.reference import RUNGS
from bots.rungs.contest import Contest, Contestant, Setting

SETTINGS = (Setting(1, 1), Setting(1, 3), Setting(3, 1))
ALONE = Setting(1, 3)


def steps(first: str | None = None, last: str | None = None, seats: str | None = None) -> Iterator[Contest]:
    """Each rung over the one below, from the rung `first` over its lower neighbour to `last`, in all settings or in
    the one named ("3 against 1")."""
    names = [rung.name for rung in RUNGS]
    start = 1 if first is None else max(1, names.index(first))
    end = len(names) if last is None else names.index(last) + 1
    for place in range(start, end):
        for setting in SETTINGS:
            if seats in (None, str(setting)):
                yield Contest(Contestant(names[place]), Contestant(names[place - 1]), setting)


def quick() -> Iterator[Contest]:
    """`lookahead` over `random`, for continuous integration: a minute at most."""
    for setting in SETTINGS:
        yield Contest(Contestant("lookahead"), Contestant("random"), setting)


def depth() -> Iterator[Contest]:
    """What more iterations bring: `duct` with 1,000 and with 3,000 against three `lookahead`."""
    for iterations in (1000, 3000):
        yield Contest(Contestant("duct", iterations), Contestant("lookahead"), ALONE)
