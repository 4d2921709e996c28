"""What callback URLs are to be told, and what the store keeps of that until it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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


class CallbackStore(Protocol):
    """Callbacks that have not been told yet; times in service time. Games and tournaments write them in the same atomic
    step as what they tell of."""

    def is_due(self) -> bool:
        """Whether any callback is to be sent now."""

    def take(self, limit: int, ms: int) -> list[tuple[str, str]]:
        """(slot, URL) of callbacks that are to be sent now, the longest overdue first. Nobody else gets them for so
        long; after that they are due again."""

    def hold(self, slot: str, ms: int) -> Pending | None:
        """What the slot has to tell now, held for so long from now. None: it has been told, or is out of date."""

    def secrets(self, subject: str) -> Secrets:
        """Those that took the place of the first secret of a game or tournament; none while it was never replaced."""

    def replace_secrets(self, subject: str, secrets: Secrets) -> None:
        """From now on, all that is told of the game or tournament is signed with these. They outlast it by two days,
        for what is left to be told."""

    def told(self, slot: str, version: int) -> None:
        """It was told, or is given up. What took its place meanwhile is due now."""

    def failed(self, slot: str, pause_ms: int) -> None:
        """It could not be told; it is due again after the pause."""
