"""The ways to reach a bot. The referee does not know which kind it has; it lets a player settle a decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any, Protocol

from workers import referee


@dataclass(frozen=True, slots=True)
class Arrival:
    """The outcome of a warm-up. `detail` says why a bot has not come up."""

    up: bool
    version: str | None = None
    detail: str = ""


class Player(referee.MatchPlayer, Protocol):
    """One seat of one game, from the warm-up to the end."""

    def warm_up(self, start: Mapping[str, Any], timeout_ms: int, stop: Event) -> Arrival:
        """Tries until the bot is up, the time is over or `stop` is set. The bot's clock does not run."""

    def end(self, end: Mapping[str, Any]) -> None:
        """Tells the bot that the game is over. A failure has no effect."""
