"""The table: everything that lies on it, set up as the rules page says, and the harbour with its ships."""

from typing import Any

from .paying import payments
from .pieces import COINS, DOCKS, Jack, Path, Player, Ship, Stop, Warehouse, Worker, pilot_boat
from .questions import Question

VARIANTS: dict[str, tuple[Any, ...]] = {
    "tally": ("warehouses", "circuit"),
    "last_place": ("paid", "unpaid"),
    "starting_coins": (0, 1, 2, 3),
}


class Harbour:
    """The docks, front first, and the stack, top first."""

    def __init__(self, ships: list[Ship]) -> None:
        # “The pilot boat takes dock 0, the first three ships docks 1, 2, 3.”
        self.docks = [pilot_boat(), *ships[:3]]
        # “The rest is the stack, drawn from the top”
        self.stack = ships[3:]
        # “its last six ships (all of it, if it has fewer) are the last six”
        for ship in self.stack[-6:]:
            ship.is_one_of_the_last_six = True
        self.drew_from_the_last_six = False

    def next_is_one_of_the_last_six(self) -> bool:
        """Whether the next draw is one of the last six (no: there is no next draw, if the stack is empty)."""
        return bool(self.stack) and self.stack[0].is_one_of_the_last_six

    def sail(self, ship: Ship) -> None:
        """The ship leaves, and another one comes, if there is one."""
        # “its barrels go back to their owners' supplies”
        for owner in ship.barrels:
            owner.supply += 1
        ship.barrels = []
        # “the ships behind it move one dock forward”
        self.docks.remove(ship)
        # “and the top ship of the stack, if any, takes the last dock”
        if self.stack:
            drawn = self.stack.pop(0)
            self.docks.append(drawn)
            if drawn.is_one_of_the_last_six:
                self.drew_from_the_last_six = True
        if len(self.docks) > DOCKS:
            raise AssertionError(f"there are {DOCKS} docks, and {len(self.docks)} ships in them")


class Table:
    """All that lies on the table, and the few things that any step of a round does with it."""

    def __init__(
        self,
        players: int,
        variants: dict[str, Any],
        ships: list[dict[str, Any]],
        warehouses: list[dict[str, Any]],
        order: list[tuple[int, str]],
    ) -> None:
        if players not in (2, 3, 4):
            raise ValueError(f"players: 2, 3 or 4, not {players!r}")
        self.variants = read_variants(variants)
        self.row = [Warehouse(tile) for tile in warehouses]
        self.path = Path(self.row)
        starting_coins = self.variants["starting_coins"]
        self.players = [Player(seat, starting_coins, self.path) for seat in range(players)]
        self.bank = COINS - players * starting_coins
        self.harbour = Harbour([Ship(tile["id"], tile["capacity"], tile["points"]) for tile in ships])
        self.order: list[Worker] = []
        self.line_up(order)
        self.jack: Jack | None = None
        self.round = 0
        self.phase = "hire"
        self.asked: dict[tuple[int, str, int], int] = {}

    def line_up(self, order: list[tuple[int, str]]) -> None:
        """Lay the order tokens in this order: “one token for each worker, first to last”."""
        everyone = [(player.seat, kind) for player in self.players for kind in ("big", "little")]
        if sorted(order) != everyone:
            raise ValueError(f"order: one token for each worker is needed, not {order!r}")
        self.order = [self.players[seat].worker(kind) for seat, kind in order]

    def workers(self) -> list[Worker]:
        """Every worker in seat order, big before little, then Jack while he is hired."""
        workers = [player.worker(kind) for player in self.players for kind in ("big", "little")]
        return workers if self.jack is None else [*workers, self.jack]

    def who_stands_on(self, stop: Stop, besides: Worker | None = None) -> Worker | None:
        """The worker on this stop, not counting `besides`."""
        for worker in self.workers():
            if worker.place is stop and worker is not besides:
                return worker
        return None

    def barrels_aboard(self, player: Player) -> int:
        """How many of the player's barrels are on docked ships."""
        return sum(ship.barrels_of(player) for ship in self.harbour.docks)

    def docked(self, ship_id: str) -> Ship:
        """The docked ship of this id."""
        return next(ship for ship in self.harbour.docks if ship.id == ship_id)

    def pay(self, ship: Ship) -> None:
        """Pay the ship to those who have barrels aboard."""
        for seat, points in payments(ship, self.players, self.variants["last_place"]).items():
            self.players[seat].points += points

    def pay_and_sail(self, ship: Ship) -> None:
        """“the ship is paid … and sails”"""
        self.pay(ship)
        self.harbour.sail(ship)

    def number(self, question: Question) -> None:
        """Give a question that is really asked its id.

        “Its id is `<round>.<type>.<seat>.<n>`; n counts from 0 the decisions asked (forced ones are not) within that
        round, type and seat”
        """
        key = (self.round, question.kind, question.player.seat)
        n = self.asked.get(key, 0)
        self.asked[key] = n + 1
        question.id = f"{self.round}.{question.kind}.{question.player.seat}.{n}"


def read_variants(given: dict[str, Any]) -> dict[str, Any]:
    """The variants with the defaults filled in: “the defaults are the rules above”."""
    for name, value in given.items():
        if name not in VARIANTS or value not in VARIANTS[name]:
            raise ValueError(f"variants: {name} cannot be {value!r}")
    return {name: given.get(name, values[0]) for name, values in VARIANTS.items()}
