"""Codes of actions, the list of legal ones for every situation, rankings and payments: all that the core looks up.

hire     0 decline, 1 with big, 2 with little
play     `big + 8 * little + 64 * jack`, jack 0 where the seat did not hire him
load     the row of barrels for each dock; `+ FILLS` if that fills a ship
unload   the row of barrels taken from each dock

What is legal depends on a few small numbers only, so each situation has a key, and all lists are made once. It makes no
difference for loading whether a ship has room for one barrel more than is in hand or for ten, so free capacities are
cut to `MANY`. At most 2 barrels are unloaded, so barrels aboard are cut to 2.
"""

from functools import cache, lru_cache
from itertools import product
from typing import Final

from service.engine.core.layout import ABOARD, BARRELS_EACH, BERTH, DIGIT, DOCK, DOCKS, LOWEST, POINTS, SEATS, SUPPLY

Options = list[list[int]]

Split = tuple[int, int, int, int, int, int]
"""Barrels for each dock, their number, and the row of them."""

HIRE_KEY: Final = 0
PLAY_KEY: Final = 1
PLAY_JACK_WITH_BIG: Final = 2
PLAY_JACK_WITH_LITTLE: Final = 3

DECLINE: Final = 0
HIRE_BIG: Final = 1
HIRE_LITTLE: Final = 2

CARDS: Final = 5
MAX_GOOD: Final = 4
MAX_BROKEN: Final = 2

FILLS: Final = 1 << DIGIT * DOCKS

MANY: Final = MAX_GOOD + 1
LOAD_BASE: Final = MANY + 1
LOAD_SPAN: Final = LOAD_BASE**DOCKS
LOAD_KEYS: Final = 4
UNLOAD_BASE: Final = MAX_BROKEN + 1
UNLOAD_KEYS: Final = LOAD_KEYS + (MAX_GOOD + 1) * LOAD_SPAN

HALF_ROW: Final = 2 * DIGIT
LOWER_HALF: Final = (1 << HALF_ROW) - 1


@cache
def shared_options() -> Options:
    """The lists of codes by key, for all games of a process. Empty where there is no legal action, so no decision."""
    cards = range(1, CARDS + 1)
    options: Options = [
        [DECLINE, HIRE_BIG, HIRE_LITTLE],
        [big + 8 * little for big in cards for little in cards],
        [big + 8 * little + 64 * jack for big in cards for little in cards for jack in cards if jack != big],
        [big + 8 * little + 64 * jack for big in cards for little in cards for jack in cards if jack != little],
    ]
    options += [_loads(hand, free) for hand in range(MAX_GOOD + 1) for free in product(range(LOAD_BASE), repeat=DOCKS)]
    options += [
        _unloads(number, aboard)
        for number in range(MAX_BROKEN + 1)
        for aboard in product(range(UNLOAD_BASE), repeat=DOCKS)
    ]
    return options


@cache
def options_of_loads() -> list[Options]:
    """The lists for loading, by barrels in hand (0..4) and by what the ships' free capacities add to a key."""
    options = shared_options()
    first = [LOAD_KEYS + hand * LOAD_SPAN for hand in range(MAX_GOOD + 1)]
    return [options[start : start + LOAD_SPAN] for start in first]


@cache
def load_key_parts() -> tuple[list[int], list[int]]:
    """What the two halves of a row of free capacities add to a key: docks 0 and 1, and docks 2 and 3.

    The key of loading `hand` barrels (1..4) is LOAD_KEYS + hand * LOAD_SPAN + both of them.
    """
    cut = [min(free, MANY) for free in range(LOWEST + 1)]
    back = [cut[half & LOWEST] * LOAD_BASE + cut[half >> DIGIT] for half in range(LOWER_HALF + 1)]
    front = [part * LOAD_BASE * LOAD_BASE for part in back]
    return front, back


@cache
def shares_of_codes() -> list[dict[int, list[tuple[int, int]]]]:
    """By seat and row of barrels in a load or unload: the fields of the ships concerned, and what to add there."""
    return [
        {
            row: [(DOCK + BERTH * dock + ABOARD, barrels << DIGIT * seat) for dock, barrels in docks]
            for row, docks in docks_of_codes().items()
        }
        for seat in range(SEATS)
    ]


@cache
def docks_of_codes() -> dict[int, list[tuple[int, int]]]:
    """By row of barrels in a load: the docks concerned, front first, with their barrels."""
    return {
        row: [(dock, barrels) for dock, barrels in enumerate((n0, n1, n2, n3)) if barrels]
        for n0, n1, n2, n3, _, row in all_splits()
    }


def _loads(hand: int, free: tuple[int, ...]) -> list[int]:
    """Every way to load all barrels, then every way to load fewer barrels that fills a ship."""
    f0, f1, f2, f3 = free
    whole = []
    fewer = []
    for n0, n1, n2, n3, total, row in all_splits():
        if total <= hand and n0 <= f0 and n1 <= f1 and n2 <= f2 and n3 <= f3:
            fills = 0 < n0 == f0 or 0 < n1 == f1 or 0 < n2 == f2 or 0 < n3 == f3
            if total == hand:
                whole.append(row + FILLS if fills else row)
            elif fills:
                fewer.append(row + FILLS)
    return whole + fewer


def _unloads(number: int, aboard: tuple[int, ...]) -> list[int]:
    """Every way to take exactly this number of barrels."""
    b0, b1, b2, b3 = aboard
    return [
        row
        for n0, n1, n2, n3, total, row in all_splits()
        if total == number and n0 <= b0 and n1 <= b1 and n2 <= b2 and n3 <= b3
    ]


@cache
def all_splits() -> list[Split]:
    """Every way to share out at most 4 barrels among the docks, in descending order, dock 0 first."""
    counts = range(MAX_GOOD, -1, -1)
    return [
        (n0, n1, n2, n3, n0 + n1 + n2 + n3, n0 | n1 << DIGIT | n2 << 2 * DIGIT | n3 << 3 * DIGIT)
        for n0, n1, n2, n3 in product(counts, repeat=DOCKS)
        if n0 + n1 + n2 + n3 <= MAX_GOOD
    ]


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
    # Cached, so that rankings share equal entries.
    return POINTS + seat, SUPPLY + seat, barrels, ahead * RANK + level


@lru_cache(maxsize=1024)
def shares(players: int, last_place_unpaid: bool, first: int, second: int, third: int) -> Shares:
    """What a ship with these points pays each player of a rank, for every rank."""
    paid = [first, second] if players == 2 else [first, second, third]
    table = [0] * (RANK * RANK)
    for ahead in range(players):
        if last_place_unpaid and ahead == players - 1:
            continue
        for level in range(1, players - ahead + 1):
            # Tied players share the points of the ranks they cover, rounded up.
            table[ahead * RANK + level] = -(-sum(paid[ahead : ahead + level]) // level)
    return table


Room = tuple[int, int, int]
"""Good barrels, broken barrels, coins."""

Visit = tuple[int, int, int, int]


class LookupTables:
    """What the core has to know of one game: its board, ships and variants.

    `rooms` are given by stop (2W of them), `capacities` and `points` by ship, without the pilot boat, whose number is
    the one after the last of them.
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
        # By number along the walk: the rooms from there on, each with its stop, good barrels, broken barrels and coins.
        visits = [(stop, *rooms[stop]) for stop in self.walk]
        # By stop: the number along the walk of the room after that of the stop.
        self.after: list[int] = [self.walk.index(stop) + 1 for stop in range(len(rooms))]
        self.visits: list[list[Visit]] = [visits[number:] for number in range(len(visits) + 1)]
        self.pilot: int = len(capacities)
        self.capacity: list[int] = [*capacities, 0]
        # By ship: what it adds to the row of free capacities when it takes the last dock.
        self.last_free: list[int] = [free << DIGIT * (DOCKS - 1) for free in self.capacity]
        self.points: list[tuple[int, int, int]] = [*points, (0, 0, 0)]
        self.pay: list[Shares] = [shares(players, last_place_unpaid, *ranks) for ranks in self.points]
        # From here on, all games of a process share the same objects.
        self.options: Options = shared_options()
        self.loads: list[Options] = options_of_loads()
        self.front, self.back = load_key_parts()
        self.shares: list[dict[int, list[tuple[int, int]]]] = shares_of_codes()
        self.cut: list[int] = [min(aboard, MAX_BROKEN) for aboard in range(LOWEST + 1)]
        self.docks: dict[int, list[tuple[int, int]]] = docks_of_codes()
        self.rankings: Rankings = shared_rankings()


def _walk(stops: int, circuit: bool) -> list[int]:
    """The stops in the order in which their rooms are cleared (RULES "Variants": `tally`)."""
    if circuit:
        return list(range(stops - 1, -1, -1))
    walk = []
    for stop in range(stops // 2):
        walk.append(stop)
        walk.append(stops - 1 - stop)
    return walk
