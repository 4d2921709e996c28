"""The result of one match, as it is stored, exported and counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from service.protocol import FAULTS

_FAULT_SET = frozenset(FAULTS)
_BY_SEAT = ("points", "places", "faults", "versions", "answers", "answer_ms")
STATUSES = ("finished", "void", "cancelled")


class ResultError(ValueError):
    """A stored result that cannot be right. `path` names the member, `reason` says why."""

    def __init__(self, path: tuple[str | int, ...], reason: str) -> None:
        super().__init__(f"{'.'.join(str(part) for part in path)}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class MatchResult:
    """One attempt at a match. Tuples by seat have one element for each seat, or none where nothing was played.

    match, block, seating  as in the schedule, numbered from 0
    attempt                0; more only after a void
    status                 "finished"; "void": played again, counts for nothing; "cancelled": will not be played
    seats                  names by seat
    points, places         by seat, at the end of the game; places None: the game had no placing (aborted)
    ended                  "played", "resigned" or "aborted", as in the game's record; "" if there was no game
    faults                 by seat: kind to count, kinds without a fault left out
    forfeits, not_started  seats that forfeited; seats whose bot did not come up before the match (they forfeit too)
    versions               by seat, as the bot named it, None if it did not
    answers, answer_ms     by seat: decisions that the bot was asked and answered, and their total time (milliseconds)
    harness_slow           the harness was too slow for this match, but it counts, since it had been void before
    game                   id of the game, "" if there was none
    """

    match: int
    block: int
    seating: int
    attempt: int
    status: str
    seats: tuple[str, ...]
    points: tuple[int, ...] = ()
    places: tuple[int, ...] | None = None
    ended: str = ""
    faults: tuple[dict[str, int], ...] = ()
    forfeits: tuple[int, ...] = ()
    not_started: tuple[int, ...] = ()
    versions: tuple[str | None, ...] = ()
    answers: tuple[int, ...] = ()
    answer_ms: tuple[int, ...] = ()
    harness_slow: bool = False
    game: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ResultError(("status",), f"must be one of {', '.join(STATUSES)}, not {self.status!r}")
        players = len(self.seats)
        if players < 2 or len(set(self.seats)) != players:
            raise ResultError(("seats",), f"must be 2 or more different names, not {list(self.seats)}")
        for name in _BY_SEAT:
            value = getattr(self, name)
            if value and len(value) != players:
                raise ResultError((name,), f"must have {players} elements, one a seat, not {len(value)}")
        if any(seat >= players or seat < 0 for seat in self.forfeits + self.not_started):
            raise ResultError(("forfeits",), f"forfeits and not_started name seats 0 to {players - 1}")
        if not all(_FAULT_SET.issuperset(kinds) for kinds in self.faults if kinds):
            raise ResultError(("faults",), f"a kind of fault is one of {', '.join(FAULTS)}")
        if self.status == "finished" and not self.points:
            raise ResultError(("points",), "a finished match has points for each seat")

    @property
    def has_placing(self) -> bool:
        """Whether it is a finished match with places, which alone can count."""
        return self.status == "finished" and self.places is not None

    def to_json(self) -> dict[str, Any]:
        """Its members by name; those that are as the class defaults them are left out. from_json undoes it exactly."""
        plain: dict[str, Any] = {}
        for name, spec in self.__dataclass_fields__.items():
            value = getattr(self, name)
            if name in _REQUIRED or value != spec.default:
                plain[name] = list(value) if isinstance(value, tuple) else value
        return plain

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> MatchResult:
        """Raises ResultError for members that are unknown, missing or of a wrong type."""
        for name in value:
            if name not in cls.__dataclass_fields__:
                raise ResultError((name,), "is no member of a result")
        for name in _REQUIRED:
            if name not in value:
                raise ResultError((name,), "is missing")
        return cls(**{name: _read(name, member) for name, member in value.items()})


_REQUIRED = ("match", "block", "seating", "attempt", "status", "seats")
_NUMBERS = frozenset(("match", "block", "seating", "attempt"))
_TEXTS = frozenset(("status", "ended", "game"))
_NUMBER_LISTS = frozenset(("points", "places", "forfeits", "not_started", "answers", "answer_ms"))


def _read(name: str, value: Any) -> Any:
    if name in _NUMBERS:
        return _number((name,), value)
    if name in _TEXTS:
        return _text((name,), value)
    if name == "harness_slow":
        if not isinstance(value, bool):
            raise ResultError((name,), "must be true or false")
        return value
    if name == "places" and value is None:
        return None
    if not isinstance(value, list | tuple):
        raise ResultError((name,), "must be a list")
    return tuple(_element(name, index, element) for index, element in enumerate(value))


def _element(name: str, index: int, value: Any) -> Any:
    path = (name, index)
    if name in _NUMBER_LISTS:
        return _number(path, value)
    if name == "versions" and value is None:
        return None
    if name != "faults":
        return _text(path, value)
    if not isinstance(value, Mapping):
        raise ResultError(path, "must be an object")
    return {_text(path, kind): _number((*path, kind), count) for kind, count in value.items()}


def _number(path: tuple[str | int, ...], value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ResultError(path, "must be a whole number, 0 or more")
    return value


def _text(path: tuple[str | int, ...], value: Any) -> str:
    if not isinstance(value, str):
        raise ResultError(path, "must be a string")
    return value


def counting(results: Iterable[MatchResult]) -> list[MatchResult]:
    """The results that standings, crosstable and ratings are made from, by match number.

    A void attempt does not count. Nor does any match of a block in which a match was cancelled: not every bot had every
    seat there, so luck does not cancel out. Raises ResultError if a match has two results that count.
    """
    every = list(results)
    broken = {result.block for result in every if result.status == "cancelled"}
    kept: dict[int, MatchResult] = {}
    for result in every:
        if not result.has_placing or result.block in broken:
            continue
        if result.match in kept:
            raise ResultError(("match",), f"match {result.match} has two results that count")
        kept[result.match] = result
    return [kept[number] for number in sorted(kept)]
