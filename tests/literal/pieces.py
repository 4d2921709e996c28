"""The pieces on the table, one class each, named as the rules page names them under “Words”."""

from typing import Any

BARRELS_A_PLAYER = 16
COINS = 15
DOCKS = 4
PRICE_OF_JACK = 3
CARDS = (1, 2, 3, 4, 5)


class Room:
    """A room of a warehouse. It shows good barrels, broken barrels, and 0 or 1 coin."""

    def __init__(self, name: str, tile: dict[str, int]) -> None:
        self.name = name
        self.good = tile["good"]
        self.broken = tile["broken"]
        self.coin = tile["coin"]


class Warehouse:
    """“a tile on the board; it has two rooms, `upper` and `lower`”"""

    def __init__(self, tile: dict[str, Any]) -> None:
        self.id: str = tile["id"]
        self.upper = Room("upper", tile["upper"])
        self.lower = Room("lower", tile["lower"])


class Stop:
    """“a place on the path, in front of one room”"""

    clockwise: "Stop"
    behind: "Stop"
    opposite: "Stop"

    def __init__(self, number: int, warehouse: Warehouse, room: Room) -> None:
        self.number = number
        self.warehouse = warehouse
        self.room = room


class Tavern:
    """A tavern, off the path. It may hold any number of workers; the first step out of it leads onto `clockwise`."""

    def __init__(self, first_stop: Stop) -> None:
        self.clockwise = first_stop


class Path:
    """The stops around the row of warehouses, and the two taverns (setup, 2 and 3)."""

    def __init__(self, row: list[Warehouse]) -> None:
        w = len(row)
        # “Stops `0..W-1` run left to right in front of the upper rooms (stop `i`: warehouse `i`)”
        self.stops = [Stop(i, row[i], row[i].upper) for i in range(w)]
        # “stops `W..2W-1` run right to left in front of the lower rooms (stop `i`: warehouse `2W-1-i`)”
        self.stops += [Stop(i, row[2 * w - 1 - i], row[2 * w - 1 - i].lower) for i in range(w, 2 * w)]
        for i, stop in enumerate(self.stops):
            # “The stop opposite `i` is `2W-1-i`. After stop `2W-1` comes stop 0.”
            stop.opposite = self.stops[2 * w - 1 - i]
            stop.clockwise = self.stops[i + 1] if i < 2 * w - 1 else self.stops[0]
            stop.behind = self.stops[i - 1] if i > 0 else self.stops[2 * w - 1]
        # “A big's first step is onto stop 0, a little's first step is onto stop `W`.”
        self.left_tavern = Tavern(self.stops[0])
        self.right_tavern = Tavern(self.stops[w])


class Worker:
    """“`big` or `little`, one of each for every seat”"""

    def __init__(self, owner: "Player", kind: str, place: Stop | Tavern) -> None:
        self.owner = owner
        self.kind = kind
        self.place = place
        self.card: int | None = None


class Jack(Worker):
    """Lazy Jack, while he is hired: owned by whoever hired him, “Jack starts where that worker is”."""

    def __init__(self, owner: "Player", companion: Worker) -> None:
        super().__init__(owner, "jack", companion.place)
        self.companion = companion


class Player:
    """Whoever sits at a seat: two workers, points, coins, and the barrels that are on no ship."""

    def __init__(self, seat: int, coins: int, path: Path) -> None:
        # “Everyone has 16 barrels, 0 coins and 0 points.”
        self.seat = seat
        self.points = 0
        self.coins = coins
        self.supply = BARRELS_A_PLAYER
        # “Every `big` starts in the tavern at the left end, every `little` in the tavern at the right end”
        self.big = Worker(self, "big", path.left_tavern)
        self.little = Worker(self, "little", path.right_tavern)
        self.resignation_waits = False
        self.resigned = False

    def worker(self, kind: str) -> Worker:
        """The player's own `big` or `little`."""
        return {"big": self.big, "little": self.little}[kind]


class Ship:
    """“a tile with `capacity` and `points` for 1st, 2nd, 3rd”. Each barrel aboard is kept as its owner."""

    def __init__(self, ship_id: str, capacity: int, points: list[int]) -> None:
        self.id = ship_id
        self.capacity = capacity
        self.points = list(points)
        self.barrels: list[Player] = []
        self.is_one_of_the_last_six = False

    def barrels_of(self, player: Player) -> int:
        """How many barrels of this player are aboard."""
        return self.barrels.count(player)

    def free(self) -> int:
        """How many barrels still find room."""
        return self.capacity - len(self.barrels)


def pilot_boat() -> Ship:
    """“the pilot boat, id `pilot`, capacity 0”; it “pays nothing”."""
    return Ship("pilot", 0, [0, 0, 0])
