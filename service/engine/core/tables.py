"""What stays the same all through one game, laid out for the core. Shared by all states of the game; never changed."""

from service.engine.core.options import Options, load_key_parts, shared_options, shares_of_codes
from service.engine.core.pay import Rankings, Shares, shared_rankings, shares

Room = tuple[int, int, int]
"""Good barrels, broken barrels, coins."""

Visit = tuple[int, int, int, int, int]


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
        # From each room of the walk on: its number, stop, good barrels, broken barrels, coins.
        visits = [(number, stop, *rooms[stop]) for number, stop in enumerate(self.walk)]
        self.visits: list[list[Visit]] = [visits[number:] for number in range(len(visits) + 1)]
        self.pilot: int = len(capacities)
        self.capacity: list[int] = [*capacities, 0]
        self.points: list[tuple[int, int, int]] = [*points, (0, 0, 0)]
        self.pay: list[Shares] = [shares(players, last_place_unpaid, *ranks) for ranks in self.points]
        # Shared by all games of a process.
        self.options: Options = shared_options()
        self.front, self.back = load_key_parts()
        self.shares: list[dict[int, list[tuple[int, int]]]] = shares_of_codes()
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
