"""Exported tournaments that were really played, and changes to them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from service.archive.file import digest
from service.engine.record import digest as record_digest
from service.operations.context import Context
from service.operations.tournaments.export import export

Archive = dict[str, Any]
Change = Callable[[Archive], object]
Path = tuple[str | int, ...]


def exported(ctx: Context, tournament: str) -> Archive:
    """The file of a tournament that is over."""
    found: Archive = json.loads("".join(export(ctx, tournament)))
    return found


def changed(archive: Archive, change: Change, *, resealed: bool = False) -> Archive:
    """A copy with a change; `resealed`: with digests made anew, as somebody who forges it would."""
    copied = copy.deepcopy(archive)
    change(copied)
    if resealed:
        for entry in copied["matches"]:
            if entry["record"] is not None:
                entry["record"]["digest"] = record_digest(entry["record"])
        copied["digest"] = digest(copied)
    return copied


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """Where the values stand that hold no others."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path
        return
    for step, item in items:
        yield from leaves(item, (*path, step))


def other(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    return "something"


def at(value: Any, path: Path) -> Any:
    """What stands there."""
    for step in path:
        value = value[step]
    return value


def put(path: Path, value: object) -> Change:
    """A change of what stands there."""

    def change(archive: Archive) -> None:
        at(archive, path[:-1])[path[-1]] = value

    return change
