"""Decisions, and the legal actions of each in canonical order (“Decisions and legal actions”)."""

from itertools import product
from typing import Any

from .pieces import CARDS, Jack, Player, Room, Ship, Warehouse, Worker

Action = dict[str, Any]


class Question:
    """A decision put to one player, open until it has an answer."""

    def __init__(self, player: Player, kind: str, legal: list[Action], about: dict[str, Any] | None = None) -> None:
        self.player = player
        self.kind = kind
        self.legal = legal
        self.about = about or {}
        self.id = ""
        self.answer: Action | None = None

    def default(self) -> Action:
        """“The first in the list is the *default action*”"""
        return self.legal[0]

    def as_json(self) -> dict[str, Any]:
        """The decision as the protocol page shows it."""
        return {"id": self.id, "seat": self.player.seat, "type": self.kind, **self.about}


def hire_actions() -> list[Action]:
    """decline, then hire with big, then hire with little"""
    return [{"type": "decline"}, {"type": "hire", "worker": "big"}, {"type": "hire", "worker": "little"}]


def play_actions(player: Player, jack: Jack | None) -> list[Action]:
    """“for b, then l ascending; with Jack also j, ascending, innermost, and different from his companion's card”"""
    actions: list[Action] = []
    for big in CARDS:
        for little in CARDS:
            two_cards: Action = {"type": "play", "big": big, "little": little}
            if jack is None or jack.owner is not player:
                actions.append(two_cards)
            else:
                companions_card = big if jack.companion is player.big else little
                actions.extend({**two_cards, "jack": card} for card in CARDS if card != companions_card)
    return actions


def more_on_the_front_first(ways: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """“more on the front ship first, then on the next (descending lexicographic in dock order …)”"""
    return sorted(ways, reverse=True)


def as_actions(kind: str, ships: list[Ship], ways: list[tuple[int, ...]]) -> list[Action]:
    """“Zero counts are left out; keys in dock order.”"""
    return [
        {"type": kind, "ships": {ship.id: count for ship, count in zip(ships, way, strict=True) if count > 0}}
        for way in ways
    ]


def load_actions(docks: list[Ship], hand: int) -> list[Action]:
    """Every way to load; empty if no docked ship has room."""
    # “on the docked cargo ships within free capacity”
    ships = [ship for ship in docks if ship.capacity > 0]
    ways = list(product(*[range(min(ship.free(), hand) + 1) for ship in ships]))
    # “first every way to put all barrels in hand”
    everything = [way for way in ways if sum(way) == hand]
    # “then every way to put fewer, at least 1, that fills at least one ship”
    fewer = [
        way
        for way in ways
        if 1 <= sum(way) < hand
        and any(count > 0 and count == ship.free() for ship, count in zip(ships, way, strict=True))
    ]
    in_order = more_on_the_front_first(everything) + more_on_the_front_first(fewer)
    return as_actions("load", ships, in_order)


def unload_actions(docks: list[Ship], player: Player, required: int) -> list[Action]:
    """“every way to take exactly the required number from docked ships, in the same order”"""
    ways = list(product(*[range(min(ship.barrels_of(player), required) + 1) for ship in docks]))
    exact = [way for way in ways if sum(way) == required]
    return as_actions("unload", docks, more_on_the_front_first(exact))


def about_room(worker: Worker, warehouse: Warehouse, room: Room, barrels: int) -> dict[str, Any]:
    """What a load or unload decision says; “`barrels` is what is in hand, or what must be unloaded”."""
    return {"worker": worker.kind, "warehouse": warehouse.id, "room": room.name, "barrels": barrels}


def content(action: Any) -> Action | None:
    """The action by its content: “not by the order of its keys; a count of 0 may be written out”.

    None if it has not the shape of an action at all (cards and counts are integers, and `true` is none).
    """
    if not isinstance(action, dict):
        return None
    result: Action = dict(action)
    if "ships" in result:
        if not isinstance(result["ships"], dict):
            return None
        numbers = list(result["ships"].values())
    else:
        numbers = [result[name] for name in ("big", "little", "jack") if name in result]
    if any(type(number) is not int for number in numbers):
        return None
    if "ships" in result:
        result["ships"] = {ship: count for ship, count in result["ships"].items() if count != 0}
    return result
