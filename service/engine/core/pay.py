"""What a ship pays to whom (RULES "Paying a ship")."""

from functools import cache, lru_cache
from typing import Final

from service.engine.core.layout import BARRELS_EACH, DIGIT, POINTS, SEATS, SUPPLY

Ranking = list[tuple[int, int, int, int]]
"""For each player aboard: the fields of its points and of its supply, its barrels, its rank."""

Rankings = dict[int, Ranking]
"""By the row of barrels aboard."""

Shares = list[int]
"""Points by rank."""

RANK: Final = SEATS + 1
"""A rank is `ahead * RANK + level`: how many players are ahead, and how many share it, the player included."""


@cache
def shared_rankings() -> Rankings:
    """The ranking for every row of barrels that a ship can have aboard, for all games of a process."""
    counts = range(BARRELS_EACH + 1)
    return {
        n0 | n1 << DIGIT | n2 << 2 * DIGIT | n3 << 3 * DIGIT: _ranked((n0, n1, n2, n3))
        for n0 in counts
        for n1 in counts[: len(counts) - n0]
        for n2 in counts[: len(counts) - n0 - n1]
        for n3 in counts[: len(counts) - n0 - n1 - n2]
    }


def _ranked(aboard: tuple[int, int, int, int]) -> Ranking:
    """Ranks the players with barrels aboard by their number."""
    descending = sorted(aboard, reverse=True)
    return [
        _entry(seat, barrels, descending.index(barrels), descending.count(barrels))
        for seat, barrels in enumerate(aboard)
        if barrels
    ]


@lru_cache(maxsize=1024)
def _entry(seat: int, barrels: int, ahead: int, level: int) -> tuple[int, int, int, int]:
    # One object for all rankings that have it.
    return POINTS + seat, SUPPLY + seat, barrels, ahead * RANK + level


@lru_cache(maxsize=1024)
def shares(players: int, last_place_unpaid: bool, first: int, second: int, third: int) -> Shares:
    """What each player of a rank is paid by a ship with these points, for every rank."""
    paid = [first, second] if players == 2 else [first, second, third]
    table = [0] * (RANK * RANK)
    for ahead in range(players):
        if last_place_unpaid and ahead == players - 1:
            continue
        for level in range(1, players - ahead + 1):
            # Tied players share the points of the ranks they cover, rounded up.
            table[ahead * RANK + level] = -(-sum(paid[ahead : ahead + level]) // level)
    return table
