"""Takes away, bit by bit, what is left of tournaments that were removed: their games, then all else."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from service.errors import NotFound, Unavailable
from service.ids import game_id
from service.operations.bots.faults import Fault, note_fault
from service.operations.context import Context
from service.operations.games.change import BOT_BUDGET_MS, Settlement, abort, load, settle
from service.operations.games.projection import GameView
from service.operations.tournaments.document import TournamentDoc
from service.operations.tournaments.matches import voids
from service.store.leases import Lease
from workers.dispatcher import Dispatcher
from workers.leases import turn_lease

MATCHES_A_PASS = 50
"""A steward's tick must be short: the clocks of casual games go with it."""

log = logging.getLogger("montego.steward")


class TournamentCleanup:
    """One pass at a time. Where it is with each tournament only it knows: who comes after it begins anew."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._next: dict[str, int] = {}

    def run(self) -> None:
        """A pass over all that were removed. Raises Unavailable."""
        removed = self._ctx.tournaments.removed()
        if not removed:
            return
        # Whoever still plays a block of it may be about to create a game.
        played = {tournament for tournament, _, _ in self._ctx.blocks.active()}
        for tournament, document in removed:
            if tournament not in played:
                self._clear(tournament, TournamentDoc.load(document))

    def _clear(self, tournament: str, doc: TournamentDoc) -> None:
        schedule = doc.schedule()
        first = self._next.get(tournament, 0)
        some = range(first, min(schedule.matches, first + MATCHES_A_PASS))
        again = voids(self._ctx, tournament, some)
        for number in some:
            block, seating = divmod(number, schedule.seatings_per_block)
            for attempt in range(2 if number in again else 1):
                self._ctx.games.remove(game_id(tournament, block, seating, attempt))
        self._next[tournament] = some.stop
        if some.stop >= schedule.matches:
            self._ctx.tournaments.forget(tournament, schedule.blocks)
            del self._next[tournament]
            log.info("tournament %s and its games are removed", tournament)


LEASE_NAME = "steward"
LEASE_MS = 4_000
TICK_S = 0.05
MAX_TICK_MS = 2_000
"""Service time advances by no more a tick, so that the players' clocks stand still while the steward was down."""
TURN_LOST_MS = 5_000
"""A bot that has been due for so long without a lease has its turn sent again."""
HOUSEKEEPING_S = 5.0
AT_ONCE = 200

T = TypeVar("T")


class Steward:
    """The loop's state. `monotonic` is the real clock, in seconds."""

    def __init__(self, ctx: Context, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._ctx = ctx
        self._monotonic = monotonic
        self._lease: Lease | None = None
        self._ticked: float | None = None
        self._cleaned = 0.0
        self._dispatcher = Dispatcher(ctx)
        self._tournament_cleanup = TournamentCleanup(ctx)
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
        self._dispatcher.run()
        self._tournament_cleanup.run()
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
        for game in self._ctx.game_lists.overdue(AT_ONCE):
            self._guarded(game, lambda game=game: settle_overdue(self._ctx, game))  # type: ignore[misc]

    def _send_lost_turns(self) -> None:
        due = self._ctx.game_lists.unplayed_turns(TURN_LOST_MS, AT_ONCE)
        played = self._ctx.leases.live([turn_lease(game, seat) for game, seat in due])
        for game, seat in due:
            if turn_lease(game, seat) not in played:
                self._ctx.queue.enqueue_turn(game, seat)

    def _clean(self) -> None:
        settings = self._ctx.settings
        for game in self._ctx.game_lists.idle(settings.game_idle_s * 1000, AT_ONCE):
            self._guarded(game, lambda game=game: self._close(game))  # type: ignore[misc]
        for game in self._ctx.game_lists.expired(settings.game_kept_s * 1000, AT_ONCE):
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
    return max(0, min(MAX_TICK_MS, round((now - before) * 1000)))


def overdue_seats(view: GameView) -> list[int]:
    """The seats of a casual game whose time has run out: all that owe a decision under `turn_seconds`; without it
    only poll bots, whose time the service keeps itself."""
    if view.deadline_ms is None or view.deadline_ms > view.clock_ms:
        return []
    if view.meta.turn_seconds is not None:
        return list(view.due)
    return [seat for seat in view.due if view.meta.seats[seat].kind == "poll"]


def settle_overdue(ctx: Context, game: str) -> None:
    """Plays the default action for each seat whose time has run out. Raises NotFound, Unavailable."""
    view = load(ctx, game)
    late = {decision.seat: decision.id for decision in view.game.decisions}
    for seat in overdue_seats(view):
        limit_ms = BOT_BUDGET_MS if view.meta.turn_seconds is None else view.meta.turn_seconds * 1000
        changed = settle(ctx, game, Settlement(late[seat], None, "late", limit_ms))
        bot = view.bots[seat]
        if changed.entries and bot is not None:
            note_fault(ctx, bot, changed.view, late[seat], Fault("late", "no answer came in time"), limit_ms)
