"""The interface that the store fulfils. Use cases know these protocols and plain rows, never Redis.

Times: `*_ms` are integers in milliseconds. *Wall* time is Unix time. *Service* time is a counter of its own that stands
still while Redis or the steward is down, so that no clock of a player runs through our own outage; deadlines, idleness
and retention are in service time.

Every method may raise `Unavailable` when the store cannot be reached. A write that raised it may or may not have
happened; every write here can be repeated safely (it carries the version it follows, or is written once).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from service.operations.callback_port import Callback


class VersionMoved(Exception):
    """Somebody else appended first. `row`: the game as it stands, with the entries after the version expected."""

    def __init__(self, row: GameRow) -> None:
        super().__init__(f"the version was followed by somebody else's entry: it is {row.version} now")
        self.row = row


class LeaseLost(Exception):
    """The writer's lease is another's now. Stop at once."""


# --- games ---------------------------------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class Page:
    """A page of ids, newest first, and the cursor of the next page (opaque, None at the end)."""

    ids: tuple[str, ...]
    next: str | None


class GameStore(Protocol):
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

    def remove(self, game: str) -> None:
        """Removes every key of the game and every hint that names it."""

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


# --- bots, keys ----------------------------------------------------------------------------------------------------


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


class BotStore(Protocol):
    """Registered bots, unique by name."""

    def create(self, bot: Bot) -> bool:
        """False, and nothing is written, when the name is taken."""

    def read(self, bot: str) -> Bot | None: ...

    def find(self, name: str) -> Bot | None:
        """By name."""

    def many(self, bots: Sequence[str]) -> list[Bot | None]: ...

    def update(self, bot: Bot) -> bool:
        """Replaces all but id, name and created_ms. False: no such bot."""

    def delete(self, bot: str) -> bool:
        """Frees the name; removes its faults and hints."""

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for a cursor that is none."""

    def set_version(self, bot: str, version: str | None) -> None:
        """Notes the version that a push bot has just told; nothing else of the bot changes."""

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


# --- tournaments ---------------------------------------------------------------------------------------------------


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
    blocks_done: int
    withdrawn: tuple[str, ...]
    """Ids of withdrawn bots."""
    version: int
    """Counts the events."""


class TournamentStore(Protocol):
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

    def put_result(self, tournament: str, match: int, result: str, event: str) -> bool:
        """Written once: False, and nothing changes, when the match has a result."""

    def results(self, tournament: str, matches: Sequence[int] | None = None) -> dict[int, str]:
        """All results, or those of some matches."""

    def put_void(self, tournament: str, match: int, result: str, event: str) -> bool:
        """Notes that a match is void and played again, with what its first attempt came to (status `void`). Written
        once a match: False, and nothing changes, when the match has been void before. Counts for nothing; `results`
        does not have it."""

    def voids(self, tournament: str, matches: Sequence[int] | None = None) -> list[str]:
        """What the void attempts came to, of all matches or of some, in the order of their numbers."""

    def done(self, tournament: str) -> set[int]:
        """Numbers of the blocks that are done."""

    def done_of(self, tournament: str, blocks: Sequence[int]) -> set[int]:
        """Which of these blocks are done; costs as much as there are of these."""

    def finish_block(self, tournament: str, block: int) -> None: ...

    def withdraw(self, tournament: str, bot: str, event: str) -> bool:
        """False: withdrawn before."""

    def note_failure(self, tournament: str, block: int) -> int:
        """Counts a block's failures by a defect of ours; returns the count."""

    def events(self, tournament: str, after: int, limit: int) -> list[tuple[int, str]]:
        """(n, JSON document), n from 1, dense."""

    def activate(self, tournament: str, block: int) -> None:
        """Marks a block as handed out now (service time). Again: anew."""

    def deactivate(self, tournament: str, block: int) -> None: ...

    def active(self) -> list[tuple[str, int, int]]:
        """(tournament, block, handed out at, service time) of all blocks handed out and not done."""


# --- coordination --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lease:
    """A right that ends by itself. Epochs grow: of two holders the later one has the larger."""

    name: str
    holder: str
    epoch: int


class Leases(Protocol):
    """Leases by name: `block:<tournament>:<block>`, `turn:<game>:<seat>`, `steward`."""

    def acquire(self, name: str, ttl_ms: int) -> Lease | None:
        """None while it is another's."""

    def renew(self, lease: Lease, ttl_ms: int) -> bool:
        """False: it is lost."""

    def release(self, lease: Lease) -> None: ...

    def live(self, names: Sequence[str]) -> set[str]:
        """Which of these are held by anybody."""


class Queue(Protocol):
    """Nudges for workers. A nudge may be lost or come twice; the steward sends it again."""

    def enqueue_block(self, tournament: str, block: int, *, first: bool = False) -> None:
        """`first`: before all that wait, for a block that was begun and got lost."""

    def enqueue_turn(self, game: str, seat: int) -> None: ...

    def enqueue_check(self, bot: str, check: str) -> None: ...

    def enqueue_callbacks(self) -> None:
        """Some callback is due."""

    def queued_blocks(self) -> set[tuple[str, int]]:
        """Blocks in the queue that no worker has taken."""

    def processes(self) -> int:
        """How many processes for blocks are alive."""


class ServiceClock(Protocol):
    """Service time."""

    def now_ms(self) -> int: ...

    def advance(self, ms: int) -> int: ...


class Hub(Protocol):
    """Wakes all who wait in a process: one reader of the store for all of them.

    Topics: `game:<id>` (its version), `bot:<id>` (counts changes of what waits for it), `tournament:<id>` (its events).
    """

    def version(self, topic: str) -> int:
        """Read from the store; 0 where there is nothing."""

    def wait(self, topic: str, seen: int, timeout_s: float) -> int:
        """Returns the topic's version as soon as it differs from `seen`, or `seen` when the time is up."""
