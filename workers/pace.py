"""What a worker tells the store of how quick the bots are, so that blocks of slow ones get places of their own."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence

from service.engine.decisions import Decision
from service.operations.context import Context
from service.operations.errors import Unavailable
from service.operations.tables import Table

TELL_S = 1.0


class Pace:
    """Looks on while the matches of a tournament are played."""

    def __init__(
        self,
        ctx: Context,
        tournament: str,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ctx = ctx
        self._tournament = tournament
        self._monotonic = monotonic
        self._answers: dict[str, tuple[int, int]] = {}
        self._told = float("-inf")

    def asked(self, table: Table, decisions: Sequence[Decision], since: float) -> None:
        """The first answers are told at once, then all that came in a second together; the rest by `tell`."""
        for decision in decisions:
            bot, said = table.bots[decision.seat], table.ledgers[decision.seat].previous
            if bot is not None and said is not None and said["decision"] == decision.id:
                self._add(bot, said["elapsed_ms"])
        if self._monotonic() - self._told >= TELL_S:
            self.tell()

    def absent(self, bot: str, waited_ms: int) -> None:
        """A bot was waited for, and did not come up: it held a place for so long."""
        self._add(bot, waited_ms)
        self.tell()

    def tell(self) -> None:
        """Tells what has not been told yet."""
        if not self._answers:
            return
        self._told = self._monotonic()
        # A hint: no match stops for it.
        with contextlib.suppress(Unavailable):
            self._ctx.tournaments.note_pace(self._tournament, self._answers)
        self._answers = {}

    def _add(self, bot: str, ms: int) -> None:
        answers, together = self._answers.get(bot, (0, 0))
        self._answers[bot] = (answers + 1, together + ms)
