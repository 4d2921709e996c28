"""A game as its log tells it: the fold from entries to state, events and everything else that is derived.

A process keeps the games that it read last (`ProjectionCache`) and on the next read folds in only what is new. The
store keeps no state besides the log, so nothing can disagree with it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from service.engine.actions import Action
from service.engine.events import Event
from service.engine.game import Game
from service.engine.playthrough import Playthrough
from service.operations.games.document import GameMeta
from service.operations.games.log_entries import (
    Aborted,
    Entry,
    Finished,
    Joined,
    Resigned,
    Settled,
    Started,
    decode,
    seat_of,
)
from service.store.games import Asked, GameRow
from service.timestamps import timestamp

TURN_S = 0.1


@dataclass(frozen=True, slots=True)
class Closed:
    """A decision that was settled: how, and which version that made."""

    action: Action
    by: str
    fault: str | None
    version: int


@dataclass(frozen=True, slots=True)
class SeatLedger:
    """What a seat's settled decisions add up to. `bank_spent_ms` is meaningful in a match only."""

    bank_spent_ms: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    answers: int = 0
    answer_ms: int = 0
    previous: Mapping[str, Any] | None = None
    """The ask's `previous`: {"decision", "outcome", "elapsed_ms"} of the seat's last settled decision, or None."""

    def bank_left_ms(self, bank_ms: int) -> int:
        """What is left of the bank."""
        return max(0, bank_ms - self.bank_spent_ms)

    def after(self, entry: Settled, move_ms: int | None, bank_ms: int) -> SeatLedger:
        """The ledger with one more settled decision (PROTOCOL "The clock": the time beyond `move_ms` comes out of the
        bank, a late answer empties it)."""
        spent, faults, answers, answer_ms = self.bank_spent_ms, self.faults, self.answers, self.answer_ms
        if entry.fault is not None:
            faults = {**faults, entry.fault: faults.get(entry.fault, 0) + 1}
        if entry.elapsed_ms is not None:
            answers, answer_ms = answers + 1, answer_ms + entry.elapsed_ms
            if move_ms is not None:
                spent = min(bank_ms, spent + max(0, entry.elapsed_ms - move_ms))
        if entry.fault == "late":
            spent = bank_ms
        previous = {"decision": entry.decision, "outcome": entry.fault or "ok", "elapsed_ms": entry.elapsed_ms or 0}
        return SeatLedger(spent, faults, answers, answer_ms, previous)


@dataclass(frozen=True, slots=True)
class Opening:
    """The state when the decisions that are open now were first asked (an ask shows the game as it stood then)."""

    version: int
    game: Game


class Noted(NamedTuple):
    """An event, before it is put into words: most are never asked for, and there are many."""

    version: int
    at_ms: int
    type: str
    round: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GameView:
    """One version of a game, and what was read with it. Never changes."""

    id: str
    meta: GameMeta
    version: int
    status: str
    game: Game
    opening: Opening
    names: tuple[str | None, ...]
    bots: tuple[str | None, ...]
    versions: tuple[str | None, ...]
    closed: Mapping[str, Closed]
    ledgers: tuple[SeatLedger, ...]
    log: Sequence[Noted]
    event_count: int
    tokens: Mapping[str, str]
    asked: Mapping[str, Asked]
    deadline_ms: int | None
    clock_ms: int
    time_ms: int

    @property
    def over(self) -> bool:
        """Whether it is finished or aborted."""
        return self.status in ("finished", "aborted")

    @property
    def due(self) -> tuple[int, ...]:
        """The seats that owe a decision."""
        return tuple(decision.seat for decision in self.game.decisions) if self.status == "running" else ()

    def events(self, after: int = 0) -> list[Mapping[str, Any]]:
        """Events with `n` above `after`; n counts from 1, without gaps."""
        first = max(0, after)
        return [
            {
                "n": n,
                "type": noted.type,
                "version": noted.version,
                "round": noted.round,
                "at": timestamp(self.meta.created_ms + noted.at_ms),
                **noted.data,
            }
            for n, noted in enumerate(self.log[first : self.event_count], first + 1)
        ]

    @property
    def bank_ms(self) -> int:
        """The bank that each seat of a match began with; 0 in a casual game."""
        return self.meta.match.bank_ms if self.meta.match else 0


class GameProjection:
    """The fold itself: takes entries in, gives views out. Not for use by two threads at once."""

    def __init__(self, game: str, meta: GameMeta, document: str = "") -> None:
        """`document`: the text that `meta` was read from."""
        self.id = game
        self.meta = meta
        self.document = document
        self.version = 0
        self.status = "open"
        self.play = Playthrough.start(
            meta.players, meta.variants, meta.component_set(), meta.dealt(), meta.reshuffles()
        )
        self._opening = Opening(0, self.play.game)
        self._names: list[str | None] = [None] * meta.players
        self._bots: list[str | None] = [None] * meta.players
        self._versions: list[str | None] = [None] * meta.players
        self._closed: dict[str, Closed] = {}
        self._ledgers = [SeatLedger() for _ in range(meta.players)]
        self._events: list[Noted] = []
        self._untold: list[Mapping[str, Any]] = []
        self._ending: Mapping[str, Any] = {}
        self.latest: GameView | None = None
        self.turn = threading.Lock()

    def fold(self, entry: Entry) -> None:
        """Takes in the next entry of the log."""
        self.version += 1
        before = self.play.game
        match entry:
            case Joined(_, seat, name, bot, version):
                self._names[seat], self._bots[seat], self._versions[seat] = name, bot, version
                self._note(entry.at_ms, "joined", 0, {"seat": seat, "name": name})
            case Started():
                self.status = "running"
                self._note(entry.at_ms, "started", 0, {"players": self.meta.players})
                self._add(entry.at_ms, self.play.begun_events)
                self._opening = Opening(self.version, self.play.game)
            case Settled():
                self._settle(entry)
            case Resigned(at, seats, reason):
                self._add(at, self.play.resign(seats, reason))
            case Finished(at):
                self.status = "finished"
                self._tell_defaults(at, self.play.game.round)
                self._note(at, "finished", self.play.game.round, self._ending)
            case Aborted(at):
                self.status = "aborted"
                self._tell_defaults(at, self.play.game.round)
                self._add(at, self.play.abort())
        self._mark_opening(before)

    def _settle(self, entry: Settled) -> None:
        seat = seat_of(entry.decision)
        events = self.play.settle(entry.decision, entry.action, entry.by, entry.fault)
        self._closed[entry.decision] = Closed(entry.action, entry.by, entry.fault, self.version)
        terms = self.meta.match
        self._ledgers[seat] = self._ledgers[seat].after(
            entry, terms.move_ms if terms else None, terms.bank_ms if terms else 0
        )
        if entry.by == "default":
            said = {"seat": seat, "decision": entry.decision, "fault": entry.fault}
            self._untold.append(said)
            # Whoever hears of default cards before all are revealed knows them.
            if events[0].type != "chosen":
                self._tell_defaults(entry.at_ms, events[0].round)
        self._add(entry.at_ms, events)

    def _tell_defaults(self, at_ms: int, number: int) -> None:
        for said in self._untold:
            self._note(at_ms, "defaulted", number, said)
        self._untold.clear()

    def _mark_opening(self, before: Game) -> None:
        known = {decision.id for decision in before.decisions}
        if any(decision.id not in known for decision in self.play.game.decisions):
            self._opening = Opening(self.version, self.play.game)

    def _add(self, at_ms: int, events: Sequence[Event]) -> None:
        for event in events:
            if event.type == "finished":
                # Told by the entry that ends the game, which follows in the same append.
                self._ending = event.data
                continue
            if event.type == "revealed":
                self._tell_defaults(at_ms, event.round)
            data = {**event.data, "forced": True} if event.forced else event.data
            self._note(at_ms, event.type, event.round, data)

    def _note(self, at_ms: int, kind: str, number: int, data: Mapping[str, Any]) -> None:
        self._events.append(Noted(self.version, at_ms, kind, number, data))

    def view(self, row: GameRow) -> GameView:
        """The game as it stands, with what `row` says of the moment."""
        self.latest = GameView(
            id=self.id,
            meta=self.meta,
            version=self.version,
            status=self.status,
            game=self.play.game,
            opening=self._opening,
            names=tuple(self._names),
            bots=tuple(self._bots),
            versions=tuple(self._versions),
            closed=dict(self._closed),
            ledgers=tuple(self._ledgers),
            log=self._events,
            event_count=len(self._events),
            tokens=row.tokens,
            asked=row.asked,
            deadline_ms=row.deadline_ms,
            clock_ms=row.clock_ms,
            time_ms=row.time_ms,
        )
        return self.latest


class ProjectionCache:
    """The games that a process read last, at most `size` of them."""

    def __init__(self, size: int = 256) -> None:
        """A game of four takes about 0.15 MB at its end, and 3 ms to be folded anew."""
        self._size = size
        self._lock = threading.Lock()
        self._games: OrderedDict[str, GameProjection] = OrderedDict()

    def version(self, game: str) -> int:
        """The version this process has folded up to; 0 where it has none."""
        with self._lock:
            live = self._games.get(game)
            return live.version if live else 0

    def latest(self, game: str) -> GameView | None:
        """The game as it was when this process last read or wrote it; None where it has not."""
        with self._lock:
            live = self._games.get(game)
            return live.latest if live else None

    @contextmanager
    def turn(self, game: str) -> Iterator[None]:
        """Lets those of this process who write to a game go one after another, since of those who write at once all but
        one are refused. That only saves them the repetition: who has waited for TURN_S goes on regardless."""
        with self._lock:
            live = self._games.get(game)
        if live is None or not live.turn.acquire(timeout=TURN_S):
            yield
            return
        try:
            yield
        finally:
            live.turn.release()

    def take(self, game: str, row: GameRow) -> GameView | None:
        """Folds a row in.

        None when the cache has moved in the meantime so that entries are missing: read from 0.
        """
        with self._lock:
            live = self._games.pop(game, None)
            if live is not None and row.meta != live.document:
                live = None  # it was removed, and another game was imported under its id
            first = row.version - len(row.entries)
            if live is None or live.version < first or row.version < live.version:
                if first != 0:
                    return None
                live = GameProjection(game, GameMeta.load(row.meta), row.meta)
            for line in row.entries[live.version - first :]:
                live.fold(decode(line))
            self._games[game] = live
            while len(self._games) > self._size:
                self._games.popitem(last=False)
            return live.view(row)

    def follow(self, before: GameView, version: int, entries: Sequence[Entry], time_ms: int) -> GameView | None:
        """The game after this process has appended these entries to `before`, which made that version. It may be newer,
        if somebody in this process has read on already; None when it is not here any more. `time_ms`: wall time now."""
        with self._lock:
            live = self._games.get(before.id)
            if live is None or live.version < before.version:
                return None
            if live.version >= version and live.latest is not None:
                return live.latest
            for entry in entries[live.version - before.version :]:
                live.fold(entry)
            now = max(before.time_ms, time_ms)
            return live.view(GameRow("", before.tokens, version, (), before.asked, None, before.clock_ms, now))

    def drop(self, game: str) -> None:
        """Forgets a game that was removed."""
        with self._lock:
            self._games.pop(game, None)


def folded(game: str, row: GameRow, upto: int | None = None) -> GameProjection:
    """The whole game folded anew from a row read from version 0, up to a version: for its record, or for a question
    about an earlier state."""
    live = GameProjection(game, GameMeta.load(row.meta))
    for line in row.entries[:upto]:
        live.fold(decode(line))
    return live
