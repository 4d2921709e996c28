"""Names in requests (PROTOCOL "Conventions")."""

from __future__ import annotations

from service import names
from service.errors import InvalidRequest


def check_name(name: str | None, *path: str | int) -> str | None:
    """The name of a player, game, tournament or bot, or None. Raises InvalidRequest at `path`, by default `name`."""
    try:
        return None if name is None else names.check_name(name)
    except names.NameRefused as error:
        raise InvalidRequest(path or ("name",), f"A name {error.reason}.") from None
