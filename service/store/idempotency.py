"""Creating calls that can be repeated: whose turn it is, what their chance is made from, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.store import keys
from service.store.clients import RedisClient, script


@dataclass(frozen=True, slots=True)
class Turn:
    """The claim of a creating call that is to do what it asks for.

    number  which attempt it is, from 1; of two, the later one has the larger
    salt    what chance is made from, the same for every attempt
    """

    number: int
    salt: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What a creating call finds that is not to do anything. `answer` None: an earlier attempt is still at work."""

    fingerprint: str
    answer: str | None


class IdempotencyStore:
    """What is kept is one hash that expires: the claim, or the answer."""

    def __init__(self, client: RedisClient) -> None:
        self._claim = script(client, "once_claim")
        self._keep = script(client, "once_keep")
        self._end = script(client, "once_end")

    def claim(self, name: str, fingerprint: str, salt: str, *, lease_ms: int, kept_ms: int) -> Turn | Kept:
        """Exactly one of many who claim at once gets a turn. Another one is given, with the salt of the first, to who
        comes with the same fingerprint once the lease has run out without an answer."""
        found: Any = self._claim([keys.idempotent(name)], [fingerprint, salt, lease_ms, kept_ms])
        number, text, *answer = found
        return Turn(number, text) if number else Kept(text, answer[0] if answer else None)

    def keep(self, name: str, fingerprint: str, answer: str, kept_ms: int) -> None:
        """Puts the answer in the place of the claim. An answer that is there stands."""
        self._keep([keys.idempotent(name)], [fingerprint, answer, kept_ms])

    def let_go(self, name: str, number: int) -> None:
        """Ends the lease of an attempt: the next one may begin. Nothing, where that has happened already."""
        self._end([keys.idempotent(name)], [number, ""])

    def forget(self, name: str, number: int) -> None:
        """Frees the name, whose salt is gone. Nothing, where another attempt has begun."""
        self._end([keys.idempotent(name)], [number, "1"])
