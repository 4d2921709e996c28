"""What stays the same all through one game, laid out for the core. Shared by all states of the game; never changed."""

from service.engine.core.layout import DIGIT, DOCKS, LOWEST
from service.engine.core.options import (
    MOST_BROKEN,
    Options,
    docks_of_codes,
    load_key_parts,
    options_of_loads,
    shared_options,
    shares_of_codes,
)
from service.engine.core.pay import Rankings, Shares, shared_rankings, shares

Room = tuple[int, int, int]
"""Good barrels, broken barrels, coins."""

Visit = tuple[int, int, int, int]


class Tables:
    """The board, the ships and the variants of one game.

    `rooms` are given by stop (2W of them), `capacities` and `points` by ship, without the pilot boat, which comes to
    stand after the last of them.
    """

    def __init__(
        self,
        players: int,
        rooms: list[Room],
        capacities: list[int],
        points: list[tuple[int, int, int]],
        circuit: bool = False,
        last_place_unpaid: bool = False,
    ) -> None:
        self.players: int = players
        self.workers: int = 2 * players
        self.stops: int = len(rooms)
        self.half: int = len(rooms) // 2
        self.walk: list[int] = _walk(len(rooms), circuit)
        # From each room of the walk on: its stop, good barrels, broken barrels, coins.
        visits = [(stop, *rooms[stop]) for stop in self.walk]
        # The number along the walk of the room that comes after a stop's.
        self.after: list[int] = [self.walk.index(stop) + 1 for stop in range(len(rooms))]
        self.visits: list[list[Visit]] = [visits[number:] for number in range(len(visits) + 1)]
        self.pilot: int = len(capacities)
        self.capacity: list[int] = [*capacities, 0]
        # What a ship at the last dock adds to the row of free capacities.
        self.last_free: list[int] = [free << DIGIT * (DOCKS - 1) for free in self.capacity]
        self.points: list[tuple[int, int, int]] = [*points, (0, 0, 0)]
        self.pay: list[Shares] = [shares(players, last_place_unpaid, *ranks) for ranks in self.points]
        # Shared by all games of a process.
        self.options: Options = shared_options()
        self.loads: list[Options] = options_of_loads()
        self.front, self.back = load_key_parts()
        self.shares: list[dict[int, list[tuple[int, int]]]] = shares_of_codes()
        self.cut: list[int] = [min(aboard, MOST_BROKEN) for aboard in range(LOWEST + 1)]
        self.docks: dict[int, list[tuple[int, int]]] = docks_of_codes()
        self.rankings: Rankings = shared_rankings()


def _walk(stops: int, circuit: bool) -> list[int]:
    """The stops in the order in which their rooms are cleared."""
    if circuit:
        return list(range(stops - 1, -1, -1))
    walk = []
    for stop in range(stops // 2):
        walk.append(stop)
        walk.append(stops - 1 - stop)
    return walk
