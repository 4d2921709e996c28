"""What the store keeps of those who call: keys, and answers for those who repeat a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from service.operations.ports.paging import Page


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the API. `role`: organiser, author or creator."""

    id: str
    role: str
    name: str
    token_hash: str
    created_ms: int


class KeyStore(Protocol):
    """Keys of organisers, authors and creators."""

    def create(self, key: Key) -> None: ...

    def read(self, key: str) -> Key | None: ...

    def revoke(self, key: str) -> bool: ...

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for a cursor that is none."""


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


class IdempotencyStore(Protocol):
    """What is kept for those who repeat a creating call, by a name, for a limited time."""

    def claim(self, name: str, fingerprint: str, salt: str, *, lease_ms: int, kept_ms: int) -> Turn | Kept:
        """Exactly one of many who claim at once gets a turn. Another one is given, with the salt of the first, to who
        comes with the same fingerprint once the lease has run out without an answer."""

    def keep(self, name: str, fingerprint: str, answer: str, kept_ms: int) -> None:
        """Puts the answer in the place of the claim. An answer that is there stands."""

    def let_go(self, name: str, number: int) -> None:
        """Ends the lease of an attempt: the next one may begin. Nothing, where that has happened already."""

    def forget(self, name: str, number: int) -> None:
        """Frees the name, whose salt is gone. Nothing, where another attempt has begun."""
