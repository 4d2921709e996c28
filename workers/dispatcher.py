"""Hands out blocks of tournaments to workers, and hands out again those that got lost, until they are done."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from service.engine.errors import EngineError
from service.errors import NotFound
from service.operations.context import Context
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.lifecycle import finish
from service.operations.tournaments.matches import break_off_block, cancel_block
from service.operations.tournaments.stages import draw_next_stage
from service.store.tournaments import TournamentRow
from service.tournament.dispatch import BotSpeeds, Slots, WaitingBlock, choose
from workers.ladders import LadderKeeper
from workers.leases import block_lease

GRACE_MS = 3_000
"""How long a block that was handed out may be neither in the queue nor under a lease (service time)."""
LOOKAHEAD = 500
"""How many waiting blocks of a tournament are considered for the free slots."""
MAX_CANCELLED = 50
"""Blocks of withdrawn bots that one run cancels, for each tournament."""

DEFECTS = (ArithmeticError, AssertionError, AttributeError, EngineError, LookupError, TypeError, ValueError)
"""What a defect raises that is met in one tournament. It must not stop the others."""

BlockKey = tuple[str, int]
Running = dict[str, tuple[TournamentRow, TournamentDoc]]
log = logging.getLogger("montego.steward")


class Dispatcher:
    """What is known from one run to the next only saves work."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._lowest: dict[str, int] = {}
        """By tournament: all blocks with a lower number are done."""
        self._ladders = LadderKeeper(ctx)
        self._stuck: object = None
        """What was known when no block could take a free slot. Until something of it changes, none can."""

    def run(self) -> int:
        """Hands out lost blocks again, hands out waiting blocks as far as slots are free, and ends tournaments that are
        complete. Ladders get the slots while no tournament runs. Returns how many waiting blocks were handed out.
        Raises Unavailable."""
        self._ladders.begin_seasons()
        running = self._running()
        active = self._active(running)
        if not running:
            self._stuck = None
            return 0
        times = {tournament: BotSpeeds.of(self._ctx.blocks.response_times(tournament)) for tournament in running}
        slots = self._slots(times)
        held = [times[key[0]].block(key, bots_of(running[key[0]][1], key[1])) for key in active]
        seasons = {name: found for name, found in running.items() if found[1].season is not None}
        tournaments = {name: found for name, found in running.items() if name not in seasons}
        chosen = self._of_tournaments(tournaments, active, held, times, slots)
        if not any(row.status == "running" for row, _ in tournaments.values()):
            chosen += self._of_ladders(seasons, held, times, slots)
        for tournament, block in chosen:
            self._hand_out(tournament, block)
        return len(chosen)

    def _of_tournaments(
        self,
        tournaments: Running,
        active: set[BlockKey],
        held: Sequence[WaitingBlock[BlockKey]],
        times: Mapping[str, BotSpeeds],
        slots: Slots,
    ) -> list[BlockKey]:
        waiting: list[Iterable[WaitingBlock[BlockKey]]] = []
        limits: dict[str, int] = {}
        known = (active, slots, times, {name: row for name, (row, _) in tournaments.items()})
        full = len(active) >= slots.all or (bool(active) and known == self._stuck)
        for tournament, (row, doc) in tournaments.items():
            try:
                if row.status != "running" or self._has_moved_on(tournament, row, doc):
                    continue
                listed = self._guarded(tournament, row, doc, active, times[tournament])
                # Read on demand, but at once where a bot was withdrawn: its blocks are cancelled on the way.
                waiting.append(list(listed) if row.withdrawn else listed)
                limits |= {} if full else self._limits(doc)
            except DEFECTS as error:
                self._set_aside(tournament, error)
        if full:
            return []
        chosen = choose(chain.from_iterable(waiting), held, slots, limits)
        self._stuck = None if chosen else known
        return chosen

    def _of_ladders(
        self,
        seasons: Running,
        held: Sequence[WaitingBlock[BlockKey]],
        times: Mapping[str, BotSpeeds],
        slots: Slots,
    ) -> list[BlockKey]:
        """New blocks of the ladders, the oldest ladder first. A bot that plays as many games as it may is left out, and
        slow ones as long as their blocks have the spare slots."""
        chosen: list[BlockKey] = []
        count = Counter(bot for block in held for bot in block.bots)
        bots = self._ctx.bots.many(list(count))
        busy = {bot.id for bot in bots if bot is not None and count[bot.id] >= bot.max_games}
        slow = sum(block.slow for block in held)
        free = slots.common + min(slow, slots.spare) - len(held)
        for tournament, (row, doc) in seasons.items():
            try:
                away = busy | (times[tournament].slow if slow >= max(1, slots.spare) else frozenset())
                numbers = self._ladders.run(tournament, row, doc, max(0, free), away)
            except DEFECTS as error:
                self._set_aside(tournament, error)
                continue
            free -= len(numbers)
            chosen += [(tournament, number) for number in numbers]
        return chosen

    def _slots(self, times: Mapping[str, BotSpeeds]) -> Slots:
        """The processes for blocks. Spare ones don't count while no bot is slow."""
        processes = self._ctx.queue.processes()
        slow = any(of_tournament.slow for of_tournament in times.values())
        return Slots(processes.common, processes.spare if slow else 0)

    def _running(self) -> Running:
        found: Running = {}
        for tournament in self._ctx.tournaments.running():
            try:
                found[tournament] = load_tournament(self._ctx, tournament)
            except NotFound:
                continue
            except DEFECTS as error:
                self._set_aside(tournament, error)
        self._lowest = {name: lowest for name, lowest in self._lowest.items() if name in found}
        return found

    def _active(self, running: Running) -> set[BlockKey]:
        """The blocks that are handed out. Those that got lost are handed out again."""
        listed = self._ctx.blocks.active()
        if not listed:
            return set()
        live = self._ctx.leases.live([block_lease(tournament, block) for tournament, block, _ in listed])
        queued = self._ctx.queue.queued_blocks()
        now = self._ctx.clock.now_ms()
        kept: set[BlockKey] = set()
        for tournament, block, since in listed:
            leased = block_lease(tournament, block) in live
            if tournament not in running:
                try:
                    if not leased:
                        self._release(tournament, block)
                except DEFECTS as error:
                    self._set_aside(tournament, error)
                continue
            kept.add((tournament, block))
            if not leased and (tournament, block) not in queued and now - since >= GRACE_MS:
                log.info("block %s of %s is handed out again", block, tournament)
                self._hand_out(tournament, block, again=True)
        return kept

    def _release(self, tournament: str, block: int) -> None:
        """Handles a block under no lease whose tournament does not run. While the tournament is paused, the block stays
        handed out, so that it is sent again as soon as the tournament is resumed. When the tournament is over, the
        block's running game is broken off."""
        try:
            row, doc = load_tournament(self._ctx, tournament)
        except NotFound:
            self._ctx.blocks.deactivate(tournament, block)
            return
        if row.is_over:
            break_off_block(self._ctx, tournament, doc, block)

    def _set_aside(self, tournament: str, error: Exception) -> None:
        """A tournament that cannot be handled is logged once, and the others go on."""
        if self._ctx.unreadable.note("tournament", tournament):
            log.error("tournament %s cannot be handled", tournament, exc_info=error)

    def _hand_out(self, tournament: str, block: int, *, again: bool = False) -> None:
        self._ctx.blocks.activate(tournament, block)
        self._ctx.queue.enqueue_block(tournament, block, first=again)

    def _has_moved_on(self, tournament: str, row: TournamentRow, doc: TournamentDoc) -> bool:
        """Whether no block is left of those that are known. Then the next stage is drawn, or the tournament ended."""
        if row.blocks_done < doc.schedule().blocks:
            return False
        if not draw_next_stage(self._ctx, tournament, row, doc):
            finish(self._ctx, tournament, "finished")
        return True

    def _guarded(
        self,
        tournament: str,
        row: TournamentRow,
        doc: TournamentDoc,
        active: Collection[BlockKey],
        times: BotSpeeds,
    ) -> Iterator[WaitingBlock[BlockKey]]:
        try:
            yield from self._waiting(tournament, row, doc, active, times)
        except DEFECTS as error:
            self._set_aside(tournament, error)

    def _waiting(
        self,
        tournament: str,
        row: TournamentRow,
        doc: TournamentDoc,
        active: Collection[BlockKey],
        times: BotSpeeds,
    ) -> Iterator[WaitingBlock[BlockKey]]:
        """The blocks that could start, in their order, read on demand. Blocks of withdrawn bots are cancelled."""
        found = ended = 0
        for block in self._undone(tournament, doc):
            if found >= LOOKAHEAD or ended >= MAX_CANCELLED:
                return
            if (tournament, block) in active:
                continue
            bots = bots_of(doc, block)
            if bots.isdisjoint(row.withdrawn):
                found += 1
                yield times.block((tournament, block), bots)
            else:
                cancel_block(self._ctx, tournament, doc, block)
                ended += 1

    def _undone(self, tournament: str, doc: TournamentDoc) -> Iterator[int]:
        """The blocks that are not done, in their order. They are read in chunks: there may be hundreds of thousands."""
        total = doc.schedule().blocks
        first = self._lowest.get(tournament, 0)
        if first >= total:
            # They were all done, and are not any more: Redis has lost some. Look again from the start.
            first = 0
        all_done = True
        while first < total:
            chunk = range(first, min(total, first + LOOKAHEAD))
            done = self._ctx.blocks.done(tournament, chunk)
            if all_done:
                all_done = len(done) == len(chunk)
                self._lowest[tournament] = next((block for block in chunk if block not in done), chunk.stop)
            yield from (block for block in chunk if block not in done)
            first = chunk.stop

    def _limits(self, doc: TournamentDoc) -> dict[str, int]:
        bots = self._ctx.bots.many([entrant.bot for entrant in doc.entrants])
        return {bot.id: bot.max_games for bot in bots if bot is not None}


def bots_of(doc: TournamentDoc, block: int) -> frozenset[str]:
    """Ids of the bots of a block."""
    return frozenset(doc.bot_of(name) for name in doc.schedule().block(block).entrants)
