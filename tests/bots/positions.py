"""Asks made by hand: a plain position, with what a test cares about changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

ROOMS = {
    "w1": ((4, 0, 0), (0, 2, 1)),
    "w2": ((3, 0, 0), (1, 0, 1)),
    "w3": ((2, 0, 1), (0, 1, 0)),
    "w4": ((3, 0, 0), (0, 1, 1)),
    "w5": ((2, 0, 0), (2, 0, 0)),
    "w6": ((1, 0, 1), (4, 0, 0)),
    "w7": ((0, 0, 1), (3, 0, 0)),
    "w8": ((2, 0, 0), (0, 2, 1)),
}

Json = dict[str, Any]


def ship(name: str, capacity: int, points: Sequence[int], barrels: Sequence[int]) -> Json:
    """A ship at a dock."""
    return {"ship": name, "capacity": capacity, "points": list(points), "barrels": list(barrels)}


def room(values: tuple[int, int, int]) -> Json:
    """A room from its good barrels, broken barrels and coin."""
    return dict(zip(("good", "broken", "coin"), values, strict=True))


def observation(players: int = 2, seat: int = 0, **changes: Any) -> Json:
    """What a seat sees in round 2 of a game in which nobody has a barrel aboard and all workers are in the taverns."""
    width = 8 if players == 4 else 7
    workers = [{"seat": s, "worker": w} for s in range(players) for w in ("big", "little")]
    docks = changes.pop("docks", None) or [
        ship("s01", 3, (3, 2, 1), [0] * players),
        ship("s04", 4, (4, 2, 1), [0] * players),
        ship("s07", 5, (5, 3, 1), [0] * players),
        ship("s10", 6, (5, 3, 2), [0] * players),
    ]
    aboard = [sum(docked["barrels"][s] for docked in docks) for s in range(players)]
    seats = [
        {"seat": s, "name": f"bot-{s}", "points": 0, "coins": 0, "supply": 16 - aboard[s], "aboard": aboard[s]}
        | {"chosen": False, "resigned": False}
        for s in range(players)
    ]
    for index, change in changes.pop("seats", {}).items():
        seats[index] |= change
    board = [{"warehouse": w, "upper": room(ROOMS[w][0]), "lower": room(ROOMS[w][1])} for w in list(ROOMS)[:width]]
    plain = {
        "game": "g1",
        "version": 17,
        "status": "running",
        "players": players,
        "variants": {"tally": "warehouses", "last_place": "paid", "starting_coins": 0},
        "seat": seat,
        "round": 2,
        "phase": "clear",
        "decisions": [],
        "due": [seat],
        "board": board,
        "workers": [worker | {"stop": None} for worker in workers],
        "order": workers,
        "docks": docks,
        "stack": 9,
        "unseen": [],
        "last_six": False,
        "reshuffle": False,
        "bank": 15,
        "jack": None,
        "seats": seats,
        "cards": None,
        "deal": "drawn",
        "commitment": "00" * 32,
        "places": None,
    }
    return plain | changes


def ask(decision: Mapping[str, Any], legal: Sequence[Json], seen: Json | None = None, **changes: Any) -> Json:
    """An ask of seat 0, unless the observation is another's."""
    view = observation() if seen is None else seen
    kind = decision["type"]
    question = {"id": f"{view['round']}.{kind}.{view['seat']}.0", "seat": view["seat"], **decision}
    plain = {
        "protocol": "montego-bay/1",
        "game": view["game"],
        "match": None,
        "decision": question,
        "observation": view | {"decisions": [question]},
        "legal_actions": list(legal),
        "budget_ms": 1000,
        "bank_ms": 0,
        "deadline": None,
        "previous": None,
    }
    return plain | changes


def cards(seen: Json | None = None, **changes: Any) -> Json:
    """An ask for two cards."""
    view = (observation() if seen is None else seen) | {"phase": "play"}
    legal = [{"type": "play", "big": big, "little": little} for big in range(1, 6) for little in range(1, 6)]
    return ask({"type": "play"}, legal, view, **changes)
