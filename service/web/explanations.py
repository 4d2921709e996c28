"""What a new player is told: what has happened since the last choice of its own, each kind of event explained when it
first comes."""

from __future__ import annotations

from typing import Final, NamedTuple

from service.web.timeline import Event, GamePosition
from service.web.words import Words

OWN: Final = ("chosen", "loaded", "unloaded", "jack_hired", "declined")
"""Events that a seat's own choice makes."""
MAX_TOLD: Final = 12
"""So many of the newest events are told, and older ones that need an explanation; the log has all of them."""


class Happened(NamedTuple):
    """An event in words. `why` explains it where its kind is new in this game, else it is empty."""

    n: int
    text: str
    why: str


def since_own_choice(positions: list[GamePosition], seat: int, words: Words) -> list[Happened]:
    """What has happened since the seat last chose, the newest last."""
    own = max(
        (one.n for one in positions if one.event["type"] in OWN and one.event["seat"] == seat), default=len(positions)
    )
    known = {kind for one in positions[: own + 1] for kind in _kinds(one.event)}
    explanations = _explanations(words)
    told = []
    for position in positions[own + 1 :]:
        new = [kind for kind in _kinds(position.event) if kind not in known]
        known.update(new)
        told.append(Happened(position.n, words.event(position), " ".join(explanations[kind] for kind in new)))
    return [one for number, one in enumerate(told, MAX_TOLD - len(told)) if one.why or number >= 0]


def _kinds(event: Event) -> tuple[str, ...]:
    """What there is to explain about an event."""
    match event["type"]:
        case "revealed" | "coin_taken" | "loaded" | "unloaded" | "ship_drawn" as kind:
            return (kind,)
        case "moved":
            pushed = ("pushed",) if event["pushed"] is not None else ()
            return ("moved", *pushed, *(("fell_back",) if event["fell_back"] else ()))
        case "ship_sailed":
            return ("sailed_full",) if event["filled_by"] is not None else ("sailed",)
        case "order_changed":
            return ("shuffled",) if event["shuffled"] else ("order",)
        case "defaulted" if event["fault"] is not None:
            return ("defaulted",)
    return ()


def _explanations(words: Words) -> dict[str, str]:
    _ = words._
    return {
        "revealed": _("All had chosen, so all cards were turned up together."),
        "moved": _("Workers move one after the other, in the order of the tokens below the board."),
        "pushed": _("Somebody stood there, and was pushed straight across to the other side of the warehouse."),
        "fell_back": _("The stop across was taken as well, so nobody could be pushed: the mover fell back."),
        "coin_taken": _("A coin in the room goes to the player of the worker in front. Three coins hire Lazy Jack."),
        "loaded": _("Warehouses act from left to right, in each the upper room first. Good barrels go onto any ships."),
        "unloaded": _("Broken barrels in the room: its player had to take barrels back."),
        "sailed_full": _("The ship was full, so it sailed at once. Most barrels aboard earn most."),
        "sailed": _("At the end of a round the ship in the front dock sails, full or not, and the others move up."),
        "ship_drawn": _("A free dock gets the next ship from the sea. When none is left, the game comes to its end."),
        "order": _("The last to move will be the first in the next round."),
        "shuffled": _("One of the last six ships had come in, so the order was drawn anew."),
        "defaulted": _("Time had run out, so the service played for that seat."),
    }
