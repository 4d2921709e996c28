"""Component sets: the standard set, and checks of sets from outside (RULES "Sets of one's own")."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from service.engine.errors import InvalidInput, Path
from service.engine.json_checks import between, mapping, members, sequence, shown

PILOT = "pilot"
MIN_SHIPS = 4
MAX_SHIPS = 60
MIN_CAPACITY = 3
MAX_CAPACITY = 16
MAX_POINTS = 20
MAX_GOOD = 4
MAX_BROKEN = 2

_ID = re.compile(r"[a-z0-9_-]{1,16}")


@dataclass(frozen=True, slots=True)
class Room:
    """Good barrels 0..4, broken barrels 0..2 (never both), coins 0..1."""

    good: int
    broken: int
    coin: int


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A tile on the board with its two rooms."""

    id: str
    upper: Room
    lower: Room


@dataclass(frozen=True, slots=True)
class Ship:
    """One side of a cargo ship: the number of barrels it holds, and the points for 1st, 2nd and 3rd."""

    id: str
    capacity: int
    points: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ComponentSet:
    """The tiles of one game in the order in which the set lists them. The pilot boat is not among the ships."""

    ships: tuple[Ship, ...]
    warehouses: tuple[Warehouse, ...]


def number_of_warehouses(players: int) -> int:
    return 8 if players == 4 else 7


def parse_players(value: object) -> int:
    """2, 3 or 4; raises InvalidInput."""
    return between(value, ("players",), 2, 4)


@cache
def standard_components(players: int) -> ComponentSet:
    """The standard set for 2, 3 or 4 players."""
    parse_players(players)
    data = json.loads(files("service.engine").joinpath("data", "standard.json").read_text(encoding="utf-8"))
    side = "4" if players == 4 else "2-3"
    ships = [{"id": ship["id"], **ship[side]} for ship in data["ships"]]
    warehouses = data["warehouses"][: number_of_warehouses(players)]
    return parse_components({"ships": ships, "warehouses": warehouses}, players)


def parse_components(value: object, players: int) -> ComponentSet:
    """A component set from JSON, as in a record.

    Raises InvalidInput, which names the tile and the field.
    """
    found = members(value, (), ("ships", "warehouses"))
    ships = sequence(found["ships"], ("ships",))
    if not MIN_SHIPS <= len(ships) <= MAX_SHIPS:
        raise InvalidInput(("ships",), f"must be {MIN_SHIPS} to {MAX_SHIPS} cargo ships, not {len(ships)}")
    warehouses = sequence(found["warehouses"], ("warehouses",))
    wanted = number_of_warehouses(players)
    if len(warehouses) != wanted:
        raise InvalidInput(
            ("warehouses",), f"must be {wanted} warehouses with {players} players, not {len(warehouses)}"
        )
    taken: set[str] = set()
    return ComponentSet(
        tuple(_ship(ship, ("ships", i), taken) for i, ship in enumerate(ships)),
        tuple(_warehouse(warehouse, ("warehouses", i), taken) for i, warehouse in enumerate(warehouses)),
    )


def _ship(value: object, path: Path, taken: set[str]) -> Ship:
    name = _id(value, path, taken)
    tile = f"ship {name}: "
    found = members(value, path, ("id", "capacity", "points"))
    capacity = between(
        found["capacity"],
        (*path, "capacity"),
        MIN_CAPACITY,
        MAX_CAPACITY,
        f"{tile}capacity ",
    )
    given = sequence(found["points"], (*path, "points"))
    if len(given) != 3:
        raise InvalidInput((*path, "points"), f"{tile}points must be three integers, not {shown(given)}")
    first, second, third = (
        between(number, (*path, "points", i), 0, MAX_POINTS, f"{tile}points ") for i, number in enumerate(given)
    )
    if not first >= second >= third:
        raise InvalidInput((*path, "points"), f"{tile}points must not rise, unlike {[first, second, third]}")
    return Ship(name, capacity, (first, second, third))


def _warehouse(value: object, path: Path, taken: set[str]) -> Warehouse:
    name = _id(value, path, taken)
    found = members(value, path, ("id", "upper", "lower"))
    return Warehouse(
        name,
        _room(found["upper"], (*path, "upper"), f"warehouse {name}, upper room: "),
        _room(found["lower"], (*path, "lower"), f"warehouse {name}, lower room: "),
    )


def _room(value: object, path: Path, tile: str) -> Room:
    found = members(value, path, ("good", "broken", "coin"))
    good = between(found["good"], (*path, "good"), 0, MAX_GOOD, f"{tile}good ")
    broken = between(found["broken"], (*path, "broken"), 0, MAX_BROKEN, f"{tile}broken ")
    coin = between(found["coin"], (*path, "coin"), 0, 1, f"{tile}coin ")
    if good and broken:
        raise InvalidInput((*path, "broken"), f"{tile}has good or broken barrels, never both")
    return Room(good, broken, coin)


def _id(value: object, path: Path, taken: set[str]) -> str:
    tile = mapping(value, path)
    if "id" not in tile:
        raise InvalidInput((*path, "id"), "is missing")
    name = tile["id"]
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise InvalidInput((*path, "id"), f"must be 1 to 16 of a-z, 0-9, _ and -, not {shown(name)}")
    if name == PILOT:
        raise InvalidInput((*path, "id"), "pilot is the pilot boat, which every set has")
    if name in taken:
        raise InvalidInput((*path, "id"), f"{name} is used twice")
    taken.add(name)
    return name


def room_to_json(room: Room) -> dict[str, object]:
    return {"good": room.good, "broken": room.broken, "coin": room.coin}


def components_to_json(components: ComponentSet) -> dict[str, object]:
    """As in a record; `parse_components` reads it back."""
    return {
        "ships": [{"id": ship.id, "capacity": ship.capacity, "points": list(ship.points)} for ship in components.ships],
        "warehouses": [
            {"id": house.id, "upper": room_to_json(house.upper), "lower": room_to_json(house.lower)}
            for house in components.warehouses
        ],
    }
