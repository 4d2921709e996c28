"""What the store keeps of bots, and of checks on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from service.operations.ports.paging import Page


@dataclass(frozen=True, slots=True)
class Bot:
    """A registered bot. `secrets`: (secret, wall time until which it is valid or None), newest first."""

    id: str
    name: str
    kind: str
    url: str | None
    casual: bool
    max_games: int
    owner: str
    created_ms: int
    token_hash: str
    secrets: tuple[tuple[str, int | None], ...]
    version: str | None = None
    last_poll_ms: int | None = None
    absence: str | None = None
    """JSON document about the last match that it did not come up for."""


class BotStore(Protocol):
    """Registered bots, unique by name."""

    def create(self, bot: Bot) -> bool:
        """False, and nothing is written, when the name is taken."""

    def read(self, bot: str) -> Bot | None: ...

    def find(self, name: str) -> Bot | None:
        """By name."""

    def many(self, bots: Sequence[str]) -> list[Bot | None]: ...

    def update(self, bot: Bot) -> bool:
        """Replaces all but id, name, created_ms and absence. False: no such bot."""

    def delete(self, bot: str) -> bool:
        """Frees the name; removes its faults and hints."""

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for a cursor that is none."""

    def set_version(self, bot: str, version: str | None) -> None:
        """Notes the version that a push bot has just told; nothing else of the bot changes."""

    def note_absence(self, bot: str, absence: str) -> None:
        """Keeps a JSON document about the last match that the bot did not come up for; nothing else of it changes."""

    def polled(self, bot: str, version: str | None) -> None:
        """Notes that a poll bot has just polled (wall time), and its version if it said one."""

    def add_fault(self, bot: str, fault: str) -> None:
        """Prepends a JSON document to the bot's ledger; the newest 1,000 are kept."""

    def faults(self, bot: str, limit: int, cursor: str | None) -> tuple[list[str], str | None]: ...


class CheckStore(Protocol):
    """Conformance checks: of each bot the latest one, for a while."""

    def begin(self, bot: str, check: str, doc: str, ttl_ms: int) -> str:
        """Writes the document of a new check, unless one is running: the check (its id) that runs now. A check
        whose time is up is forgotten. Raises NotFound (no such bot)."""

    def end(self, bot: str, check: str, doc: str, ttl_ms: int) -> bool:
        """Replaces the document of a check that is running, and wakes who waits for the topic of the bot. False: it is
        the latest one no more."""

    def latest(self, bot: str) -> tuple[str, str] | None:
        """The latest check and its document."""
