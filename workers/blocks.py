"""The life of a block: a worker plays its matches one after another, under one lease.

Everything that decides how to go on is read from the store before each match, so that any worker can take a block over
at any point.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event
from typing import Literal

from service.engine.decisions import Decision
from service.errors import NotFound, Unavailable
from service.ids import game_id, match_id
from service.operations.bots.faults import note_absence
from service.operations.context import Context
from service.operations.games.asks import end_message, start_message
from service.operations.games.change import abort, load
from service.operations.games.projection import GameView
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.lifecycle import finish
from service.operations.tournaments.matches import (
    cancel_block,
    match_meta,
    not_started,
    open_match,
    result_of,
    results,
    store_result,
    store_void,
    void_of,
    voids,
)
from service.store.bots import Bot
from service.store.leases import LeaseLost
from service.store.tournaments import TournamentRow
from service.tournament.schedule import Pairing
from workers.context import WorkerContext
from workers.harness_latency import HarnessLatency, MatchLatency
from workers.leases import LEASE_MS, LeaseKeeper, block_lease
from workers.players import Arrival, Player
from workers.players.poll import PollPlayer
from workers.players.push import PushPlayer
from workers.referee import Stopped, play_match

LOOK_S = 0.5
"""How often a running match looks whether its tournament still wants it."""
WARM_UP_LOOK_S = 0.1
"""How often a warm-up looks whether it is to stop."""
REPORT_S = 1.0
"""How often response times are written to the store while a match is played."""
MAX_FAILURES = 3
"""How often a block may fail by a defect of ours before its tournament is given up."""

StopReason = Literal["left", "unwanted", "void"]
"""Why a match is stopped. `left`: another worker is to go on with it, since this process ends or has lost its lease.
`unwanted`: its tournament was cancelled, or one of its bots withdrawn. `void`: the harness cost a bot time."""

log = logging.getLogger("montego.jobs")


def run_block(worker: WorkerContext, tournament: str, block: int, latency: HarnessLatency) -> None:
    """Plays what is left of a block, unless another process plays it.

    What is left undone when this returns is handed out again by the steward.
    """
    ctx = worker.ctx
    try:
        lease = ctx.leases.acquire(block_lease(tournament, block), LEASE_MS)
        if lease is None:
            return
        with LeaseKeeper(ctx, lease) as keeper:
            try:
                BlockRun(worker, tournament, block, keeper, latency).play()
            except (Stopped, LeaseLost):
                log.info("block %s of %s is left to another worker", block, tournament)
            except NotFound:
                log.warning("tournament %s is gone", tournament)
            except Unavailable:
                raise
            except Exception:
                log.exception("block %s of %s failed", block, tournament)
                if ctx.blocks.note_failure(tournament, block) >= MAX_FAILURES:
                    reason = f"Block {block} failed {MAX_FAILURES} times by a defect of the service; its log says more."
                    finish(ctx, tournament, "failed", reason)
            finally:
                ctx.leases.release(lease)
    except Unavailable as error:
        log.warning("block %s of %s is left: %s", block, tournament, error.detail)


@dataclass(frozen=True, slots=True)
class MatchAttempt:
    """One attempt at a match: 0, or after a void 1. `bots` by name, `players` by seat."""

    pairing: Pairing
    number: int
    game: str
    bots: Mapping[str, Bot]
    players: Mapping[int, Player]


class BlockRun:
    """One worker's run of one block."""

    def __init__(
        self, worker: WorkerContext, tournament: str, block: int, keeper: LeaseKeeper, latency: HarnessLatency
    ) -> None:
        self._worker = worker
        self._ctx = worker.ctx
        self._tournament = tournament
        self._block = block
        self._keeper = keeper
        self._latency = latency
        self._looked_at = 0.0
        self._response_times = ResponseTimes(worker.ctx, tournament)

    def play(self) -> None:
        """Plays the matches that have no result, until all have one; then the block is done.

        Raises Stopped, LeaseLost, NotFound, Unavailable, and what our own defects raise.
        """
        ctx, tournament = self._ctx, self._tournament
        _, doc = load_tournament(ctx, tournament)
        pairings = doc.schedule().block(self._block).pairings
        numbers = [pairing.match for pairing in pairings]
        while True:
            known = results(ctx, tournament, numbers)
            pairing = next((pairing for pairing in pairings if pairing.match not in known), None)
            if pairing is None:
                if ctx.blocks.finish(tournament, self._block, numbers):
                    return
                # Redis has just lost a result that was read: its match is played again.
                continue
            row, _ = load_tournament(ctx, tournament)
            if self._is_withdrawn(row, doc):
                cancel_block(ctx, tournament, doc, self._block)
                return
            if row.status != "running" or self._worker.draining():
                raise Stopped("left")
            void = voids(ctx, tournament, numbers)
            # A bot that did not come up for a match forfeits what is left of the block.
            before = (*known.values(), *void.values())
            away = {result.seats[seat] for result in before for seat in result.not_started}
            if pairing.match in void:
                # The worker that noted the void may have died before it broke the game off.
                abort(ctx, void[pairing.match].game, lease=self._keeper.lease)
            try:
                self._play_match(doc, self._attempt(doc, pairing, number=int(pairing.match in void)), away)
            finally:
                self._response_times.report()

    def _play_match(self, doc: TournamentDoc, attempt: MatchAttempt, away: Collection[str]) -> None:
        """Plays a match from where its log stands, and writes what came of it, once: its result, or that it is void.

        A match that is not wanted any more is broken off, and one that had not begun is left as it is.
        """
        ctx, latency = self._ctx, MatchLatency(self._latency)

        def stop() -> StopReason | None:
            # A match that was void before counts, however slow the harness is.
            return "void" if attempt.number == 0 and latency.cost_a_bot_time else self._stop_reason(doc)

        wanted = True
        try:
            try:
                view = load(ctx, attempt.game)
            except NotFound:
                view = self._open(doc, attempt, away)
            observers = (latency, self._response_times)
            view = play_match(ctx, view, attempt.players, self._keeper.lease, stop, observers)
        except Stopped as stopped:
            if stopped.reason == "left":
                raise
            wanted = stopped.reason != "unwanted"
            try:
                view = load(ctx, attempt.game)
            except NotFound:
                return  # It was not wanted any more before its bots had come up.
            if not wanted:
                view = abort(ctx, attempt.game, lease=self._keeper.lease)
        slow = wanted and latency.too_slow
        if slow and attempt.number == 0:
            view = self._void(view, attempt)
        else:
            # Refused when the tournament has been cancelled meanwhile: its last event has been written.
            store_result(ctx, self._tournament, result_of(view, attempt.pairing, harness_slow=slow))
        self._send_end(view, attempt)

    def _attempt(self, doc: TournamentDoc, pairing: Pairing, *, number: int) -> MatchAttempt:
        game = game_id(self._tournament, pairing.block, pairing.seating, number)
        rows = self._ctx.bots.many([doc.bot_of(name) for name in pairing.seats])
        bots = {name: bot for name, bot in zip(pairing.seats, rows, strict=True) if bot is not None}
        assert len(bots) == len(rows), "a bot cannot be deleted while it plays in a tournament"
        players = {seat: self._player(bots[name], game) for seat, name in enumerate(pairing.seats)}
        return MatchAttempt(pairing, number, game, bots, players)

    def _player(self, bot: Bot, game: str) -> Player:
        if bot.kind == "poll":
            return PollPlayer(self._ctx, bot)
        return PushPlayer(self._ctx, self._worker.outbound, bot, game=game)

    def _open(self, doc: TournamentDoc, attempt: MatchAttempt, away: Collection[str]) -> GameView:
        """Warms the bots up and opens the match; those that are away forfeit before the first decision.

        Raises Stopped, LeaseLost, Unavailable.
        """
        pairing, bots = attempt.pairing, dict(attempt.bots)
        arrivals = self._warm_up(doc, attempt, [seat for seat, name in enumerate(pairing.seats) if name not in away])
        versions = {pairing.seats[seat]: arrival.version for seat, arrival in arrivals.items()}
        # First of all, since it is refused when the lease was lost meanwhile: then nobody is to blame.
        view = open_match(
            self._ctx,
            self._tournament,
            doc,
            pairing,
            attempt=attempt.number,
            bots={name: replace(bot, version=versions.get(name)) for name, bot in bots.items()},
            absent=[seat for seat in attempt.players if seat not in arrivals or not arrivals[seat].up],
            lease=self._keeper.lease,
        )
        for seat, arrival in arrivals.items():
            bot = bots[pairing.seats[seat]]
            if bot.kind == "push":
                self._ctx.bots.note_call(bot.id, up=arrival.up, version=arrival.version, failure=arrival.detail)
            if not arrival.up:
                self._response_times.absent(bot.id, doc.terms.warmup_ms)
                match = match_id(self._tournament, pairing.block, pairing.seating)
                note_absence(self._ctx, bot.id, self._tournament, match, arrival.detail)
        return view

    def _warm_up(self, doc: TournamentDoc, attempt: MatchAttempt, seats: Sequence[int]) -> Mapping[int, Arrival]:
        """What came of the warm-up, by seat. Raises Stopped as soon as the match is not to be played here; calls that
        are under way then end by themselves."""
        if not seats:
            return {}
        pairing, timeout_ms = attempt.pairing, doc.terms.warmup_ms
        meta = match_meta(self._ctx, self._tournament, doc, pairing, attempt=attempt.number, bots=attempt.bots)
        starts = {seat: start_message(attempt.game, meta, pairing.seats, seat) for seat in seats}
        pool, stop = ThreadPoolExecutor(len(seats), thread_name_prefix="warm-up"), Event()
        try:
            calls = {
                seat: pool.submit(attempt.players[seat].warm_up, start, timeout_ms, stop)
                for seat, start in starts.items()
            }
            while wait(calls.values(), WARM_UP_LOOK_S).not_done:
                if (reason := self._stop_reason(doc)) is not None:
                    raise Stopped(reason)
            return {seat: call.result() for seat, call in calls.items()}
        finally:
            stop.set()
            pool.shutdown(wait=False)

    def _stop_reason(self, doc: TournamentDoc) -> StopReason | None:
        """Why the running match is to stop here, if it is. A paused tournament's running matches are played on."""
        if self._keeper.lost or self._worker.draining():
            return "left"
        now = time.monotonic()
        if now - self._looked_at <= LOOK_S:
            return None
        self._looked_at = now
        row, _ = load_tournament(self._ctx, self._tournament)
        wanted = row.status in ("running", "paused") and not self._is_withdrawn(row, doc)
        return None if wanted else "unwanted"

    def _is_withdrawn(self, row: TournamentRow, doc: TournamentDoc) -> bool:
        members = {doc.bot_of(name) for name in doc.schedule().block(self._block).entrants}
        return not members.isdisjoint(row.withdrawn)

    def _void(self, view: GameView, attempt: MatchAttempt) -> GameView:
        """Notes that the match is void, then breaks its game off: in this order, since a game that is broken off
        without a note is taken for a match that was cancelled.

        Raises LeaseLost: what is slow without a live lease is not the harness's delay.
        """
        if not self._ctx.leases.renew(self._keeper.lease, LEASE_MS):
            raise LeaseLost(f"the lease of block {self._block} is lost")
        log.warning("the harness was too slow: match %s is void and played again", attempt.game)
        store_void(self._ctx, self._tournament, void_of(view, attempt.pairing))
        view = abort(self._ctx, attempt.game, lease=self._keeper.lease)
        self._ctx.games.compress(attempt.game)
        return view

    def _send_end(self, view: GameView, attempt: MatchAttempt) -> None:
        """Tells all bots that came up, once."""
        away, lease = not_started(view), self._keeper.lease
        present = {
            seat: player
            for seat, player in attempt.players.items()
            if seat not in away and self._ctx.games.claim_message(attempt.game, seat, "end", lease=lease)
        }
        if not present:
            return
        with ThreadPoolExecutor(len(present), thread_name_prefix="end") as pool:
            for seat, player in present.items():
                pool.submit(player.end, end_message(view, seat))


class ResponseTimes:
    """Observes the matches of a tournament, and reports to the store how long its bots take to answer: blocks of slow
    bots get processes of their own (service.tournament.dispatch)."""

    def __init__(self, ctx: Context, tournament: str, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._ctx = ctx
        self._tournament = tournament
        self._monotonic = monotonic
        self._answers: dict[str, tuple[int, int]] = {}
        self._reported_at = float("-inf")

    def settled(self, view: GameView, decisions: Sequence[Decision], since: float) -> None:
        """Notes the times of these decisions. The first ones are reported at once, then all of a second together."""
        for decision in decisions:
            bot, previous = view.bots[decision.seat], view.ledgers[decision.seat].previous
            if bot is not None and previous is not None and previous["decision"] == decision.id:
                self._add(bot, previous["elapsed_ms"])
        if self._monotonic() - self._reported_at >= REPORT_S:
            self.report()

    def absent(self, bot: str, waited_ms: int) -> None:
        """Notes that a bot did not come up: it held its process for so long."""
        self._add(bot, waited_ms)
        self.report()

    def report(self) -> None:
        """Writes what has not been reported yet. A store that does not answer stops no match for it."""
        if not self._answers:
            return
        self._reported_at = self._monotonic()
        with contextlib.suppress(Unavailable):
            self._ctx.blocks.note_response_times(self._tournament, self._answers)
        self._answers = {}

    def _add(self, bot: str, ms: int) -> None:
        count, total_ms = self._answers.get(bot, (0, 0))
        self._answers[bot] = (count + 1, total_ms + ms)
