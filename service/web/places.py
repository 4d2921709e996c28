"""Where things lie on the board: the one table that both the drawing and the style sheet are made from.

A drawing is wide (1000 × 668 units), or upright (360 × 1196) on a narrow screen. Each place has a name, which is its
class in the style sheet, and its coordinates in both. The drawing has the wide ones in an attribute too, so that a
program that knows no style sheet can draw it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from service.engine.components import MAX_CAPACITY
from service.engine.core.layout import DOCKS

WIDE: Final = (1000, 668)
UPRIGHT: Final = (360, 1196)
BOARDS: Final = (7, 8)
"""How many warehouses a board can have."""
ROW: Final = 10
"""So many barrels of a ship lie in one row."""
TAVERN_SCALE: Final = 0.72


class Place(NamedTuple):
    """A place: its class, and where it lies in the wide and in the upright drawing. `scale`: of what stands there."""

    name: str
    wide: tuple[float, float]
    upright: tuple[float, float]
    scale: float = 1

    @property
    def transform(self) -> str:
        """The attribute: where it lies in the wide drawing."""
        scale = "" if self.scale == 1 else f" scale({self.scale:g})"
        return f"translate({self.wide[0]:g},{self.wide[1]:g}){scale}"

    def rule(self, at: tuple[float, float]) -> str:
        """A rule of the style sheet."""
        scale = "" if self.scale == 1 else f" scale({self.scale:g})"
        return f".{self.name}{{transform:translate({at[0]:g}px,{at[1]:g}px){scale}}}"


def _column(warehouses: int, stop: int) -> tuple[int, int]:
    """The warehouse of a stop from the left, and -1 where it is in front of the upper room, 1 for the lower one."""
    return (stop, -1) if stop < warehouses else (2 * warehouses - 1 - stop, 1)


def _across(warehouses: int, index: int) -> tuple[float, float]:
    """The middle of a warehouse: x in the wide drawing, y in the upright one. Seven are centred."""
    return 164 + 96 * index + 48 * (8 - warehouses), 112 + 58 * index + 29 * (8 - warehouses)


@cache
def stop(warehouses: int, number: int) -> Place:
    """In front of a room."""
    index, side = _column(warehouses, number)
    x, y = _across(warehouses, index)
    return Place(f"s{warehouses}-{number}", (x, 142 + 98 * side), (180 - 150 * side, y))


@cache
def room(warehouses: int, number: int) -> Place:
    """The middle of the room in front of a stop."""
    index, side = _column(warehouses, number)
    x, y = _across(warehouses, index)
    return Place(f"r{warehouses}-{number}", (x, 142 + 33 * side), (180 - 59 * side, y))


@cache
def tile(warehouses: int, index: int) -> Place:
    """The middle of a warehouse."""
    x, y = _across(warehouses, index)
    return Place(f"t{warehouses}-{index}", (x, 142), (180, y))


@cache
def tavern(side: int) -> Place:
    """The tavern of the bigs (0) or of the littles (1)."""
    return Place(f"v{side}", (34 + 932 * side, 142), (180, 36 + 556 * side))


@cache
def in_tavern(side: int, seat: int) -> Place:
    """Where a seat's worker stands in its tavern; Jack, as seat 4, between the others."""
    x = 34 + 932 * side + (0 if seat == 4 else -15 + 30 * (seat % 2))
    y = 172 if seat == 4 else 148 + 50 * (seat // 2)
    return Place(f"i{side}-{seat}", (x, y), (80 + 50 * seat, 46 + 556 * side), TAVERN_SCALE)


@cache
def order(index: int) -> Place:
    """A token of the movement order; 0 is Jack's."""
    return Place(f"o{index}", (112 + 97 * index, 304), (2 + 39.6 * index, 646))


@cache
def dock(number: int) -> Place:
    """A dock's upper left corner."""
    return Place(f"d{number}", (14 + 246 * number, 404), (6, 746 + 102 * number))


@cache
def barrel(dock_number: int, index: int) -> Place:
    """A barrel aboard the ship at a dock."""
    across, up = index % ROW, index // ROW
    wide, upright = dock(dock_number).wide, dock(dock_number).upright
    x = 17 + 22 * across
    return Place(
        f"b{dock_number}-{index}", (wide[0] + x, wide[1] + 62 - 22 * up), (upright[0] + x, upright[1] + 32 - 22 * up)
    )


@cache
def slot(index: int) -> Place:
    """A free place aboard, seen from the dock."""
    x = 17 + 22 * (index % ROW)
    return Place(f"l{index}", (x, 62 - 22 * (index // ROW)), (x, 32 - 22 * (index // ROW)))


HULL: Final = Place("hull-at", (0, 78), (0, 46))
PAY: Final = Place("pay-at", (0, 146), (240, 20))
HARBOUR: Final = Place("harbour-at", (0, 386), (0, 724))
AT_SEA: Final = Place("sea-at", (14, 650), (10, 1184))


@cache
def payee(index: int) -> Place:
    """Somebody whom a ship would pay."""
    return Place(f"p{index}", (20 + 52 * index, 38), (14 + 54 * (index % 2), 38 + 26 * (index // 2)))


def all_places() -> Iterator[Place]:
    """Every place there is."""
    for warehouses in BOARDS:
        for number in range(2 * warehouses):
            yield stop(warehouses, number)
            yield room(warehouses, number)
        for index in range(warehouses):
            yield tile(warehouses, index)
    for side in range(2):
        yield tavern(side)
        yield from (in_tavern(side, seat) for seat in range(5))
    yield from (order(index) for index in range(9))
    for number in range(DOCKS):
        yield dock(number)
        yield from (barrel(number, index) for index in range(MAX_CAPACITY))
    yield from (slot(index) for index in range(MAX_CAPACITY))
    yield from (payee(index) for index in range(4))
    yield from (HULL, PAY, HARBOUR, AT_SEA)


def rules(*, upright: bool) -> str:
    """The rules of the style sheet that put everything in its place. Places at which the drawings agree come once."""
    lines = []
    for place in all_places():
        if upright and place.wide == place.upright:
            continue
        lines.append(place.rule(place.upright if upright else place.wide))
    return "\n".join(lines)
