"""Entries of a game's log: what they are, and their compact form in the store.

The log is the truth of a game. Each entry raises the game's version by one. An entry is written as a JSON array whose
first member is its letter and whose second is its time in milliseconds since the game was created:

=====  ==========  =================================================================
`j`    joined      seat, name, id of the bot or null, its version or null
`b`    started
`a`    settled     decision id, content, `p` player or `d` default, fault or null, elapsed ms or null,
                   and the player's comment, if there was one
`n`    refused     decision id, fault, reason, elapsed ms
`r`    resigned    seats, reason
`f`    finished
`x`    aborted
=====  ==========  =================================================================

The content of a settled action leaves out what its decision id says already: `[big, little]` or `[big, little, jack]`,
`{"s03": 2}` for a load or an unload, the worker or null for an offer of Lazy Jack.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from service.engine.actions import Action, Decline, Hire, Load, Play, Unload, action_to_json, parse_action


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody took a seat."""

    at_ms: int
    seat: int
    name: str
    bot: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """The last seat was taken."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Settled:
    """A decision was settled, by its player or by default."""

    at_ms: int
    decision: str
    action: Action
    by: str
    fault: str | None
    elapsed_ms: int | None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerRefused:
    """An answer was no legal action, and its bot may try again (PROTOCOL "Attempts"). `elapsed_ms`: since the decision
    was put to the bot for the first time."""

    at_ms: int
    decision: str
    fault: str
    reason: str
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class Resigned:
    """Seats resigned, forfeited or were withdrawn, all at once."""

    at_ms: int
    seats: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The game is over."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Aborted:
    """The game was broken off."""

    at_ms: int


Entry = Joined | Started | Settled | AnswerRefused | Resigned | Finished | Aborted

_BY_LETTER = {"p": "player", "d": "default"}
_LETTER_OF = {word: letter for letter, word in _BY_LETTER.items()}


def seat_of(decision: str) -> int:
    """The seat that a decision id names (PROTOCOL "Decisions and answers": `<round>.<type>.<seat>.<n>`)."""
    return int(decision.split(".")[2])


def type_of(decision: str) -> str:
    """The type that a decision id names."""
    return decision.split(".")[1]


def _content(action: Action) -> Any:
    match action:
        case Play(big, little, None):
            return [big, little]
        case Play(big, little, jack):
            return [big, little, jack]
        case Load() | Unload():
            return action_to_json(action)["ships"]
        case Hire(worker):
            return worker
        case Decline():
            return None


def _action(kind: str, content: Any) -> Action:
    wire: dict[str, Any]
    if kind == "hire":
        wire = {"type": "decline"} if content is None else {"type": "hire", "worker": content}
    elif kind == "play":
        wire = {"type": "play", **dict(zip(("big", "little", "jack"), content, strict=False))}
    else:
        wire = {"type": kind, "ships": content}
    return parse_action(wire)


def encode(entry: Entry) -> str:
    """The entry's line in the store."""
    row: list[Any]
    match entry:
        case Joined(at, seat, name, bot, version):
            row = ["j", at, seat, name, bot, version]
        case Started(at):
            row = ["b", at]
        case Settled(at, decision, action, by, fault, elapsed, comment):
            row = ["a", at, decision, _content(action), _LETTER_OF[by], fault, elapsed]
            row += [] if comment is None else [comment]
        case AnswerRefused(at, decision, fault, reason, elapsed):
            row = ["n", at, decision, fault, reason, elapsed]
        case Resigned(at, seats, reason):
            row = ["r", at, list(seats), reason]
        case Finished(at):
            row = ["f", at]
        case Aborted(at):
            row = ["x", at]
    return msgspec.json.encode(row).decode()


def decode(line: str) -> Entry:
    """The entry of a line. Raises ValueError for an invalid line: the store is damaged."""
    match json.loads(line):
        case ["a", at, decision, content, by, fault, elapsed, *comment]:
            action = _action(type_of(decision), content)
            return Settled(at, decision, action, _BY_LETTER[by], fault, elapsed, *comment)
        case ["j", at, seat, name, bot, version]:
            return Joined(at, seat, name, bot, version)
        case ["b", at]:
            return Started(at)
        case ["n", at, decision, fault, reason, elapsed]:
            return AnswerRefused(at, decision, fault, reason, elapsed)
        case ["r", at, seats, reason]:
            return Resigned(at, tuple(seats), reason)
        case ["f", at]:
            return Finished(at)
        case ["x", at]:
            return Aborted(at)
    raise ValueError(f"not an entry of a game's log: {line[:80]}")
