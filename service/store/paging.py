"""Lists, newest first: sorted sets whose scores are stamps, so that a cursor stays right while a list grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.errors import InvalidRequest
from service.store.clients import RedisClient


@dataclass(frozen=True, slots=True)
class Page:
    """A page of ids, newest first, and the cursor of the next page (opaque, None at the end)."""

    ids: tuple[str, ...]
    next: str | None


_MAX_DIGITS = 16


def scored(client: RedisClient, key: str, limit: int, cursor: str | None) -> tuple[list[str], str | None]:
    """A page of a sorted set's members, highest score first, and the cursor of the next (None at the end).

    Raises InvalidRequest for an invalid cursor.
    """
    found: Any = client.zrange(
        key, _upper(cursor), "-inf", desc=True, byscore=True, offset=0, num=limit + 1, withscores=True
    )
    members = [str(member) for member, _ in found[:limit]]
    more = len(found) > limit > 0
    return members, f"{int(found[limit - 1][1])}" if more else None


def page(client: RedisClient, key: str, limit: int, cursor: str | None) -> Page:
    """The same as a `Page` of ids."""
    ids, following = scored(client, key, limit, cursor)
    return Page(tuple(ids), following)


def _upper(cursor: str | None) -> str:
    if cursor is None:
        return "+inf"
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_DIGITS):
        raise InvalidRequest(("cursor",), "not a cursor that a list has given")
    return f"({cursor}"
