"""What a ship pays to whom (RULES "Paying a ship")."""

from functools import cache, lru_cache
from typing import Final

from service.engine.core.layout import DIGIT, LOWEST, SEATS

Rankings = dict[int, list[tuple[int, int, int]]]
"""By the row of barrels aboard: seat, barrels, rank of each player aboard."""

Shares = list[int]
"""Points by rank."""

RANK: Final = SEATS + 1
"""A rank is `ahead * RANK + level`: how many players are ahead, and how many share it, the player included."""


@cache
def shared_rankings() -> Rankings:
    """Rankings met so far, for all games of a process. There are at most a few thousand."""
    return {}


def ranked(rankings: Rankings, row: int) -> list[tuple[int, int, int]]:
    """Ranks the players with barrels aboard by their number, and keeps the result."""
    aboard = [(seat, row >> DIGIT * seat & LOWEST) for seat in range(SEATS)]
    ranking = []
    for seat, barrels in aboard:
        if barrels:
            ahead = sum(1 for _, other in aboard if other > barrels)
            level = sum(1 for _, other in aboard if other == barrels)
            ranking.append((seat, barrels, ahead * RANK + level))
    rankings[row] = ranking
    return ranking


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
