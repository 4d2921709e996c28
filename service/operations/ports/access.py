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


class IdempotencyStore(Protocol):
    """What is kept for those who repeat a creating call, by a name, for a limited time. Texts hold no colon but as
    `service.operations.idempotency` puts it."""

    def claim(self, name: str, claim: str, ttl_ms: int) -> str | None:
        """None: the name was free, and holds the claim now; else what is kept under it. Exactly one of many who claim
        at once gets None."""

    def keep(self, name: str, answer: str, ttl_ms: int) -> None:
        """Replaces the claim by the answer."""

    def release(self, name: str) -> None:
        """Frees the name."""
