"""The log of a ladder's season in its file: read back, and each of its choices computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from service.archive.file import having
from service.engine.errors import InvalidInput, Path
from service.engine.json_checks import MAX_INTEGER, between, one_of, sequence, shown, string
from service.tournament.ladder import LogError, Season, SeasonError, check_log
from service.tournament.results import MatchResult

FORMAT = "ladder"
_MEMBERS = {
    "entered": ("entrant", "bot", "version", "reference"),
    "version": ("entrant", "version"),
    "away": ("entrant", "reason"),
    "back": ("entrant",),
    "started": ("block", "entrants", "busy"),
    "finished": ("block", "won"),
}


def read_season(value: object, format_: str, players: int) -> Season | None:
    """The season that the log tells; None for a tournament of another format. Whether its blocks are those that had to
    be played is not checked. Raises InvalidInput with paths from `log` on."""
    listed = sequence(value, ("log",))
    if format_ != FORMAT:
        if listed:
            raise InvalidInput(("log",), f"must be empty: a {format_} has none")
        return None
    season = Season(players)
    for i, entry in enumerate(listed):
        here: Path = ("log", i)
        try:
            season.add(_entry(entry, players, here))
        except SeasonError as error:
            raise InvalidInput((*here, error.member), error.reason) from None
    return season


def _entry(value: object, players: int, path: Path) -> Mapping[str, Any]:
    """An entry whose members have their types."""
    kind = one_of(having(value, path, ("type", "at"))["type"], (*path, "type"), _MEMBERS)
    found = having(value, path, _MEMBERS[kind])
    between(found["at"], (*path, "at"), 0, MAX_INTEGER)
    for name in _MEMBERS[kind]:
        _CHECKS[name](found[name], players, (*path, name))
    return found


def _text(value: object, players: int, path: Path) -> None:
    string(value, path)


def _text_or_null(value: object, players: int, path: Path) -> None:
    if value is not None:
        string(value, path)


def _number(value: object, players: int, path: Path) -> None:
    between(value, path, 0, MAX_INTEGER)


def _flag(value: object, players: int, path: Path) -> None:
    if not isinstance(value, bool):
        raise InvalidInput(path, f"must be true or false, not {shown(value)}")


def _names(value: object, players: int, path: Path) -> None:
    for i, name in enumerate(sequence(value, path)):
        string(name, (*path, i))


def _members_of_block(value: object, players: int, path: Path) -> None:
    _names(value, players, path)
    names = sequence(value, path)
    if len(names) != players or len({str(name) for name in names}) != players:
        raise InvalidInput(path, f"must be {players} different names")


def _won(value: object, players: int, path: Path) -> None:
    if value is None:
        return
    rows = [sequence(row, (*path, i)) for i, row in enumerate(sequence(value, path))]
    if len(rows) != players or any(len(row) != players for row in rows):
        raise InvalidInput(path, f"must be {players} lists of {players} numbers")
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            between(cell, (*path, i, j), 0, MAX_INTEGER)


_CHECKS: Mapping[str, Callable[[object, int, Path], None]] = {
    "entrant": _text,
    "bot": _text,
    "reason": _text,
    "version": _text_or_null,
    "block": _number,
    "reference": _flag,
    "busy": _names,
    "entrants": _members_of_block,
    "won": _won,
}


def check_season(log: Sequence[Mapping[str, Any]], players: int, seed: str, results: Sequence[MatchResult]) -> None:
    """Each block follows from the log before it and the seed, and came to what its matches say. Raises InvalidInput."""
    by_block: dict[int, list[MatchResult]] = defaultdict(list)
    for result in results:
        if result.status != "void":
            by_block[result.block].append(result)
    try:
        check_log(players, seed, log, by_block)
    except LogError as error:
        raise InvalidInput(("log", error.index, error.member), error.reason) from None
