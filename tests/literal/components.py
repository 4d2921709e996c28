"""The standard component set, copied from the two tables of the rules page by hand."""

from typing import Any

# id, (capacity, points) of the side for 2 or 3 players, (capacity, points) of the side for 4 players
SHIPS: list[tuple[str, tuple[int, list[int]], tuple[int, list[int]]]] = [
    ("s01", (3, [3, 2, 1]), (3, [3, 2, 1])),
    ("s02", (3, [3, 2, 1]), (3, [4, 2, 1])),
    ("s03", (3, [4, 2, 1]), (4, [4, 2, 1])),
    ("s04", (4, [4, 2, 1]), (4, [4, 3, 1])),
    ("s05", (4, [4, 2, 1]), (5, [5, 3, 1])),
    ("s06", (4, [4, 3, 1]), (5, [5, 3, 2])),
    ("s07", (5, [5, 3, 1]), (6, [5, 3, 2])),
    ("s08", (5, [5, 3, 2]), (6, [6, 3, 2])),
    ("s09", (5, [5, 3, 2]), (7, [6, 4, 2])),
    ("s10", (6, [5, 3, 2]), (7, [6, 4, 2])),
    ("s11", (6, [6, 3, 2]), (8, [7, 4, 2])),
    ("s12", (6, [6, 4, 2]), (8, [7, 4, 3])),
    ("s13", (7, [6, 4, 2]), (9, [7, 5, 3])),
    ("s14", (7, [7, 4, 2]), (9, [8, 5, 3])),
    ("s15", (8, [7, 4, 3]), (10, [8, 5, 3])),
]


def room(good: int = 0, broken: int = 0, coin: int = 0) -> dict[str, int]:
    """A room, as a component set writes it."""
    return {"good": good, "broken": broken, "coin": coin}


def warehouses(players: int) -> list[dict[str, Any]]:
    """“`w1`..`w7` are used with 2 or 3 players, all 8 with 4.”"""
    rooms = [
        (room(good=4), room(broken=2, coin=1)),
        (room(good=3), room(good=1, coin=1)),
        (room(good=2, coin=1), room(broken=1)),
        (room(good=3), room(broken=1, coin=1)),
        (room(good=2), room(good=2)),
        (room(good=1, coin=1), room(good=4)),
        (room(good=0, coin=1), room(good=3)),
        (room(good=2), room(broken=2, coin=1)),
    ]
    used = rooms if players == 4 else rooms[:7]
    return [{"id": f"w{i}", "upper": upper, "lower": lower} for i, (upper, lower) in enumerate(used, start=1)]


def ships(players: int) -> list[dict[str, Any]]:
    """“15 cargo ships …, each with one side for 2 or 3 players and one for 4 players”"""
    sides = [(name, four if players == 4 else few) for name, few, four in SHIPS]
    return [{"id": name, "capacity": capacity, "points": list(points)} for name, (capacity, points) in sides]
