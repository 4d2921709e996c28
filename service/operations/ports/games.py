"""What the store keeps of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from service.operations.ports.callbacks import Callback
from service.operations.ports.coordination import Lease
from service.operations.ports.paging import Page


class VersionMoved(Exception):
    """Somebody else appended first. `row`: the game as it stands, with the entries after the version expected."""

    def __init__(self, row: GameRow) -> None:
        super().__init__(f"the version was followed by somebody else's entry: it is {row.version} now")
        self.row = row


@dataclass(frozen=True, slots=True)
class Effects:
    """What an append changes besides the log, in the same atomic step. All of it is derived from the log (hints)."""

    status: str
    """`open`, `running`, `finished` or `aborted`, for the list of public games and for retention."""
    deadline_in_ms: int | None = None
    """A new deadline, from now, in service time; None: none. Ignored with `keep_deadline`."""
    keep_deadline: bool = False
    poll_bots: Mapping[str, bool] = field(default_factory=dict)
    """Poll bots whose set of waiting decisions this append changes: bot id -> whether the game waits for it now."""
    push_seats: tuple[int, ...] = ()
    """Seats of push bots that are to be called now: they owe a decision of a casual game, or are to hear of its end.
    Replaces the game's earlier ones."""
    bots: tuple[str, ...] = ()
    """All bots that have a seat: the game is in each one's list until it is over, and in its list of ended games for
    ten minutes after."""
    callbacks: tuple[Callback, ...] = ()
    """What the game's callback URL is to be told; waits in the store of callbacks."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision that was put to a poll bot: when (wall), with which budget and bank."""

    at_ms: int
    budget_ms: int
    bank_ms: int


@dataclass(frozen=True, slots=True)
class GameRow:
    """One atomic read of a game."""

    meta: str
    """The JSON document written at creation; never changes."""
    tokens: Mapping[str, str]
    """SHA-256 hex digests by holder: `0`..`3` for seats, `creator`."""
    version: int
    entries: tuple[str, ...]
    """The entries of the log after the version asked for."""
    asked: Mapping[str, Asked]
    """By decision id; only of decisions still open."""
    deadline_ms: int | None
    """Service time."""
    clock_ms: int
    """Service time now."""
    time_ms: int
    """Wall time now, by the store's clock."""


class GameLists(Protocol):
    """Which games there are of a kind. All of it is derived from the games, which are the truth."""

    def public(self, status: str | None, limit: int, cursor: str | None) -> Page:
        """Public games, newest first. Raises InvalidRequest for a cursor that is none."""

    def overdue(self, limit: int) -> list[str]:
        """Games whose deadline has passed in service time."""

    def idle(self, older_than_ms: int, limit: int) -> list[str]:
        """Casual games open or running whose last append is older than that, in service time."""

    def expired(self, older_than_ms: int, limit: int) -> list[str]:
        """Casual games that have been over for longer than that, in service time."""

    def unplayed_turns(self, older_than_ms: int, limit: int) -> list[tuple[str, int]]:
        """(game, seat) of push bots that have been to be called for longer than that, in service time."""

    def drop_turn(self, game: str, seat: int) -> None:
        """The seat's bot needs no call any more."""

    def games_of(self, bot: str) -> list[str]:
        """Games not over in which the bot has a seat: a hint."""

    def ended_of(self, bot: str, within_ms: int) -> list[str]:
        """Games with a seat of the bot that ended less than so long ago (wall time), at most ten minutes."""

    def waiting_for(self, bot: str) -> list[str]:
        """Games that wait for a poll bot: a hint, the games are the truth."""


class GameStore(GameLists, Protocol):
    """Games as append-only logs."""

    def create(
        self,
        game: str,
        *,
        meta: str,
        tokens: Mapping[str, str],
        entries: Sequence[str],
        effects: Effects,
        public: bool,
        match: bool,
    ) -> bool:
        """Writes a new game. False, and nothing is written, when the id is in use. A match's game has no idleness,
        retention or deadline of its own: its tournament has."""

    def read(self, game: str, since: int = 0) -> GameRow | None:
        """One round trip. None: no such game."""

    def append(
        self,
        game: str,
        expected: int,
        entries: Sequence[str],
        *,
        effects: Effects,
        tokens: Mapping[str, str] | None = None,
        lease: Lease | None = None,
    ) -> int:
        """Appends after version `expected`, publishes the news, returns the new version.

        Raises VersionMoved, NotFound (the game is gone), LeaseLost (the lease has run out or is another's now)."""

    def compress(self, game: str) -> bool:
        """Makes the log of a game that is over small; all reads are as before. False: it is not over, or was small
        already."""

    def publish_ask(self, game: str, decision: str, bot: str, asked_budget_ms: int, bank_ms: int) -> Asked:
        """Puts a decision of a match to a poll bot and wakes it. Repeating it starts the time anew."""

    def withdraw_ask(self, game: str, decision: str, bot: str) -> None:
        """The decision is settled: it leaves the bot's waiting set."""

    def has_heard(self, game: str, seat: int) -> bool:
        """Whether the push bot at a seat of a casual game has been told of the start."""

    def note_heard(self, game: str, seat: int) -> None:
        """The push bot at the seat has been told of the start. Nothing happens when the game is gone."""

    def remove(self, game: str) -> None:
        """Removes every key of the game and every hint that names it."""
