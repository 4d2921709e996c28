"""Callbacks that have not been delivered yet, each in a slot of its own. They are independent of their games and
tournaments: the end of a game that is removed meanwhile is still delivered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.store import keys, secrets
from service.store.clients import RedisClient, pairs, script
from service.store.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Callback:
    """News for a callback URL. The store adds the version that the change makes."""

    type: str
    """`game.started`, `game.turn`, `game.ended`, `tournament.started` or `tournament.ended`."""
    subject: str
    """The id of the game or the tournament."""
    url: str
    secret: str
    at_ms: int
    """When it happened (wall, ms)."""
    due: tuple[int, ...] = ()
    """The seats that have an open decision."""

    @property
    def slot(self) -> str:
        """Where it waits. A later one of the same slot takes its place."""
        return f"{self.type}:{self.subject}"

    @property
    def outdates(self) -> str | None:
        """The slot of the callback that need not be delivered once this has happened."""
        return f"game.turn:{self.subject}" if self.type == "game.ended" else None


@dataclass(frozen=True, slots=True)
class Pending:
    """A callback that is to be sent now.

    failures  how often in a row this slot could not be delivered
    secrets   those that took the place of the callback's own secret, if it was ever replaced
    read_ms   when it was read, by Redis' clock
    """

    callback: Callback
    version: int
    failures: int
    secrets: Secrets = ()
    read_ms: int = field(default=0, compare=False)


_NONE = "-"


class CallbackStore:
    """A slot that is due is taken by one worker at a time, until it is delivered or given up."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._older = script(client, "older", writes=False)
        self._take = script(client, "callback_take")
        self._hold = script(client, "callback_hold")
        self._delivered = script(client, "callback_delivered")
        self._failed = script(client, "callback_failed")
        self._change_secrets = script(client, "callback_secrets")

    def is_due(self) -> bool:
        """Whether any callback is to be sent now."""
        return bool(self._older([keys.CALLBACKS, keys.CLOCK], [0, "", 1]))

    def take(self, limit: int, ms: int) -> list[tuple[str, str]]:
        """(slot, URL) of callbacks that are to be sent now, longest overdue first. No one else gets them for `ms`."""
        found: Any = self._take([keys.CALLBACKS, keys.CLOCK], [limit, ms])
        return list(pairs(found))

    def hold(self, slot: str, ms: int) -> Pending | None:
        """The callback that waits in the slot, held for `ms` from now. None: there is none."""
        kind, _, subject = slot.partition(":")
        found: Any = self._hold([*_keys(slot), keys.callback_secrets(subject)], [slot, ms])
        version, url, secret, at_ms, due, failures, replaced, read_ms = found
        if version is None:
            return None
        seats = () if due == _NONE else tuple(int(seat) for seat in due.split(","))
        callback = Callback(kind, subject, url, secret, int(at_ms), seats)
        return Pending(callback, int(version), int(failures or 0), _secrets(replaced), int(read_ms))

    def change_secrets(self, subject: str, edit: Callable[[Secrets, int], Secrets]) -> Secrets:
        """Changes the secrets with which all callbacks of a game or tournament are signed from now on. `edit` gets
        those that took the place of the first one (none while it was not replaced) and Redis' clock (ms). It is called
        again when somebody else has changed them meanwhile. Returns the changed secrets."""
        key = keys.callback_secrets(subject)
        while True:
            with self._client.pipeline(transaction=False) as pipe:
                pipe.get(key)
                pipe.time()
                text, (seconds, microseconds) = pipe.execute()
            changed = edit(_secrets(text), seconds * 1000 + microseconds // 1000)
            if self._change_secrets([key], [text or "", secrets.dump(changed)]):
                return changed

    def delivered(self, slot: str, version: int) -> None:
        """That version was delivered, or is given up. A newer one that took its place meanwhile is due now."""
        self._delivered(_keys(slot), [slot, version])

    def failed(self, slot: str, pause_ms: int) -> None:
        """It could not be delivered; it is due again after the pause."""
        self._failed(_keys(slot), [slot, pause_ms])


def _keys(slot: str) -> list[str]:
    return [keys.CALLBACKS, keys.CLOCK, keys.callback(slot)]


def _secrets(text: str | None) -> Secrets:
    return () if text is None else secrets.load(text)


def written(callbacks: Sequence[Callback]) -> str:
    """Callbacks as the scripts take them. Raises ValueError for a URL with white space: it would not be read back."""
    return "".join(f"{' '.join(_words(callback))}\n" for callback in callbacks)


def _words(callback: Callback) -> list[str]:
    due = ",".join(str(seat) for seat in callback.due)
    outdated = callback.outdates
    words = [callback.slot, callback.url, callback.secret, str(callback.at_ms), due or _NONE, outdated or _NONE]
    if any(not word or any(character.isspace() for character in word) for word in words):
        raise ValueError("no part of a callback may be empty or have white space in it")
    return words
