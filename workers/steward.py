"""The steward runs the clock and does the housekeeping of the service. Every `montego worker` has one, and one of all
leads.

Each tick it advances service time, settles overdue decisions of casual games, sends lost turns again, has callbacks
sent, and lets the dispatcher hand out blocks. Now and then it closes and removes old games.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

from service.errors import NotFound, Unavailable, Unreadable
from service.ids import game_id
from service.operations.context import Context
from service.operations.games.change import abort
from service.operations.tournaments.document import TournamentDoc
from service.operations.tournaments.matches import voids
from service.store.leases import Lease
from workers.dispatcher import Dispatcher
from workers.late_answers import settle_overdue
from workers.leases import turn_lease

LEASE_NAME = "steward"
LEASE_MS = 4_000
TICK_S = 0.05
MAX_TICK_MS = 2_000
"""A tick advances service time by no more than this: the players' clocks stand still while there is no steward."""
TURN_LOST_MS = 5_000
"""A turn that nobody has played for this long, and that is under no lease, is sent again."""
HOUSEKEEPING_S = 5.0
QUIET_S = 60.0
GAMES_PER_TICK = 200
MATCHES_PER_TICK = 50
"""Matches of a removed tournament that one tick removes. A tick must be short: the clocks of casual games depend on
it."""

log = logging.getLogger("montego.steward")


class Steward:
    """`monotonic` is the real clock, in seconds."""

    def __init__(self, ctx: Context, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._ctx = ctx
        self._monotonic = monotonic
        self._lease: Lease | None = None
        self._ticked_at: float | None = None
        self._housekeeping_at = 0.0
        self._dispatcher = Dispatcher(ctx)
        self._tournament_cleanup = TournamentCleanup(ctx)
        self._quiet_until: dict[str, float] = {}

    def run(self, stop: Callable[[], bool], wait: Callable[[float], object]) -> None:
        """Ticks until `stop` says so, and then gives up its lead."""
        while not stop():
            try:
                self.tick()
            except Unavailable as error:
                log.warning("the store does not answer: %s", error.detail)
                self._ticked_at = None
                wait(0.5)
            except Exception:
                log.exception("a tick of the steward failed")
                wait(0.5)
            wait(TICK_S)
        if self._lease is not None:
            try:
                self._ctx.leases.release(self._lease)
            except Unavailable:
                log.warning("the lease of the lead could not be released; it runs out")

    def tick(self) -> bool:
        """Does one round. Returns whether this process leads. Raises Unavailable."""
        if not self._lead():
            self._ticked_at = None
            return False
        self._advance()
        for step in (
            self._settle_overdue,
            self._send_lost_turns,
            self._send_callbacks,
            self._dispatcher.run,
            self._tournament_cleanup.run,
            self._keep_house,
        ):
            self._take(step)
        return True

    def _take(self, step: Callable[[], object]) -> None:
        """A step that fails must not stop those after it. Its failure is logged at most once a minute."""
        try:
            step()
        except Unavailable:
            raise
        except Exception:
            name, now = step.__qualname__, self._monotonic()
            if now >= self._quiet_until.get(name, 0.0):
                self._quiet_until[name] = now + QUIET_S
                log.exception("%s failed", name)

    def _lead(self) -> bool:
        if self._lease is not None and self._ctx.leases.renew(self._lease, LEASE_MS):
            return True
        self._lease = self._ctx.leases.acquire(LEASE_NAME, LEASE_MS)
        return self._lease is not None

    def _advance(self) -> None:
        now = self._monotonic()
        if self._ticked_at is not None:
            self._ctx.clock.advance(elapsed_ms(self._ticked_at, now))
        self._ticked_at = now

    def _send_callbacks(self) -> None:
        if self._ctx.callbacks.is_due():
            self._ctx.queue.enqueue_callbacks()

    def _settle_overdue(self) -> None:
        for game in self._ctx.game_lists.overdue(GAMES_PER_TICK):
            self._guarded(game, partial(settle_overdue, self._ctx))

    def _send_lost_turns(self) -> None:
        due = self._ctx.game_lists.unplayed_turns(TURN_LOST_MS, GAMES_PER_TICK)
        played = self._ctx.leases.live([turn_lease(game, seat) for game, seat in due])
        for game, seat in due:
            if turn_lease(game, seat) not in played:
                self._ctx.queue.enqueue_turn(game, seat)

    def _keep_house(self) -> None:
        """Now and then, has the entrants called for which a tournament waits, closes games that nobody touches, and
        removes those kept long enough."""
        if self._monotonic() - self._housekeeping_at < HOUSEKEEPING_S:
            return
        self._housekeeping_at = self._monotonic()
        for tournament in self._ctx.tournaments.waiting():
            self._ctx.queue.enqueue_probe(tournament)
        settings = self._ctx.settings
        for game in self._ctx.game_lists.idle(settings.game_idle_s * 1000, GAMES_PER_TICK):
            self._guarded(game, self._close)
        for game in self._ctx.game_lists.expired(settings.game_kept_s * 1000, GAMES_PER_TICK):
            self._ctx.games.remove(game)

    def _close(self, game: str) -> None:
        """Removes a game that nobody has touched for long. Clients that wait for it are told that it is aborted."""
        abort(self._ctx, game)
        self._ctx.games.remove(game)

    def _guarded(self, game: str, act: Callable[[str], object]) -> None:
        """One game that cannot be handled must not stop the loop, nor take a place in the list again and again."""
        try:
            act(game)
        except NotFound:
            # The game is gone, and an index still names it.
            self._ctx.games.remove(game)
        except Unavailable:
            raise
        except Unreadable:
            # It has been set aside.
            return
        except Exception:
            if self._ctx.unreadable.note("game", game):
                log.exception("the steward cannot handle game %s, and sets it aside", game)


def elapsed_ms(before: float, now: float) -> int:
    """By how much service time advances between two ticks (monotonic seconds): the real time, at most 2 s."""
    return max(0, min(MAX_TICK_MS, round((now - before) * 1000)))


class TournamentCleanup:
    """Removes, step by step, what is left of removed tournaments: first their games, then everything else.

    How far it has got is known only here. Another steward starts again with the first match.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._next: dict[str, int] = {}

    def run(self) -> None:
        """Does one step for each removed tournament. Raises Unavailable."""
        removed = self._ctx.tournaments.removed()
        if not removed:
            return
        # A worker that still plays a block of it may be about to create a game.
        played = {tournament for tournament, _, _ in self._ctx.blocks.active()}
        for tournament, document, stages in removed:
            if tournament in played:
                continue
            try:
                doc = TournamentDoc.load(document, stages)
            except Exception:
                if self._ctx.unreadable.note("tournament", tournament):
                    log.exception("tournament %s cannot be read, and is not removed", tournament)
                continue
            self._remove_some(tournament, doc)

    def _remove_some(self, tournament: str, doc: TournamentDoc) -> None:
        schedule = doc.schedule()
        first = self._next.get(tournament, 0)
        some = range(first, min(schedule.matches, first + MATCHES_PER_TICK))
        again = voids(self._ctx, tournament, some)
        for number in some:
            block, seating = divmod(number, schedule.seatings_per_block)
            for attempt in range(2 if number in again else 1):
                self._ctx.games.remove(game_id(tournament, block, seating, attempt))
        self._next[tournament] = some.stop
        if some.stop >= schedule.matches:
            self._ctx.tournaments.forget(tournament)
            self._ctx.unreadable.forget("tournament", tournament)
            del self._next[tournament]
            log.info("tournament %s and its games are removed", tournament)
