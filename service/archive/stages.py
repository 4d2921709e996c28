"""The stages of a tournament in its file: read back, and each drawn again from what was played before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.archive.file import having
from service.engine.errors import InvalidInput, Path
from service.engine.json_checks import MAX_INTEGER, between, sequence, shown, string
from service.tournament.plan import Plan
from service.tournament.stages import Stage

_MEMBERS = ("round", "pools", "deals", "byes", "advance", "withdrawn")


def read_stages(value: object, plan: Plan) -> tuple[Stage, ...]:
    """Stages that the matches can be numbered by. Whether they are those that should have been drawn is not checked.
    Raises InvalidInput with paths from `stages` on."""
    listed = sequence(value, ("stages",))
    if listed and not plan.is_staged:
        raise InvalidInput(("stages",), f"must be empty: a {plan.format} has none")
    return tuple(_stage(item, plan, ("stages", number)) for number, item in enumerate(listed))


def _stage(value: object, plan: Plan, path: Path) -> Stage:
    found = having(value, path, _MEMBERS)
    pools = tuple(
        _names(pool, plan, (*path, "pools", index)) for index, pool in enumerate(sequence(found["pools"], path))
    )
    for index, pool in enumerate(pools):
        if len(pool) < plan.players:
            raise InvalidInput((*path, "pools", index), f"has {len(pool)} entrants, but a match has {plan.players}")
    return Stage(
        round=between(found["round"], (*path, "round"), 1, MAX_INTEGER),
        pools=pools,
        deals=between(found["deals"], (*path, "deals"), 1, MAX_INTEGER),
        byes=_names(found["byes"], plan, (*path, "byes")),
        advance=_counts(found["advance"], (*path, "advance")),
        withdrawn=_names(found["withdrawn"], plan, (*path, "withdrawn")),
    )


def _names(value: object, plan: Plan, path: Path) -> tuple[str, ...]:
    names = tuple(string(item, (*path, i)) for i, item in enumerate(sequence(value, path)))
    entered: set[Any] = set(plan.entrants)
    for i, name in enumerate(names):
        if name not in entered:
            raise InvalidInput((*path, i), f"{shown(name)} is not one of the entrants, or is listed twice")
        entered.discard(name)
    return names


def _counts(value: object, path: Path) -> tuple[int, ...]:
    listed: Sequence[object] = sequence(value, path)
    return tuple(between(item, (*path, i), 0, MAX_INTEGER) for i, item in enumerate(listed))
