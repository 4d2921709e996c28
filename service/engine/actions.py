"""The five kinds of action, to and from JSON (RULES "Decisions and legal actions")."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from service.engine.errors import InvalidInput
from service.engine.json_checks import integer, mapping, members, one_of, shown

Companion = Literal["big", "little"]

Shares = tuple[tuple[str, int], ...]
"""Names of ships, each with a number of barrels."""


@dataclass(frozen=True, slots=True)
class Decline:
    """Does without Lazy Jack."""


@dataclass(frozen=True, slots=True)
class Hire:
    """Hires Lazy Jack, who starts where this own worker is."""

    worker: Companion


@dataclass(frozen=True, slots=True)
class Play:
    """One card for each worker, and for Jack from whoever hired him."""

    big: int
    little: int
    jack: int | None = None


class _Shares:
    """Barrels for each ship. Equal by content: neither the order of ships nor a count of 0 matters."""

    __slots__ = ("ships",)

    ships: Shares

    def __init__(self, ships: Shares) -> None:
        set_ships(self, tuple(share for share in ships if share[1] != 0))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} does not change")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.ships == other.ships or sorted(self.ships) == sorted(other.ships)

    def __hash__(self) -> int:
        return hash((type(self).__name__, frozenset(self.ships)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ships={self.ships!r})"

    def __reduce__(self) -> "tuple[type[_Shares], tuple[Shares]]":
        return type(self), (self.ships,)


set_ships: Callable[[_Shares, Shares], None] = _Shares.__dict__["ships"].__set__
"""Gives an action that is just being made its ships, none of them with a count of 0. Afterwards nothing sets them."""


class Load(_Shares):
    """Puts barrels in hand on docked ships."""

    __slots__ = ()


class Unload(_Shares):
    """Takes own barrels from docked ships."""

    __slots__ = ()


Action = Decline | Hire | Play | Load | Unload

TYPES = ("decline", "hire", "play", "load", "unload")


def parse_action(value: object) -> Action:
    """An action from JSON. Judges its shape only; whether it is legal depends on the game.

    Raises InvalidInput with the path below the action, for instance `("big",)`.
    """
    kind = one_of(mapping(value, ()).get("type"), ("type",), TYPES)
    if kind == "decline":
        members(value, (), ("type",))
        return Decline()
    if kind == "hire":
        found = members(value, (), ("type", "worker"))
        return Hire("big" if one_of(found["worker"], ("worker",), ("big", "little")) == "big" else "little")
    if kind == "play":
        found = members(value, (), ("type", "big", "little"), ("jack",))
        return Play(
            integer(found["big"], ("big",)),
            integer(found["little"], ("little",)),
            integer(found["jack"], ("jack",)) if "jack" in found else None,
        )
    shares = _shares(members(value, (), ("type", "ships"))["ships"])
    return Load(shares) if kind == "load" else Unload(shares)


def _shares(value: object) -> Shares:
    shares = []
    for ship, count in mapping(value, ("ships",)).items():
        number = integer(count, ("ships", ship))
        if number < 0:
            raise InvalidInput(("ships", ship), f"must be 0 or more, not {shown(number)}")
        shares.append((ship, number))
    return tuple(shares)


def action_to_json(action: Action) -> dict[str, object]:
    """The action as JSON; ships in the order in which the action has them (dock order, if it comes from a game)."""
    match action:
        case Decline():
            return {"type": "decline"}
        case Hire():
            return {"type": "hire", "worker": action.worker}
        case Play():
            cards: dict[str, object] = {"type": "play", "big": action.big, "little": action.little}
            if action.jack is not None:
                cards["jack"] = action.jack
            return cards
        case Load():
            return {"type": "load", "ships": dict(action.ships)}
        case Unload():
            return {"type": "unload", "ships": dict(action.ships)}
