"""Keeps time and house: one loop in every `montego worker`, with one leader by lease.

It advances service time, settles overdue decisions of casual games, sends lost turns again, has callbacks sent, hands
out blocks (`handing_out`), takes away what is left of removed tournaments (`clearing_away`), and applies retention.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from service.operations.context import Context
from service.operations.errors import NotFound, Unavailable
from service.operations.faults import Fault, note_fault
from service.operations.ports import Lease
from service.operations.settling import BOT_BUDGET_MS, Settlement, abort, load, settle_first
from service.operations.tables import Table
from workers.clearing_away import ClearingAway
from workers.handing_out import HandingOut
from workers.leasing import turn_lease

LEASE_NAME = "steward"
LEASE_MS = 4_000
TICK_S = 0.05
LONGEST_TICK_MS = 2_000
"""Service time advances by no more a tick, so that the players' clocks stand still while the steward was down."""
TURN_LOST_MS = 5_000
"""A bot that has been due for so long without a lease has its turn sent again."""
HOUSEKEEPING_S = 5.0
AT_ONCE = 200

log = logging.getLogger("montego.steward")
T = TypeVar("T")


class Steward:
    """The loop's state. `monotonic` is the real clock, in seconds."""

    def __init__(self, ctx: Context, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._ctx = ctx
        self._monotonic = monotonic
        self._lease: Lease | None = None
        self._ticked: float | None = None
        self._cleaned = 0.0
        self._handing_out = HandingOut(ctx)
        self._clearing_away = ClearingAway(ctx)
        self._bad: set[str] = set()

    def run(self, stop: Callable[[], bool], wait: Callable[[float], object]) -> None:
        """Ticks until told to stop; then gives the lead away."""
        while not stop():
            try:
                self.tick()
            except Unavailable as error:
                log.warning("the store does not answer: %s", error.detail)
                self._ticked = None
                wait(0.5)
            except Exception:
                log.exception("a tick of the steward failed")
                wait(0.5)
            wait(TICK_S)
        if self._lease is not None:
            try:
                self._ctx.leases.release(self._lease)
            except Unavailable:
                log.warning("the lead could not be given away; it ends by itself")

    def tick(self) -> bool:
        """One round; whether this process leads. Raises Unavailable."""
        if not self._lead():
            self._ticked = None
            return False
        self._advance()
        self._settle_overdue()
        self._send_lost_turns()
        if self._ctx.callbacks.is_due():
            self._ctx.queue.enqueue_callbacks()
        self._handing_out.run()
        self._clearing_away.run()
        now = self._monotonic()
        if now - self._cleaned >= HOUSEKEEPING_S:
            self._cleaned = now
            self._clean()
        return True

    def _lead(self) -> bool:
        if self._lease is not None and self._ctx.leases.renew(self._lease, LEASE_MS):
            return True
        self._lease = self._ctx.leases.acquire(LEASE_NAME, LEASE_MS)
        return self._lease is not None

    def _advance(self) -> None:
        now = self._monotonic()
        if self._ticked is not None:
            self._ctx.clock.advance(elapsed_ms(self._ticked, now))
        self._ticked = now

    def _settle_overdue(self) -> None:
        for game in self._ctx.games.overdue(AT_ONCE):
            self._guarded(game, lambda game=game: settle_overdue(self._ctx, game))  # type: ignore[misc]

    def _send_lost_turns(self) -> None:
        due = self._ctx.games.unplayed_turns(TURN_LOST_MS, AT_ONCE)
        played = self._ctx.leases.live([turn_lease(game, seat) for game, seat in due])
        for game, seat in due:
            if turn_lease(game, seat) not in played:
                self._ctx.queue.enqueue_turn(game, seat)

    def _clean(self) -> None:
        settings = self._ctx.settings
        for game in self._ctx.games.idle(settings.game_idle_s * 1000, AT_ONCE):
            self._guarded(game, lambda game=game: self._close(game))  # type: ignore[misc]
        for game in self._ctx.games.expired(settings.game_kept_s * 1000, AT_ONCE):
            self._ctx.games.remove(game)

    def _close(self, game: str) -> None:
        """A game that nobody touches: whoever waits for it hears that it is aborted; then it is gone."""
        abort(self._ctx, game)
        self._ctx.games.remove(game)

    def _guarded(self, game: str, act: Callable[[], T]) -> T | None:
        """One bad game must not stop the loop. It comes again each tick, and is told of once."""
        try:
            return act()
        except NotFound:
            # It is gone: what still names it was left behind.
            self._ctx.games.remove(game)
        except Unavailable:
            raise
        except Exception:
            if game not in self._bad:
                self._bad.add(game)
                log.exception("game %s cannot be looked after", game)
        return None


def elapsed_ms(before: float, now: float) -> int:
    """What service time advances by between two ticks (monotonic seconds): the real time, at most 2 s."""
    return max(0, min(LONGEST_TICK_MS, round((now - before) * 1000)))


def overdue_seats(table: Table) -> list[int]:
    """The seats of a casual game whose time has run out: all that owe a decision under `turn_seconds`; without it
    only poll bots, whose time the service keeps itself."""
    if table.deadline_ms is None or table.deadline_ms > table.clock_ms:
        return []
    if table.meta.turn_seconds is not None:
        return list(table.due)
    return [seat for seat in table.due if table.meta.seats[seat].kind == "poll"]


def settle_overdue(ctx: Context, game: str) -> None:
    """Plays the default action for each seat whose time has run out. Raises NotFound, Unavailable."""
    table = load(ctx, game)
    late = {decision.seat: decision.id for decision in table.game.decisions}
    for seat in overdue_seats(table):
        limit_ms = BOT_BUDGET_MS if table.meta.turn_seconds is None else table.meta.turn_seconds * 1000
        after, first = settle_first(ctx, game, Settlement(late[seat], None, "late", limit_ms))
        bot = table.bots[seat]
        if first and bot is not None:
            note_fault(ctx, bot, after, late[seat], Fault("late", "no answer came in time"), limit_ms)
