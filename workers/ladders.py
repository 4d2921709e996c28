"""Keeps the ladders going: notes which blocks are over and which bots are there, and begins the next blocks.

The steward alone does this, so a season's log has one writer besides those who enter and leave. All that is known from
one run to the next only saves work.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from typing import Any

from service.operations.bots.registry import status_of
from service.operations.context import Context
from service.operations.ladders.document import RunningSeason, load_season
from service.operations.ladders.entrants import free_name
from service.operations.ladders.seasons import append, begin_season, entering
from service.operations.tournaments.document import TournamentDoc
from service.operations.tournaments.lifecycle import finish
from service.operations.tournaments.matches import results
from service.store.bots import Bot
from service.store.tournaments import TournamentRow
from service.tournament.ladder import LEFT, NEWER_VERSION, OFFLINE, SeasonEntrant, won_of
from service.tournament.matchmaking import NEWCOMER_BLOCKS, next_block

LOOK_S = 1.0
"""How often it is looked at which bots are there."""
SEASONS_S = 5.0
"""How often it is looked at whether a season is to begin."""
FIRST_PAUSE_S = 5.0
MAX_PAUSE_S = 600.0
"""A bot that does not come up is called again after a pause that doubles each time, up to this."""
DAY_MS = 24 * 3600 * 1000

log = logging.getLogger("montego.steward")


class LadderKeeper:
    """What the steward does for ladders."""

    def __init__(self, ctx: Context, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._ctx = ctx
        self._monotonic = monotonic
        self._seasons_at = float("-inf")
        self._looked_at: dict[str, float] = {}
        self._pauses: dict[str, tuple[float, float]] = {}
        """By bot that is away: when it is called again, and the pause after that."""

    def begin_seasons(self) -> None:
        """Now and then begins the seasons that are due. Raises Unavailable."""
        if self._monotonic() - self._seasons_at < SEASONS_S:
            return
        self._seasons_at = self._monotonic()
        for ladder in self._ctx.ladders.all():
            begin_season(self._ctx, ladder)

    def run(
        self,
        tournament: str,
        row: TournamentRow,
        doc: TournamentDoc,
        slots: int,
        busy: Collection[str],
    ) -> list[int]:
        """Brings the log of a season up to date, and begins blocks in it. Returns those to hand out: the new ones, and
        open ones that no worker was given before the last steward died.

        slots  how many blocks may be begun
        busy   ids of bots with no time for another game

        Raises Unavailable.
        """
        assert doc.ladder is not None, "a season belongs to a ladder"
        season = RunningSeason(doc.ladder, 0, tournament, row, doc)
        if doc.ends_ms is not None and self._ctx.wall_ms() >= doc.ends_ms:
            finish(self._ctx, tournament, "finished")
            begin_season(self._ctx, doc.ladder)
            return []
        season = self._note_finished(season)
        season = self._note_presence(season)
        return self._begin_blocks(season, slots, busy)

    def _read_again(self, season: RunningSeason) -> RunningSeason:
        return load_season(self._ctx, season.ladder)

    def _note_finished(self, season: RunningSeason) -> RunningSeason:
        """Writes which blocks are over, and what they came to."""
        open_blocks = sorted(season.season.state.open)
        done = self._ctx.blocks.done(season.tournament, open_blocks)
        for number in sorted(done):
            block = season.season.block(number)
            numbers = [pairing.match for pairing in block.pairings]
            won = won_of(block, results(self._ctx, season.tournament, numbers).values())
            entry = {"type": "finished", "at": self._ctx.wall_ms(), "block": number, "won": won}
            entrants = season.season.entrants
            gone = [entrants[name].bot for name in block.entrants if entrants[name].away == LEFT]
            if append(self._ctx, season, [entry], "block_finished", released=gone, block=number):
                season = self._read_again(season)
        return season

    def _note_presence(self, season: RunningSeason) -> RunningSeason:
        """Now and then writes which bots are no longer online, which are back, and which play in another version."""
        now = self._monotonic()
        if now - self._looked_at.get(season.tournament, float("-inf")) < LOOK_S:
            return season
        self._looked_at[season.tournament] = now
        current = [one for one in season.season.entrants.values() if one.away in (None, OFFLINE)]
        bots = {bot.id: bot for bot in self._ctx.bots.many([one.bot for one in current]) if bot is not None}
        entries: list[dict[str, Any]] = []
        for entrant in current:
            bot = bots.get(entrant.bot)
            if bot is not None:
                entries += self._changes(season, entrant, bot)
        if entries and append(self._ctx, season, entries, "entrants_changed"):
            season = self._read_again(season)
        self._call_again(season, bots)
        return season

    def _changes(self, season: RunningSeason, entrant: SeasonEntrant, bot: Bot) -> list[dict[str, Any]]:
        at = self._ctx.wall_ms()
        online = status_of(bot) == "online"
        if entrant.away is None and not online:
            return [{"type": "away", "at": at, "entrant": entrant.name, "reason": OFFLINE}]
        entries: list[dict[str, Any]] = []
        if entrant.away == OFFLINE and online:
            entries.append({"type": "back", "at": at, "entrant": entrant.name})
        if online and bot.version is not None and bot.version != entrant.version:
            if entrant.version is None or entrant.reference:
                entries.append({"type": "version", "at": at, "entrant": entrant.name, "version": bot.version})
            elif self._is_settled(season, entrant, at):
                entries += self._newer(season, entrant, bot, at)
        return entries

    def _is_settled(self, season: RunningSeason, entrant: SeasonEntrant, at_ms: int) -> bool:
        """Whether the next version of a bot may take its place: it has had its games, or a day of time."""
        played = season.season.state.entrants[entrant.name].finished
        return played >= NEWCOMER_BLOCKS or at_ms - entrant.entered_ms >= DAY_MS

    def _newer(self, season: RunningSeason, entrant: SeasonEntrant, bot: Bot, at: int) -> list[dict[str, Any]]:
        """The entrant gives its place to that of the bot's version now: a new one, or the one that it was before."""
        gone = {"type": "away", "at": at, "entrant": entrant.name, "reason": NEWER_VERSION}
        known = next(
            (one for one in season.season.entrants.values() if one.bot == bot.id and one.version == bot.version), None
        )
        if known is not None:
            return [gone, {"type": "back", "at": at, "entrant": known.name}]
        return [gone, *entering(self._ctx, bot, free_name(season, bot))]

    def _call_again(self, season: RunningSeason, bots: dict[str, Bot]) -> None:
        """Has the push bots called that are away, each after its pause."""
        now, due = self._monotonic(), False
        for entrant in season.season.entrants.values():
            if entrant.away != OFFLINE:
                self._pauses.pop(entrant.bot, None)
                continue
            bot = bots.get(entrant.bot)
            if bot is None or bot.kind != "push":
                continue
            at, pause = self._pauses.get(entrant.bot, (now, FIRST_PAUSE_S))
            if now >= at:
                due = True
                self._pauses[entrant.bot] = (now + pause, min(MAX_PAUSE_S, 2 * pause))
        if due:
            self._ctx.queue.enqueue_probe(season.tournament)

    def _begin_blocks(self, season: RunningSeason, slots: int, busy: Collection[str]) -> list[int]:
        active = {block for owner, block, _ in self._ctx.blocks.active() if owner == season.tournament}
        begun = [number for number in season.season.state.open if number not in active]
        while len(begun) < slots and season.row.status == "running":
            entrants = season.season.entrants
            away = sorted(name for name, one in entrants.items() if one.bot in busy)
            members = next_block(season.season.state, season.doc.seed, away)
            if members is None:
                break
            number = season.season.blocks
            entry = {
                "type": "started",
                "at": self._ctx.wall_ms(),
                "block": number,
                "entrants": list(members),
                "busy": away,
            }
            if not append(self._ctx, season, [entry], "block_started", block=number, entrants=list(members)):
                break
            begun.append(number)
            season = self._read_again(season)
        return begun
