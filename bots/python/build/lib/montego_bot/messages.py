"""The messages of the bot protocol as types: asks, and the messages at the start and the end of a game.

Names and shapes are those of the project's docs/bots.md. Unknown members are ignored, since a later service may add
some. A member that is missing or has a wrong type raises `BadMessage`, which names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Optional, TypeVar

try:
    from msgspec import ValidationError, convert
except ImportError:  # the extra is not installed
    from montego_bot.reading import ValidationError, convert  # type: ignore[assignment,no-redef]

PROTOCOL = "montego-bay/1"

WorkerName = Literal["big", "little", "jack"]
DecisionType = Literal["hire", "play", "load", "unload"]
Outcome = Literal["ok", "late", "unreachable", "bad_status", "bad_body", "illegal"]

T = TypeVar("T")


class BadMessage(ValueError):
    """A message that breaks the protocol; the text names the member."""


@dataclass(frozen=True)
class Action:
    """One action, as in `legal_actions`. Members that the type does not use are None."""

    type: Literal["decline", "hire", "play", "load", "unload"]
    worker: Optional[Literal["big", "little"]] = None
    big: Optional[int] = None
    little: Optional[int] = None
    jack: Optional[int] = None
    ships: Optional[dict[str, int]] = None

    def to_json(self) -> dict[str, Any]:
        """The action as JSON, without the members that it does not use."""
        members = {name: getattr(self, name) for name in ("type", "worker", "big", "little", "jack", "ships")}
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True)
class Decision:
    """A question put to one seat. `barrels` are in hand (load) or must be taken back (unload)."""

    id: str
    seat: int
    type: DecisionType
    worker: Optional[WorkerName] = None
    warehouse: Optional[str] = None
    room: Optional[Literal["upper", "lower"]] = None
    barrels: Optional[int] = None


@dataclass(frozen=True)
class Room:
    """A room of a warehouse: good barrels to load, broken barrels (as many must be taken back), and coins."""

    good: int
    broken: int
    coin: int


@dataclass(frozen=True)
class Warehouse:
    """One tile of the board."""

    warehouse: str
    upper: Room
    lower: Room


@dataclass(frozen=True)
class Worker:
    """A worker. `stop` is None in the tavern."""

    seat: int
    worker: WorkerName
    stop: Optional[int]


@dataclass(frozen=True)
class Token:
    """One place in the movement order."""

    seat: int
    worker: Literal["big", "little"]


@dataclass(frozen=True)
class DockedShip:
    """A ship at a dock; `barrels` has one count a seat. The pilot boat has capacity 0."""

    ship: str
    capacity: int
    points: tuple[int, int, int]
    barrels: tuple[int, ...]

    @property
    def free(self) -> int:
        """How many barrels still fit."""
        return self.capacity - sum(self.barrels)


@dataclass(frozen=True)
class UnseenShip:
    """A ship that is somewhere in the stack."""

    ship: str
    capacity: int
    points: tuple[int, int, int]


@dataclass(frozen=True)
class HiredJack:
    """The seat that hired Lazy Jack in this round, and the worker with whom he was placed."""

    seat: int
    companion: Literal["big", "little"]


@dataclass(frozen=True)
class Seat:
    """What everybody may see of one seat."""

    seat: int
    name: Optional[str]
    points: int
    coins: int
    supply: int
    aboard: int
    chosen: bool
    resigned: bool


@dataclass(frozen=True)
class Cards:
    """The seat's own cards of this round."""

    big: int
    little: int
    jack: Optional[int] = None


@dataclass(frozen=True)
class Observation:
    """What one seat may see of a game."""

    game: str
    version: int
    status: str
    players: int
    variants: dict[str, Any]
    seat: Optional[int]
    round: int
    phase: Literal["hire", "play", "clear", "over"]
    decisions: tuple[Decision, ...]
    due: tuple[int, ...]
    board: tuple[Warehouse, ...]
    workers: tuple[Worker, ...]
    order: tuple[Token, ...]
    docks: tuple[DockedShip, ...]
    stack: int
    unseen: tuple[UnseenShip, ...]
    last_six: bool
    reshuffle: bool
    bank: int
    jack: Optional[HiredJack]
    seats: tuple[Seat, ...]
    cards: Optional[Cards]
    deal: str
    commitment: str
    places: Optional[tuple[int, ...]]

    @property
    def stops(self) -> int:
        """The number of stops on the path: two for each warehouse."""
        return 2 * len(self.board)

    def room_at(self, stop: int) -> Room:
        """The room at a stop: upper rooms from left to right, then lower ones from right to left."""
        width = len(self.board)
        return self.board[stop].upper if stop < width else self.board[2 * width - 1 - stop].lower

    def opposite(self, stop: int) -> int:
        """The stop on the other side of the same warehouse, where a pushed worker lands."""
        return self.stops - 1 - stop

    def stop_of(self, seat: int, worker: WorkerName) -> int | None:
        """The stop of a worker; None is its tavern. Raises LookupError for a worker that is not in the game (mostly
        Jack)."""
        for found in self.workers:
            if found.seat == seat and found.worker == worker:
                return found.stop
        raise LookupError(f"seat {seat} has no worker {worker!r} on the board")


@dataclass(frozen=True)
class Previous:
    """The outcome of the bot's last answer in this game."""

    decision: str
    outcome: Outcome
    elapsed_ms: Optional[int] = None


@dataclass(frozen=True)
class Ask:
    """One question, with everything that the bot may know. `raw` is the message as it came."""

    protocol: str
    game: str
    match: Optional[str]
    decision: Decision
    observation: Observation
    legal_actions: tuple[Action, ...]
    budget_ms: Optional[int]
    bank_ms: Optional[int]
    deadline: Optional[str] = None
    previous: Optional[Previous] = None
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, init=False)

    @property
    def seat(self) -> int:
        """The bot's own seat, which is asked."""
        return self.decision.seat

    @property
    def me(self) -> Seat:
        """What everybody may see of the bot's own seat."""
        return self.observation.seats[self.decision.seat]


@dataclass(frozen=True)
class Start:
    """The message before the first ask of a game. In a casual game `match`, `tournament` and `max_faults` are None.
    `raw` is the message as it came."""

    protocol: str
    game: str
    match: Optional[str]
    tournament: Optional[str]
    seat: int
    players: int
    variants: dict[str, Any]
    components: dict[str, Any]
    seats: tuple[Optional[str], ...]
    move_ms: Optional[int]
    bank_ms: Optional[int]
    max_faults: Optional[int] = None
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, init=False)


@dataclass(frozen=True)
class End:
    """The message at the end of a game. `record` is the path of the record at the service, `raw` the message as it
    came."""

    game: str
    match: Optional[str]
    places: Optional[tuple[int, ...]]
    points: tuple[int, ...]
    ended: str
    faults: dict[str, int]
    record: str
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, init=False)


def read_ask(value: object) -> Ask:
    """An ask from its JSON. Raises BadMessage for another protocol, and for a member that is missing or has a wrong
    type."""
    _check_protocol(value)
    ask = _convert(value, Ask)
    if not ask.legal_actions:
        raise BadMessage("the ask has no legal actions")
    if ask.observation.seat != ask.decision.seat:
        raise BadMessage(f"the observation is of seat {ask.observation.seat}, the decision of seat {ask.decision.seat}")
    return ask


def read_start(value: object) -> Start:
    """The message at the start of a game from its JSON. Raises BadMessage as `read_ask` does."""
    _check_protocol(value)
    return _convert(value, Start)


def read_end(value: object) -> End:
    """The message at the end of a game from its JSON. Raises BadMessage for a member that is missing or has a wrong
    type."""
    return _convert(value, End)


def _check_protocol(value: object) -> None:
    spoken = value.get("protocol") if isinstance(value, dict) else None
    if spoken != PROTOCOL:
        raise BadMessage(f"this bot speaks {PROTOCOL}, and the message says protocol {str(spoken)[:40]!r}")


def _convert(value: object, kind: type[T]) -> T:
    # `raw` is our own member. If the service ever sends one, it is ignored.
    sent = {name: member for name, member in value.items() if name != "raw"} if isinstance(value, dict) else value
    try:
        message = convert(sent, kind)
    except ValidationError as error:
        raise BadMessage(f"not a {kind.__name__.lower()}: {error}") from None
    object.__setattr__(message, "raw", value)
    return message
