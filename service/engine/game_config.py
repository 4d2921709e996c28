"""What a game is played with, and how names of ships, rooms and workers map to the core's numbers."""

from dataclasses import dataclass
from functools import cached_property

from service.engine.components import PILOT, ComponentSet, Room
from service.engine.core.layout import BERTH, DOCK, DOCKS_END, JACK, NO_SHIP
from service.engine.core.lookup_tables import LookupTables
from service.engine.setup import WORKER_NAMES, Variants


@dataclass(frozen=True)
class GameConfig:
    """Players, variants, tiles and board of one game. `board` has the warehouses' ids from left to right."""

    players: int
    variants: Variants
    components: ComponentSet
    board: tuple[str, ...]

    @cached_property
    def ships(self) -> tuple[str, ...]:
        """The ids of the ships by the core's number, the pilot boat last."""
        return (*(ship.id for ship in self.components.ships), PILOT)

    @cached_property
    def rooms(self) -> tuple[tuple[str, str], ...]:
        """By stop: the id of the warehouse, and "upper" or "lower"."""
        return (*((house, "upper") for house in self.board), *((house, "lower") for house in reversed(self.board)))

    @cached_property
    def workers(self) -> tuple[tuple[int, str], ...]:
        """Seat and name of each big and little by the core's number."""
        return tuple((seat, worker) for seat in range(self.players) for worker in WORKER_NAMES)

    @cached_property
    def tables(self) -> LookupTables:
        """The tables that the core looks everything up in."""
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

    def docked(self, core: tuple[int, ...]) -> tuple[str, ...]:
        """The ids of the docked ships, front first. Ships stand without gaps, so an index is the number of a dock."""
        return tuple([self.ships[ship] for ship in core[DOCK:DOCKS_END:BERTH] if ship != NO_SHIP])

    def worker(self, number: int, jack_seat: int) -> tuple[int, str]:
        """Seat and name of a worker by the core's number; Jack's seat is that of the player who hired him."""
        return (jack_seat, "jack") if number == JACK else self.workers[number]

    def number(self, seat: int, worker: str) -> int:
        """The core's number of a big or little."""
        return 2 * seat + WORKER_NAMES.index(worker)


def _numbers(room: Room) -> tuple[int, int, int]:
    return room.good, room.broken, room.coin
