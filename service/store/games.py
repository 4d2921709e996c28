"""Games as append-only logs in Redis. An append and a read are one script, one round trip, each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.errors import NotFound
from service.store import keys
from service.store.callbacks import Callback, written
from service.store.clients import RedisClient, pairs, script
from service.store.idempotency import CLAIM_LOST, ClaimLost, Receipt, receipt_keys, receipt_values, was_created
from service.store.leases import Lease, LeaseLost
from service.store.packing import pack, unpack


class VersionMoved(Exception):
    """Somebody else appended first. `row`: the game as it stands, with the entries after the version expected."""

    def __init__(self, row: GameRow) -> None:
        super().__init__(f"the version was followed by somebody else's entry: it is {row.version} now")
        self.row = row


@dataclass(frozen=True, slots=True)
class Effects:
    """What an append changes besides the log, in the same atomic step. All of it is derived from the log (hints)."""

    status: str
    """`open`, `running`, `finished` or `aborted`, for the list of public games and for retention."""
    deadline_in_ms: int | None = None
    """A new deadline, from now, in service time; None: none. Ignored with `keep_deadline`."""
    keep_deadline: bool = False
    poll_bots: Mapping[str, bool] = field(default_factory=dict)
    """Poll bots whose set of waiting decisions this append changes: bot id -> whether the game waits for it now."""
    push_seats: tuple[int, ...] = ()
    """Seats of push bots that are to be called now: they owe a decision of a casual game, or are to hear of its end.
    Replaces the game's earlier ones."""
    bots: tuple[str, ...] = ()
    """All bots that have a seat: the game is in each one's list until it is over, and in its list of ended games for
    ten minutes after."""
    callbacks: tuple[Callback, ...] = ()
    """What the game's callback URL is to be told; waits in the store of callbacks."""


@dataclass(frozen=True, slots=True)
class PublishedAsk:
    """A decision that was put to a poll bot: when (wall), with which budget and bank."""

    at_ms: int
    budget_ms: int
    bank_ms: int


@dataclass(frozen=True, slots=True)
class GameRow:
    """One atomic read of a game."""

    meta: str
    """The JSON document written at creation; never changes."""
    tokens: Mapping[str, str]
    """SHA-256 hex digests by holder: `0`..`3` for seats, `creator`."""
    version: int
    entries: tuple[str, ...]
    """The entries of the log after the version asked for."""
    asked: Mapping[str, PublishedAsk]
    """By decision id; only of decisions still open."""
    deadline_ms: int | None
    """Service time."""
    clock_ms: int
    """Service time now."""
    time_ms: int
    """Wall time now, by the store's clock."""


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append brings back: the new version, and the same of the moment as a read."""

    version: int
    deadline_ms: int | None
    clock_ms: int
    time_ms: int


_GONE, _LOST = -2, -3
_MOMENT = 5
"""Parts of the answer to an append that was made; one that was refused has more."""


class GameStore:
    """Games as append-only logs."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._append = script(client, "effects", "callbacks", "idempotency", "row", "append")
        self._create = script(client, "effects", "callbacks", "idempotency", "create")
        self._read = script(client, "row", "read")
        self._ask = script(client, "ask")
        self._withdraw_ask = script(client, "withdraw_ask")
        self._heard = script(client, "heard")
        self._remove = script(client, "remove")
        self._compress = script(client, "compress")

    def create(
        self,
        game: str,
        *,
        meta: str,
        tokens: Mapping[str, str],
        entries: Sequence[str],
        effects: Effects,
        public: bool,
        match: bool,
        receipt: Receipt | None = None,
    ) -> bool:
        """Writes a new game. False, and nothing is written, when the id is in use. A match's game has no idleness,
        retention or deadline of its own: its tournament has. Raises ClaimLost."""
        _check_lines(entries)
        names = [*_append_keys(game), keys.game_meta(game), keys.SERIAL, *receipt_keys(receipt)]
        values = [game, meta, keys.BOT, *_changes(effects), _lines(tokens), "1" if match else "", "1" if public else ""]
        return was_created(self._create(names, [*values, *receipt_values(receipt), *entries]))

    def read(self, game: str, since: int = 0) -> GameRow | None:
        """One round trip. None: no such game."""
        names = [keys.game_meta(game), keys.game_state(game), keys.game_log(game), keys.game_asked(game)]
        answer: Any = self._read([*names, keys.CLOCK, keys.DEADLINES], [game, since])
        return _row(answer, since) if answer else None

    def append(
        self,
        game: str,
        expected: int,
        entries: Sequence[str],
        *,
        effects: Effects,
        tokens: Mapping[str, str] | None = None,
        lease: Lease | None = None,
        receipt: Receipt | None = None,
    ) -> Appended:
        """Appends after version `expected` and publishes the news.

        Raises VersionMoved (with the game as it stands; also when it is over), NotFound (the game is gone), LeaseLost
        (the lease has run out or is another's now), ClaimLost, and ValueError if there is nothing to append.
        """
        if not entries:
            raise ValueError("an append needs an entry")
        _check_lines(entries)
        names = [*_append_keys(game), keys.game_meta(game), keys.game_asked(game)]
        holder = ""
        if lease is not None:
            names.append(keys.lease(lease.name))
            holder = f"{lease.epoch}:{lease.holder}"
        names += receipt_keys(receipt)
        values: list[str | int] = [game, expected, keys.BOT, *_changes(effects), _lines(tokens or {}), holder]
        answer: Any = self._append(names, [*values, *receipt_values(receipt), *entries])
        if answer in (_GONE, []):
            raise NotFound("there is no such game")
        if answer == CLAIM_LOST:
            raise ClaimLost
        if answer == _LOST:
            raise LeaseLost(f"the lease {lease.name if lease else ''} is lost")
        if len(answer) > _MOMENT:
            raise VersionMoved(_row(answer, expected))
        return Appended(int(answer[0]), *_moment(answer[1:]))

    def compress(self, game: str) -> bool:
        """Makes the log of a game that is over small; all reads are as before. False: it is not over, or was small
        already."""
        row = self.read(game)
        if row is None or not row.entries:
            return False
        return bool(self._compress([keys.game_state(game), keys.game_log(game)], [row.version, pack(row.entries)]))

    def publish_ask(self, game: str, decision: str, bot: str, asked_budget_ms: int, bank_ms: int) -> PublishedAsk:
        """Puts a decision of a match to a poll bot and wakes it. Repeating it starts the time anew. Raises NotFound."""
        names = [keys.game_state(game), *_ask_keys(game, bot)]
        at_ms = int(self._ask(names, [game, decision, bot, asked_budget_ms, bank_ms]))
        if at_ms < 0:
            raise NotFound("there is no such game")
        return PublishedAsk(at_ms, asked_budget_ms, bank_ms)

    def withdraw_ask(self, game: str, decision: str, bot: str) -> None:
        """The decision is settled: it leaves the bot's waiting set, unless another of this game has taken its place."""
        self._withdraw_ask(_ask_keys(game, bot), [game, decision, bot])

    def has_heard(self, game: str, seat: int) -> bool:
        """Whether the push bot at a seat of a casual game has been told of the start, as far as that was noted."""
        return bool(self._client.hexists(keys.game_state(game), f"heard:{seat}"))

    def note_heard(self, game: str, seat: int) -> None:
        """The push bot at the seat has been told of the start. Nothing happens when the game is gone."""
        self._heard([keys.game_state(game)], [seat])

    def remove(self, game: str) -> None:
        """Removes every key of the game and every hint that names it."""
        own = [keys.game_state(game), keys.game_log(game), keys.game_meta(game), keys.game_asked(game)]
        own += [keys.game_turn(game, seat) for seat in range(4)]
        lists = [keys.DEADLINES, keys.IDLE, keys.OVER, keys.PUBLIC, keys.TURNS, keys.NEWS]
        names = [*own, *lists, keys.callback_secrets(game)]
        self._remove(names, [game, keys.BOT, keys.CALLBACK_SECRETS_KEPT_S])


def _append_keys(game: str) -> list[str]:
    indexes = [keys.CLOCK, keys.DEADLINES, keys.IDLE, keys.OVER, keys.PUBLIC, keys.TURNS, keys.NEWS, keys.CALLBACKS]
    return [keys.game_state(game), keys.game_log(game), *indexes]


def _ask_keys(game: str, bot: str) -> list[str]:
    return [keys.game_asked(game), keys.bot_row(bot), keys.bot_waiting(bot), keys.NEWS]


def _changes(effects: Effects) -> list[str]:
    """Status, deadline, push seats, bots, poll bots, callbacks, as the scripts take them."""
    deadline = "" if effects.deadline_in_ms is None else str(effects.deadline_in_ms)
    bots = dict.fromkeys([*effects.bots, *effects.poll_bots])
    return [
        effects.status,
        "keep" if effects.keep_deadline else deadline,
        ",".join(str(seat) for seat in effects.push_seats),
        " ".join(bots),
        " ".join(f"{'+' if waits else '-'}{bot}" for bot, waits in effects.poll_bots.items()),
        written(effects.callbacks),
    ]


def _row(answer: Sequence[Any], since: int) -> GameRow:
    """A game as `row.lua` gives it, with the entries after a version."""
    meta, tokens, version, entries, *moment = answer
    asked = moment[4:]
    deadline_ms, clock_ms, time_ms = _moment(moment[:4])
    return GameRow(
        meta=meta,
        tokens=dict(line.split(" ", 1) for line in tokens.splitlines()),
        version=version,
        entries=_entries(entries, since),
        asked={decision: _asked(text) for decision, text in pairs(asked)} if asked else {},
        deadline_ms=deadline_ms,
        clock_ms=clock_ms,
        time_ms=time_ms,
    )


def _moment(answer: Sequence[Any]) -> tuple[int | None, int, int]:
    """Deadline, service time and wall time, as `row.lua` gives them."""
    deadline, clock, seconds, micros = answer
    return None if deadline is None else int(float(deadline)), int(clock), int(seconds) * 1000 + int(micros) // 1000


def _entries(text: str, since: int) -> tuple[str, ...]:
    """As the script gives them: line by line, or all of a compressed log after an empty line."""
    if text.startswith("\n"):
        return unpack(text[1:])[since:]
    return tuple(text.split("\n")) if text else ()


def _lines(tokens: Mapping[str, str]) -> str:
    return "".join(f"{holder} {digest}\n" for holder, digest in tokens.items())


def _asked(text: str) -> PublishedAsk:
    at_ms, budget_ms, bank_ms = text.split(" ")
    return PublishedAsk(int(at_ms), int(budget_ms), int(bank_ms))


def _check_lines(entries: Sequence[str]) -> None:
    # JSON has no raw line breaks, so a log can be read as one string.
    for entry in entries:
        if not entry or "\n" in entry:
            raise ValueError("an entry is one line of JSON")
