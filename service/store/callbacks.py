"""Callbacks that have not been told yet, each in a slot of its own. They are independent of the games and tournaments
that they tell of: one that is removed meanwhile still has its end told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.store import keys
from service.store.clients import Client, pairs, script


@dataclass(frozen=True, slots=True)
class Callback:
    """Something that a callback URL is to be told. The store adds the version that the change makes."""

    type: str
    """`game.started`, `game.turn`, `game.ended`, `tournament.started` or `tournament.ended`."""
    subject: str
    """The id of the game or the tournament."""
    url: str
    secret: str
    at_ms: int
    """When it happened (wall)."""
    due: tuple[int, ...] = ()
    """The seats that owe a decision."""

    @property
    def slot(self) -> str:
        """Where it waits; what is written there later takes its place."""
        return f"{self.type}:{self.subject}"

    @property
    def outdates(self) -> str | None:
        """The slot of what need not be told any more once this has happened."""
        return f"game.turn:{self.subject}" if self.type == "game.ended" else None


Secrets = tuple[tuple[str, int | None], ...]
"""(secret, wall time until which it is valid or None), newest first."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A callback that is to be sent now. `failures`: how often this slot could not be told since it last was;
    `secrets`: those that took the place of the callback's own, if it was ever replaced."""

    callback: Callback
    version: int
    failures: int
    secrets: Secrets = ()


_NONE = "-"


class CallbackStore:
    """"""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._older = script(client, "older")
        self._take = script(client, "callback_take")
        self._hold = script(client, "callback_hold")
        self._told = script(client, "callback_told")
        self._failed = script(client, "callback_failed")

    def is_due(self) -> bool:
        """Whether any callback is to be sent now."""
        return bool(self._older([keys.CALLBACKS, keys.CLOCK], [0, "", 1]))

    def take(self, limit: int, ms: int) -> list[tuple[str, str]]:
        """(slot, URL) of callbacks that are to be sent now, the longest overdue first; nobody else gets them for so
        long."""
        found: Any = self._take([keys.CALLBACKS, keys.CLOCK], [limit, ms])
        return list(pairs(found))

    def hold(self, slot: str, ms: int) -> Pending | None:
        """What the slot has to tell now, held for so long from now. None: nothing."""
        kind, _, subject = slot.partition(":")
        found: Any = self._hold([keys.CALLBACKS, keys.CLOCK, keys.callback_secrets(subject)], [slot, ms])
        version, url, secret, at_ms, due, failures, replaced = found
        if version is None:
            return None
        seats = () if due == _NONE else tuple(int(seat) for seat in due.split(","))
        callback = Callback(kind, subject, url, secret, int(at_ms), seats)
        return Pending(callback, int(version), int(failures or 0), _secrets(replaced))

    def secrets(self, subject: str) -> Secrets:
        """Those that took the place of the first secret of a game or tournament; none while it was never replaced."""
        found: Any = self._client.get(keys.callback_secrets(subject))
        return _secrets(found)

    def replace_secrets(self, subject: str, secrets: Secrets) -> None:
        """From now on, all that is told of the game or tournament is signed with these."""
        self._client.set(keys.callback_secrets(subject), json.dumps(secrets, separators=(",", ":")))

    def told(self, slot: str, version: int) -> None:
        """It was told, or is given up. What took its place meanwhile is due now."""
        self._told([keys.CALLBACKS, keys.CLOCK], [slot, version])

    def failed(self, slot: str, pause_ms: int) -> None:
        """It could not be told; it is due again after the pause."""
        self._failed([keys.CALLBACKS, keys.CLOCK], [slot, pause_ms])


def _secrets(text: str | None) -> Secrets:
    return () if text is None else tuple((secret, until) for secret, until in json.loads(text))


def written(callbacks: Sequence[Callback]) -> str:
    """Callbacks as the scripts take them. Raises ValueError for a URL with white space: it would not be read back."""
    return "".join(f"{' '.join(_words(callback))}\n" for callback in callbacks)


def _words(callback: Callback) -> list[str]:
    due = ",".join(str(seat) for seat in callback.due)
    outdated = callback.outdates
    words = [callback.slot, callback.url, callback.secret, str(callback.at_ms), due or _NONE, outdated or _NONE]
    if any(not word or any(character.isspace() for character in word) for word in words):
        raise ValueError("no part of a callback is empty or has white space in it")
    return words
