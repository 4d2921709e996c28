"""The five kinds of action, to and from JSON (RULES "Decisions and legal actions"), and the error for illegal ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from service.engine.errors import EngineError, InvalidInput
from service.engine.json_checks import integer, mapping, members, one_of, shown

Companion = Literal["big", "little"]

Shares = tuple[tuple[str, int], ...]
"""Names of ships, each with a number of barrels."""


@dataclass(frozen=True, slots=True)
class Decline:
    """Declines to hire Lazy Jack."""


@dataclass(frozen=True, slots=True)
class Hire:
    """Hires Lazy Jack, who starts where this own worker is."""

    worker: Companion


@dataclass(frozen=True, slots=True)
class Play:
    """A card for each worker, and one for Jack from the player who hired him."""

    big: int
    little: int
    jack: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Shares:
    """Barrels for each ship. Equal by content: neither the order of ships nor a count of 0 matters."""

    ships: Shares

    def __post_init__(self) -> None:
        object.__setattr__(self, "ships", tuple([share for share in self.ships if share[1] != 0]))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return sorted(self.ships) == sorted(other.ships)

    def __hash__(self) -> int:
        return hash((type(self), frozenset(self.ships)))


class Load(_Shares):
    """Puts barrels in hand on docked ships."""

    __slots__ = ()


class Unload(_Shares):
    """Takes own barrels from docked ships."""

    __slots__ = ()


Action = Decline | Hire | Play | Load | Unload


class NotLegal(EngineError):
    """A well-formed action that the rules forbid here: why, and what would be legal, in canonical order."""

    def __init__(self, reason: str, legal: Sequence[Action]) -> None:
        super().__init__(reason, legal)
        self.reason = reason
        self.legal = legal

    def __str__(self) -> str:
        return self.reason


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
