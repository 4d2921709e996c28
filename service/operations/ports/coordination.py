"""What processes agree by: leases, queues, the service's clock, news."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class LeaseLost(Exception):
    """The writer's lease is another's now. Stop at once."""


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


SPARE = "spare-"
"""What the name of a spare process starts with, and that of no other."""


@dataclass(frozen=True, slots=True)
class Processes:
    """How many processes for blocks are alive. Any of them plays any block; `spare` ones are there so that blocks of
    slow bots take no place from the others (service.tournament.dispatch)."""

    common: int
    spare: int


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

    def processes(self) -> Processes:
        """The processes for blocks that are alive."""


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
