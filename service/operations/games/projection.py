"""A game as its log tells it: the fold from entries to state, events and everything else that is derived.

A process keeps the games that it read last (`ProjectionCache`) and on the next read folds in only what is new. The
store keeps no state besides the log, so nothing can disagree with it.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

from service.engine.actions import Action
from service.engine.decisions import Decision
from service.engine.events import Event
from service.engine.game import Game, finished_event
from service.operations.games.document import GameMeta
from service.operations.games.log_entries import (
    Aborted,
    AnswerRefused,
    Entry,
    Finished,
    Joined,
    Resigned,
    Settled,
    Started,
    decode,
    seat_of,
)
from service.store import chain
from service.store.games import GameRow, PublishedAsk
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
    refused: tuple[AnswerRefused, ...] = ()
    """The answers to the seat's open decision that were refused."""

    @property
    def refused_ms(self) -> int:
        """How much of the time of the seat's open decision its refused answers have taken."""
        return self.refused[-1].elapsed_ms if self.refused else 0

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


class GameEvent(NamedTuple):
    """An event before it is written as JSON: few are ever asked for, and there are many."""

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
    history: tuple[GameEvent, ...] = ()
    decisions: tuple[tuple[Decision, ...], ...] = ()
    """By version, from 1: the decisions that were open after it."""
    withheld: tuple[Mapping[str, Any], ...] = ()
    """Events of cards chosen by default. They are shown to nobody before all cards are revealed."""
    chain: bytes = b""
    """The hash chain of the log (`service.store.chain`): two views with the same tip are the same game, at the same
    version. Empty before the game is written."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 hex digests by holder."""
    asked: Mapping[str, PublishedAsk] = field(default_factory=dict)
    """Decisions of a match that were put to poll bots, by id."""
    deadline_ms: int | None = None
    """When the open decisions of a casual game are settled by default, in service time."""
    clock_ms: int = 0
    """Service time when this was read."""
    time_ms: int = 0
    """Wall time when this was read, by the store's clock."""

    @classmethod
    def new(cls, game: str, meta: GameMeta) -> GameView:
        """The game before the first entry of its log."""
        nobody = (None,) * meta.players
        dealt = Game.deal(meta.players, meta.variants, meta.component_set(), meta.dealt(), meta.reshuffles()).game
        ledgers = (SeatLedger(),) * meta.players
        return cls(game, meta, 0, "open", dealt, Opening(0, dealt), nobody, nobody, nobody, {}, ledgers)

    @property
    def over(self) -> bool:
        """Whether it is finished or aborted."""
        return self.status in ("finished", "aborted")

    @property
    def due(self) -> tuple[int, ...]:
        """The seats that have an open decision."""
        return tuple(decision.seat for decision in self.game.decisions) if self.status == "running" else ()

    @property
    def changed_ms(self) -> int:
        """When its last entry was written: milliseconds since it was created."""
        return self.history[-1].at_ms if self.history else 0

    def follows(self, version: int, at_ms: int | None = None) -> bool:
        """Whether this is what became of the game at `version`, whose last entry is of the time `at_ms` (None: any).

        It is not where the store has lost that version: its past is another one then (PROTOCOL "Reset").
        """
        if version > self.version:
            return False
        last = bisect_right(self.history, version, key=attrgetter("version")) - 1
        return at_ms is None or last < 0 or self.history[last].at_ms == at_ms

    def continues(self, earlier: bytes) -> bool:
        """Whether the log with the hash chain `earlier` is the beginning of this one.

        It is not where the store has lost some of that log (PROTOCOL "Reset").
        """
        return self.chain.startswith(earlier)

    def events(self, after: int = 0) -> list[Mapping[str, Any]]:
        """Events with `n` above `after`; n counts from 1, without gaps."""
        first = max(0, after)
        return [
            {
                "n": n,
                "type": event.type,
                "version": event.version,
                "round": event.round,
                "at": timestamp(self.meta.created_ms + event.at_ms),
                **event.data,
            }
            for n, event in enumerate(self.history[first:], first + 1)
        ]


class GameProjection:
    """The fold itself: starts from a view, which stays as it is, takes entries in, and gives the view they lead to.

    New entries are folded before they are appended: what the rules refuse never reaches the log, and what was appended
    is not folded again. Not for use by two threads at once.
    """

    def __init__(self, view: GameView) -> None:
        self.before = view
        self.entries: list[Entry] = []
        """What was taken in."""
        self.status = view.status
        self.game = view.game
        self._opening = view.opening
        self._names, self._bots, self._versions = list(view.names), list(view.bots), list(view.versions)
        self._closed = dict(view.closed)
        self._ledgers = list(view.ledgers)
        self._history: list[GameEvent] = []
        self._decisions: list[tuple[Decision, ...]] = []
        self._withheld = list(view.withheld)

    @property
    def version(self) -> int:
        """The version after the entries that were taken in."""
        return self.before.version + len(self.entries)

    def add(self, entry: Entry) -> None:
        """Takes in the next entry. Raises what the rules raise for an action that is not legal, or a decision that is
        not open (`service.engine.errors`); the projection is of no use then."""
        self.entries.append(entry)
        known = {decision.id for decision in self.game.decisions}
        match entry:
            case Joined(at, seat, name, bot, version):
                self._names[seat], self._bots[seat], self._versions[seat] = name, bot, version
                self._note(at, "joined", 0, {"seat": seat, "name": name})
            case Started(at):
                self._start(at)
            case Settled():
                self._settle(entry)
            case AnswerRefused():
                self._refuse(entry)
            case Resigned(at, seats, reason):
                step = self.game.resign(seats, reason)
                self.game = step.game
                self._note_all(at, step.events)
            case Finished(at):
                self._finish(at)
            case Aborted(at):
                self.status = "aborted"
                self._release_withheld(at, self.game.round)
                step = self.game.abort()
                self.game = step.game
                self._note_all(at, step.events)
        self._decisions.append(self.game.decisions if self.status == "running" else ())
        if any(decision.id not in known for decision in self.game.decisions):
            self._opening = Opening(self.version, self.game)

    def view(self) -> GameView:
        """The game as it stands now. What was read with the view that this started from is as it was there."""
        return replace(
            self.before,
            version=self.version,
            status=self.status,
            game=self.game,
            opening=self._opening,
            names=tuple(self._names),
            bots=tuple(self._bots),
            versions=tuple(self._versions),
            closed=self._closed,
            ledgers=tuple(self._ledgers),
            history=(*self.before.history, *self._history),
            decisions=(*self.before.decisions, *self._decisions),
            withheld=tuple(self._withheld),
        )

    def _start(self, at_ms: int) -> None:
        meta = self.before.meta
        self.status = "running"
        self._note(at_ms, "started", 0, {"players": meta.players})
        dealt = Game.deal(meta.players, meta.variants, meta.component_set(), meta.dealt(), meta.reshuffles())
        self._note_all(at_ms, dealt.events)
        self._opening = Opening(self.version, self.game)

    def _settle(self, entry: Settled) -> None:
        step = self.game.apply(entry.decision, entry.action)
        self.game, events = step.game, step.events
        self._closed[entry.decision] = Closed(entry.action, entry.by, entry.fault, self.version)
        seat, terms = seat_of(entry.decision), self.before.meta.match
        self._ledgers[seat] = self._ledgers[seat].after(
            entry, terms.move_ms if terms else None, terms.bank_ms if terms else 0
        )
        if entry.by == "default":
            self._withheld.append({"seat": seat, "decision": entry.decision, "fault": entry.fault})
            # Default cards are known: an event before the reveal would show them.
            if events[0].type != "chosen":
                self._release_withheld(entry.at_ms, events[0].round)
        self._note_all(entry.at_ms, events)

    def _refuse(self, entry: AnswerRefused) -> None:
        """Only the seat's own ask shows it: there is no event."""
        seat = self.game.decision(entry.decision).seat
        ledger = self._ledgers[seat]
        self._ledgers[seat] = replace(ledger, refused=(*ledger.refused, entry))

    def _finish(self, at_ms: int) -> None:
        outcome = self.game.outcome
        assert outcome is not None, "the entry follows the one that ended the game"
        self.status = "finished"
        self._release_withheld(at_ms, self.game.round)
        event = finished_event(outcome)
        self._note(at_ms, event.type, event.round, event.data)

    def _release_withheld(self, at_ms: int, number: int) -> None:
        for data in self._withheld:
            self._note(at_ms, "defaulted", number, data)
        self._withheld.clear()

    def _note_all(self, at_ms: int, events: Sequence[Event]) -> None:
        for event in events:
            if event.type == "finished":
                # Told by the entry that ends the game, which follows in the same append.
                continue
            if event.type == "revealed":
                self._release_withheld(at_ms, event.round)
            data = {**event.data, "forced": True} if event.forced else event.data
            self._note(at_ms, event.type, event.round, data)

    def _note(self, at_ms: int, kind: str, number: int, data: Mapping[str, Any]) -> None:
        self._history.append(GameEvent(self.version, at_ms, kind, number, data))


def folded(view: GameView, lines: Iterable[str]) -> GameView:
    """The game after some more entries of its log. Raises ValueError for a line that is no entry, and what the rules
    raise for one that cannot follow: the store is damaged."""
    projection = GameProjection(view)
    for line in lines:
        projection.add(decode(line))
    return projection.view()


def read_whole(game: str, row: GameRow) -> GameView:
    """The game as a row says that was read from version 0. Raises ValueError where the log does not fit its tip, and
    what `folded` raises: the store is damaged."""
    view = GameView.new(game, GameMeta.load(row.meta))
    whole = read_on(replace(view, chain=chain.begin(row.meta)), row)
    if whole is None:
        raise ValueError(f"the log of game {game} does not fit its tip")
    return whole


def read_on(view: GameView, row: GameRow) -> GameView | None:
    """The game as a row says that was read from the view's version. None where the view is not of the game's past: the
    store has lost it."""
    links = chain.extend(view.chain, row.entries)
    if chain.tip(links) != row.tip:
        return None
    return replace(
        folded(view, row.entries),
        chain=links,
        tokens=row.tokens,
        asked=row.asked,
        deadline_ms=row.deadline_ms,
        clock_ms=row.clock_ms,
        time_ms=row.time_ms,
    )


@dataclass(slots=True)
class _Kept:
    view: GameView
    turn: threading.Lock = field(default_factory=threading.Lock)


class ProjectionCache:
    """The games that a process read last, at most `size` of them.

    A process may know more of a game than the store, which has lost its last second: their chains differ then, and what
    the process knows is dropped.
    """

    def __init__(self, size: int = 256) -> None:
        """A game of four takes about 0.15 MB at its end, and 3 ms to be folded anew."""
        self._size = size
        self._lock = threading.Lock()
        self._games: OrderedDict[str, _Kept] = OrderedDict()

    def latest(self, game: str) -> GameView | None:
        """The game as it was when this process last read or wrote it; None where it has not."""
        with self._lock:
            kept = self._games.get(game)
            return kept.view if kept else None

    @contextmanager
    def turn(self, game: str) -> Iterator[None]:
        """Lets the writers to a game in this process go one after another: of those that write at once all but one are
        refused. That only saves repetitions, so a caller that has waited for TURN_S goes on regardless."""
        with self._lock:
            kept = self._games.get(game)
        if kept is None or not kept.turn.acquire(timeout=TURN_S):
            yield
            return
        try:
            yield
        finally:
            kept.turn.release()

    def keep(self, view: GameView, known: GameView | None) -> None:
        """Notes what was just read or appended. `known`: what this process had before, if it was not newer.

        What was noted meanwhile stays if it is what followed. Anything else is older, or the store has lost it.
        """
        with self._lock:
            kept = self._games.get(view.id)
            if kept is None:
                self._games[view.id] = _Kept(view)
            elif kept.view is known or not kept.view.continues(view.chain):
                kept.view = view
            self._games.move_to_end(view.id)
            while len(self._games) > self._size:
                self._games.popitem(last=False)

    def drop(self, game: str) -> None:
        """Forgets a game that was removed."""
        with self._lock:
            self._games.pop(game, None)
