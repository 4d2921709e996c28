"""What a worker tells the store of how quick the bots are, so that blocks of slow ones get places of their own."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event

from service.engine.decisions import Decision
from service.errors import NotFound, Unavailable
from service.ids import game_id, match_id
from service.operations.bots.faults import note_absence
from service.operations.context import Context
from service.operations.games.asks import end_message, start_message
from service.operations.games.change import abort, load
from service.operations.games.projection import GameView
from service.operations.tournaments.document import TournamentDoc
from service.operations.tournaments.lifecycle import read
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
from workers.harness_latency import HarnessLatency, MatchLatency
from workers.leases import LEASE_MS, LeaseKeeper
from workers.outbound import Outbound
from workers.players import Arrival, Player
from workers.players.poll import PollPlayer
from workers.players.push import PushPlayer
from workers.referee import Stopped, play_match

TELL_S = 1.0


class ResponseTimes:
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

    def asked(self, view: GameView, decisions: Sequence[Decision], since: float) -> None:
        """The first answers are told at once, then all that came in a second together; the rest by `tell`."""
        for decision in decisions:
            bot, said = view.bots[decision.seat], view.ledgers[decision.seat].previous
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
            self._ctx.blocks.note_response_times(self._tournament, self._answers)
        self._answers = {}

    def _add(self, bot: str, ms: int) -> None:
        answers, together = self._answers.get(bot, (0, 0))
        self._answers[bot] = (answers + 1, together + ms)


log = logging.getLogger("montego.jobs")
LOOK_S = 0.5
"""How often a running match looks whether its tournament still wants it."""
WARM_UP_LOOK_S = 0.1
"""How often a warm-up looks whether it is to stop."""


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What a job is handed. `draining`: whether this process is to end. `delays`: how slow the harness itself is; None:
    that is not measured, and no match is void."""

    ctx: Context
    outbound: Outbound
    draining: Callable[[], bool]
    delays: HarnessLatency | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a match: 0, or after a void 1."""

    pairing: Pairing
    number: int
    game: str
    bots: Mapping[str, Bot]
    players: Mapping[int, Player]


class BlockRun:
    """One job's attempt at one block."""

    def __init__(self, deps: WorkerContext, tournament: str, block: int, keeper: LeaseKeeper) -> None:
        self._deps = deps
        self._ctx = deps.ctx
        self._tournament = tournament
        self._block = block
        self._keeper = keeper
        self._away: set[str] = set()
        self._looked = 0.0
        self._wanted = True
        self._pace = ResponseTimes(deps.ctx, tournament)

    def play(self) -> bool:
        """Plays what has no result yet; whether the whole block is done.

        Raises Stopped, LeaseLost, Unavailable, and what our own defects raise.
        """
        _, doc = read(self._ctx, self._tournament)
        pairings = doc.schedule().block(self._block).pairings
        known = results(self._ctx, self._tournament, [pairing.match for pairing in pairings])
        # Whoever played before us may have found a bot away: it stays away for the whole block.
        self._away |= {result.seats[seat] for result in known.values() for seat in result.not_started}
        for pairing in pairings:
            done = pairing.match in known
            while not done:
                row, _ = read(self._ctx, self._tournament)
                if self._is_withdrawn(row, doc):
                    cancel_block(self._ctx, self._tournament, doc, self._block)
                    return True
                if row.status != "running" or self._deps.draining():
                    raise Stopped
                try:
                    done = self._play(doc, self._attempt(doc, pairing))
                finally:
                    self._pace.tell()
        self._ctx.blocks.finish(self._tournament, self._block)
        return True

    def _is_withdrawn(self, row: TournamentRow, doc: TournamentDoc) -> bool:
        members = {doc.bot_of(name) for name in doc.schedule().block(self._block).entrants}
        return not members.isdisjoint(row.withdrawn)

    def _attempt(self, doc: TournamentDoc, pairing: Pairing) -> Attempt:
        """The attempt that is to be played now. Its void predecessor is broken off, if that has not been done."""
        void = voids(self._ctx, self._tournament, [pairing.match]).get(pairing.match)
        if void is not None:
            self._away |= {void.seats[seat] for seat in void.not_started}
            abort(self._ctx, void.game, lease=self._keeper.lease)
        number = 0 if void is None else 1
        game = game_id(self._tournament, pairing.block, pairing.seating, number)
        bots = self._bots(doc, pairing)
        players = {seat: self._player(bots[name], game) for seat, name in enumerate(pairing.seats)}
        return Attempt(pairing, number, game, bots, players)

    def _play(self, doc: TournamentDoc, attempt: Attempt) -> bool:
        """Whether the match has a result now; else it is void, and to be played again."""
        watch = None if self._deps.delays is None else MatchLatency(self._deps.delays)

        def is_void() -> bool:
            return attempt.number == 0 and watch is not None and watch.hurt

        try:
            view = self._table(doc, attempt)
        except Stopped:
            if self._wanted:
                raise
            # Before there was a game: whoever looks again sees why.
            return False
        try:
            view = play_match(
                self._ctx,
                view,
                attempt.players,
                self._keeper.lease,
                lambda: is_void() or self._stop(doc),
                (self._pace,) if watch is None else (watch, self._pace),
            )
        except Stopped:
            if self._keeper.lost or (self._wanted and not is_void()):
                raise
            view = load(self._ctx, attempt.game)
            if not self._wanted:
                view = abort(self._ctx, attempt.game, lease=self._keeper.lease)
        if read(self._ctx, self._tournament)[0].is_over:
            # Cancelled meanwhile: its last event has been written.
            raise Stopped
        slow = self._wanted and watch is not None and watch.too_slow
        if slow and attempt.number == 0:
            self._void(view, attempt)
            return False
        store_result(self._ctx, self._tournament, result_of(view, attempt.pairing, harness_slow=slow))
        self._tell_end(view, attempt)
        return True

    def _table(self, doc: TournamentDoc, attempt: Attempt) -> GameView:
        try:
            view = load(self._ctx, attempt.game)
        except NotFound:
            return self._begin(doc, attempt)
        self._away |= {attempt.pairing.seats[seat] for seat in not_started(view)}
        return view

    def _void(self, view: GameView, attempt: Attempt) -> None:
        """Notes that the harness was too slow, then breaks the game off: in this order, so that whoever finds the game
        broken off knows why. Raises LeaseLost: what is slow without a live lease is not the harness's delay."""
        if not self._ctx.leases.renew(self._keeper.lease, LEASE_MS):
            raise LeaseLost(f"the lease of block {self._block} is lost")
        log.warning("the harness was too slow: match %s is void and played again", attempt.game)
        store_void(self._ctx, self._tournament, void_of(view, attempt.pairing))
        view = abort(self._ctx, attempt.game, lease=self._keeper.lease)
        self._ctx.games.compress(attempt.game)
        self._tell_end(view, attempt)

    def _stop(self, doc: TournamentDoc) -> bool:
        """Whether the running match is to stop here. It is not wanted any more when its tournament was cancelled or
        one of its bots withdrawn; a paused tournament's running matches are played on."""
        if self._keeper.lost or self._deps.draining():
            return True
        now = time.monotonic()
        if now - self._looked > LOOK_S:
            self._looked = now
            row, _ = read(self._ctx, self._tournament)
            self._wanted = row.status in ("running", "paused") and not self._is_withdrawn(row, doc)
        return not self._wanted

    def _bots(self, doc: TournamentDoc, pairing: Pairing) -> dict[str, Bot]:
        rows = self._ctx.bots.many([doc.bot_of(name) for name in pairing.seats])
        found = {name: bot for name, bot in zip(pairing.seats, rows, strict=True) if bot is not None}
        assert len(found) == len(rows), "a bot cannot be deleted while it plays in a tournament"
        return found

    def _player(self, bot: Bot, game: str) -> Player:
        if bot.kind == "poll":
            return PollPlayer(self._ctx, bot)
        return PushPlayer(self._ctx, self._deps.outbound, bot, game=game)

    def _begin(self, doc: TournamentDoc, attempt: Attempt) -> GameView:
        """Warms all bots up and opens the match. Who does not come up forfeits what is left of the block."""
        pairing, bots = attempt.pairing, attempt.bots
        arrivals = self._warm_up(doc, attempt)
        match = match_id(self._tournament, pairing.block, pairing.seating)
        down = {pairing.seats[seat]: arrival for seat, arrival in arrivals.items() if not arrival.up}
        self._away.update(down)
        for name, arrival in down.items():
            self._pace.absent(bots[name].id, doc.terms.warmup_ms)
            note_absence(self._ctx, bots[name].id, self._tournament, match, arrival.detail)
        told = {}
        for seat, name in enumerate(pairing.seats):
            version = arrivals[seat].version if seat in arrivals else None
            if seat in arrivals and arrivals[seat].up and version != bots[name].version:
                self._ctx.bots.set_version(bots[name].id, version)
            told[name] = replace(bots[name], version=version)
        absent = [seat for seat, name in enumerate(pairing.seats) if name in self._away]
        return open_match(self._ctx, self._tournament, doc, pairing, attempt=attempt.number, bots=told, absent=absent)

    def _warm_up(self, doc: TournamentDoc, attempt: Attempt) -> dict[int, Arrival]:
        """What came of the warm-up by seat, of the bots that are not away. Raises Stopped as soon as the match is not
        to be played here; calls that are under way then end by themselves."""
        pairing, game = attempt.pairing, attempt.game
        meta = match_meta(self._ctx, self._tournament, doc, pairing, attempt=attempt.number, bots=attempt.bots)
        called = self._present(attempt)
        if not called:
            return {}
        pool, stop = ThreadPoolExecutor(len(called), thread_name_prefix="warm-up"), Event()
        try:
            tried = {
                seat: pool.submit(
                    player.warm_up, start_message(game, meta, pairing.seats, seat), doc.terms.warmup_ms, stop
                )
                for seat, player in called.items()
            }
            while wait(tried.values(), WARM_UP_LOOK_S).not_done:
                if self._stop(doc):
                    raise Stopped
            return {seat: future.result() for seat, future in tried.items()}
        finally:
            stop.set()
            pool.shutdown(wait=False)

    def _present(self, attempt: Attempt) -> dict[int, Player]:
        seats = attempt.pairing.seats
        return {seat: player for seat, player in attempt.players.items() if seats[seat] not in self._away}

    def _tell_end(self, view: GameView, attempt: Attempt) -> None:
        present = self._present(attempt)
        if not present:
            return
        with ThreadPoolExecutor(len(present), thread_name_prefix="end") as pool:
            for seat, player in present.items():
                pool.submit(player.end, end_message(view, seat))
