"""What a game is played with, and how names of ships and workers map to the core's numbers."""

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import TypeVar

from service.engine.actions import Load, Play, Shares, Unload, set_ships
from service.engine.components import PILOT, ComponentSet, Room
from service.engine.core.layout import BARRELS_EACH, BERTH, DIGIT, DOCK, DOCKS_END, JACK, LOWEST, NO_SHIP
from service.engine.core.lookup_tables import (
    FILLS,
    MAX_GOOD,
    PLAY_JACK_WITH_LITTLE,
    PLAY_KEY,
    LookupTables,
    docks_of_codes,
    shared_options,
)
from service.engine.setup import Variants

IMPOSSIBLE = -1

A = TypeVar("A", Load, Unload)


class Docked:
    """One combination of docked ships.

    `names` are given front first; `shares` are `shares_of` each of them, one after the other.
    """

    __slots__ = ("_shares", "_shifts")

    def __init__(self, names: tuple[str, ...], shares: Shares) -> None:
        # By name, where in a row a ship's number stands.
        self._shifts = {name: DIGIT * place for place, name in enumerate(names)}
        self._shares = shares

    def loads(self, codes: list[int]) -> tuple[Load, ...]:
        """The loads with these codes; ships in dock order."""
        return self._picked(Load, codes)

    def unloads(self, codes: list[int]) -> tuple[Unload, ...]:
        """The unloads with these codes; ships in dock order."""
        return self._picked(Unload, codes)

    def _picked(self, kind: type[A], codes: list[int]) -> tuple[A, ...]:
        # Legal lists are long: past the constructor, since no count is 0 here that it would leave out.
        pickers, shares, new, put = _pickers(), self._shares, object.__new__, set_ships
        actions = []
        for code in codes:
            action = new(kind)
            put(action, pickers[code](shares))
            actions.append(action)
        return tuple(actions)

    def row(self, action: Load | Unload) -> int:
        """The row of an action's barrels; IMPOSSIBLE if it names a ship twice, or one not docked, or no number."""
        row = 0
        for name, barrels in action.ships:
            shift = self._shifts.get(name)
            if shift is None or row >> shift & LOWEST or not 0 < barrels <= BARRELS_EACH:
                return IMPOSSIBLE
            row += barrels << shift
        return row

    def canonical(self, action: Load | Unload) -> Load | Unload:
        """The same action, ships in dock order."""
        return type(action)(tuple(sorted(action.ships, key=lambda share: self._shifts[share[0]])))


def shares_of(name: str) -> Shares:
    """Every number of barrels that a load can put on a ship, ascending."""
    return tuple([(name, barrels) for barrels in range(1, MAX_GOOD + 1)])


@cache
def _pickers() -> dict[int, Callable[[Shares], Shares]]:
    """By code: what picks its shares out of all shares of a combination of ships, at the speed of C."""
    pickers: dict[int, Callable[[Shares], Shares]] = {}
    for row, docks in docks_of_codes().items():
        places = [dock * MAX_GOOD + barrels - 1 for dock, barrels in docks]
        if len(places) == 1:
            # With one index an itemgetter would give the share itself.
            pickers[row] = itemgetter(slice(places[0], places[0] + 1))
        elif places:
            pickers[row] = itemgetter(*places)
    return pickers | {row + FILLS: picker for row, picker in pickers.items()}


WORKER_NAMES = ("big", "little")


class GameConfig:
    """Equal and hashed by content. Names and numbers of the core are translated by what stands here.

    `board` has the warehouses' ids from left to right, `ships` the ids by the core's number, the pilot boat last.
    """

    __slots__ = (
        "_docked",
        "_shares",
        "board",
        "components",
        "players",
        "rooms",
        "ships",
        "tables",
        "variants",
        "workers",
    )

    def __init__(self, players: int, variants: Variants, components: ComponentSet, board: tuple[str, ...]) -> None:
        self.players = players
        self.variants = variants
        self.components = components
        self.board = board
        self.ships = (*(ship.id for ship in components.ships), PILOT)
        self._shares = tuple([shares_of(ship) for ship in self.ships])
        # By stop: the warehouse's id and which of its rooms.
        self.rooms = (*((house, "upper") for house in board), *((house, "lower") for house in reversed(board)))
        # By the core's number of a worker: seat and name. Jack's seat depends on who hired him.
        self.workers = tuple((seat, worker) for seat in range(players) for worker in WORKER_NAMES)
        self.tables = self._tables()
        # A state, the ships docked in it, and what is known of them.
        self._docked: tuple[tuple[int, ...], tuple[int, ...], Docked] = ((), (), Docked((), ()))

    def _tables(self) -> LookupTables:
        houses = {house.id: house for house in self.components.warehouses}
        upper = [_numbers(houses[house].upper) for house in self.board]
        lower = [_numbers(houses[house].lower) for house in reversed(self.board)]
        return LookupTables(
            self.players,
            upper + lower,
            [ship.capacity for ship in self.components.ships],
            [ship.points for ship in self.components.ships],
            self.variants.tally == "circuit",
            self.variants.last_place == "unpaid",
        )

    def docked(self, core: tuple[int, ...]) -> Docked:
        """The docked ships of a state. What was last asked for is kept, since ships stay for several decisions."""
        kept, ships, docked = self._docked
        if core is kept:
            return docked
        here = core[DOCK:DOCKS_END:BERTH]
        if here != ships:
            docked = self._docked_at(here)
        self._docked = (core, here, docked)
        return docked

    def _docked_at(self, ships: tuple[int, ...]) -> Docked:
        shares: Shares = ()
        names = []
        for ship in ships:
            if ship != NO_SHIP:
                names.append(self.ships[ship])
                shares += self._shares[ship]
        return Docked(tuple(names), shares)

    def ships_at(self, core: tuple[int, ...]) -> tuple[str, ...]:
        """The ids of the docked ships, front first."""
        return tuple([self.ships[ship] for ship in core[DOCK:DOCKS_END:BERTH] if ship != NO_SHIP])

    def worker(self, number: int, jack_seat: int) -> tuple[int, str]:
        """Seat and name of a worker by the core's number."""
        return (jack_seat, "jack") if number == JACK else self.workers[number]

    def number(self, seat: int, worker: str) -> int:
        """The core's number of a big or little."""
        return 2 * seat + WORKER_NAMES.index(worker)

    def _content(self) -> tuple[object, ...]:
        return self.players, self.variants, self.components, self.board

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameConfig):
            return NotImplemented
        return self is other or self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.players, self.variants, self.board))

    def __reduce__(self) -> "tuple[type[GameConfig], tuple[object, ...]]":
        return type(self), self._content()


def _numbers(room: Room) -> tuple[int, int, int]:
    return room.good, room.broken, room.coin


@cache
def plays() -> dict[int, tuple[Play, ...]]:
    """All choices of cards by the core's key, in canonical order."""
    options = shared_options()
    return {
        key: tuple(Play(code & 7, code >> 3 & 7, code >> 6 or None) for code in options[key])
        for key in range(PLAY_KEY, PLAY_JACK_WITH_LITTLE + 1)
    }
