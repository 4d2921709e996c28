"""What is fixed for one game when it is dealt: players, variants, components and the board, with the core's tables."""

from functools import cache

from service.engine.actions import Play, Shares
from service.engine.components import PILOT, ComponentSet, Room
from service.engine.core.layout import BERTH, DOCK, DOCKS_END, JACK, NO_SHIP
from service.engine.core.options import PLAY_JACK_WITH_LITTLE, PLAY_KEY, shared_options
from service.engine.core.tables import Tables
from service.engine.docked import Docked, shares_of
from service.engine.variants import Variants

WORKER_NAMES = ("big", "little")


class Box:
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

    def _tables(self) -> Tables:
        houses = {house.id: house for house in self.components.warehouses}
        upper = [_numbers(houses[house].upper) for house in self.board]
        lower = [_numbers(houses[house].lower) for house in reversed(self.board)]
        return Tables(
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
        if not isinstance(other, Box):
            return NotImplemented
        return self is other or self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.players, self.variants, self.board))

    def __reduce__(self) -> "tuple[type[Box], tuple[object, ...]]":
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
