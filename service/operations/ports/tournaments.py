"""What the store keeps of tournaments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from service.operations.ports.callbacks import Callback
from service.operations.ports.paging import Page


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """One atomic read of a tournament, without its results."""

    doc: str
    """The JSON document written at creation; never changes."""
    status: str
    """`running`, `paused`, `finished`, `cancelled` or `failed`."""
    reason: str | None
    results: int
    """How many matches have a result."""
    cancelled: int
    """How many of them were cancelled, not played to their end."""
    blocks_done: int
    withdrawn: tuple[str, ...]
    """Ids of withdrawn bots."""
    version: int
    """Counts the events."""


class BlockStore(Protocol):
    """Which blocks of tournaments are done, which are handed out, and how quick the bots are."""

    def done(self, tournament: str) -> set[int]:
        """Numbers of the blocks that are done."""

    def done_of(self, tournament: str, blocks: Sequence[int]) -> set[int]:
        """Which of these blocks are done; costs as much as there are of these."""

    def finish_block(self, tournament: str, block: int) -> None: ...

    def note_failure(self, tournament: str, block: int) -> int:
        """Counts a block's failures by a defect of ours; returns the count."""

    def activate(self, tournament: str, block: int) -> None:
        """Marks a block as handed out now (service time). Again: anew."""

    def deactivate(self, tournament: str, block: int) -> None: ...

    def active(self) -> list[tuple[str, int, int]]:
        """(tournament, block, handed out at, service time) of all blocks handed out and not done."""

    def note_pace(self, tournament: str, answers: Mapping[str, tuple[int, int]]) -> None:
        """Adds answers of bots (ids): how many there were, and the ms that they took together. A hint; nothing happens
        when there is no such tournament."""

    def paces(self, tournament: str) -> dict[str, float]:
        """By the id of each bot that was asked: ms that an answer took on average, of the latest hundred or so."""


class RemovalStore(Protocol):
    """Tournaments that were removed: gone for all who read, until everything of them is."""

    def mark_removed(self, tournament: str) -> bool:
        """From now on there is no such tournament for all who read. False: there is none, or it is not over."""

    def removed(self) -> list[tuple[str, str]]:
        """(tournament, document) of those that were removed and are not forgotten yet."""

    def forget(self, tournament: str, blocks: int) -> None:
        """Deletes all that is kept of a removed tournament but its games. `blocks`: how many it has."""


class TournamentStore(BlockStore, RemovalStore, Protocol):
    """Tournaments: a document, a status, results written once, events."""

    def create(
        self, tournament: str, doc: str, bots: Sequence[str], event: str, callback: Callback | None = None
    ) -> None:
        """Written as running. `bots`: ids of the entrants. `callback`: what its callback URL is to be told of it."""

    def read(self, tournament: str) -> TournamentRow | None: ...

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for a cursor that is none."""

    def playing(self, bot: str) -> list[str]:
        """Tournaments running or paused that have the bot among their entrants."""

    def running(self) -> list[str]:
        """Ids of tournaments that are running, oldest first."""

    def move(
        self,
        tournament: str,
        sources: Sequence[str],
        target: str,
        *,
        event: str,
        reason: str | None = None,
        callback: Callback | None = None,
    ) -> bool:
        """Changes the status if it is one of `sources`; writes the event in the same step. False otherwise."""

    def put_result(self, tournament: str, match: int, result: str, event: str, *, cancelled: bool = False) -> bool:
        """Written once: False, and nothing changes, when the match has a result or the tournament is over. `cancelled`:
        it was not played to its end."""

    def results(self, tournament: str, matches: Sequence[int] | None = None) -> dict[int, str]:
        """All results, or those of some matches."""

    def put_void(self, tournament: str, match: int, result: str, event: str) -> bool:
        """Notes that a match is void and played again, with what its first attempt came to (status `void`). Written
        once a match: False, and nothing changes, when the match has been void before or the tournament is over. Counts
        for nothing; `results` does not have it."""

    def voids(self, tournament: str, matches: Sequence[int] | None = None) -> list[str]:
        """What the void attempts came to, of all matches or of some, in the order of their numbers."""

    def withdraw(self, tournament: str, bot: str, event: str) -> bool:
        """False: withdrawn before."""

    def events(self, tournament: str, after: int, limit: int) -> list[tuple[int, str]]:
        """(n, JSON document), n from 1, dense."""
