"""Games as append-only logs in Redis. An append and a read are one script, one round trip, each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from service.errors import NotFound, Unavailable
from service.store import chain, keys
from service.store.callbacks import Callback, written
from service.store.clients import RedisClient, pairs, script, unavailable
from service.store.idempotency import CLAIM_LOST, ClaimLost, Receipt, receipt_keys, receipt_values, was_created
from service.store.leases import Lease, LeaseLost, held
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
    """Seats of push bots that are to be called now: they have an open decision of a casual game, or get its `/end`.
    Replaces the game's earlier ones."""
    bots: tuple[str, ...] = ()
    """All bots that have a seat: the game is in each one's list until it is over, and in its list of ended games for
    ten minutes after."""
    callbacks: tuple[Callback, ...] = ()
    """Callbacks of the game that are to be sent; they wait in the store of callbacks."""


@dataclass(frozen=True, slots=True)
class Append:
    """What is to be appended to a game's log, and follows `past`: the chain of that log, as the caller knows it."""

    game: str
    past: bytes
    entries: Sequence[str]
    effects: Effects


@dataclass(frozen=True, slots=True)
class PublishedAsk:
    """A decision that was put to a poll bot: when (wall), with which budget and bank, and what its refused answers had
    taken before."""

    at_ms: int
    budget_ms: int
    bank_ms: int
    spent_ms: int


@dataclass(frozen=True, slots=True)
class GameRow:
    """One atomic read of a game."""

    meta: str
    """The JSON document written at creation; never changes."""
    tokens: Mapping[str, str]
    """SHA-256 hex digests by holder: `0`..`3` for seats, `creator`."""
    version: int
    tip: str
    """The last link of the log's hash chain (`service.store.chain`)."""
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
    """What an append brings back: the chain with the new entries, and the same of the moment as a read."""

    chain: bytes
    deadline_ms: int | None
    clock_ms: int
    time_ms: int

    @property
    def version(self) -> int:
        """The new version."""
        return chain.version(self.chain)


GameKind = Literal["public", "private", "match"]
"""Whether a casual game is in the public list, or the game is that of a match."""
_GONE, _LOST = -2, -3
_MOMENT = 4
"""Parts of the answer to an append that was made; one that was refused has more."""


class GameStore:
    """Games as append-only logs."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._append = script(client, "lease", "offers", "effects", "callbacks", "idempotency", "row", "append")
        self._create = script(client, "stamp", "lease", "offers", "effects", "callbacks", "idempotency", "create")
        self._read = script(client, "row", "read", writes=False)
        self._ask = script(client, "lease", "ask")
        self._withdraw_ask = script(client, "lease", "withdraw_ask")
        self._message = script(client, "lease", "message")
        self._remove = script(client, "offers", "remove")
        self._compress = script(client, "compress")

    def create(
        self,
        game: str,
        *,
        meta: str,
        tokens: Mapping[str, str],
        entries: Sequence[str],
        effects: Effects,
        kind: GameKind,
        lease: Lease | None = None,
        receipt: Receipt | None = None,
    ) -> bool:
        """Writes a new game. False, and nothing is written, when the id is in use. A match's game has no idleness,
        retention or deadline of its own: its tournament has. Raises LeaseLost, ClaimLost."""
        _check_lines(entries)
        lease_keys, value = held(lease)
        names = [*_append_keys(game), keys.game_meta(game), keys.STAMP, *lease_keys, *receipt_keys(receipt)]
        tip = chain.tip(chain.extend(chain.begin(meta), entries))
        values = [game, value, tip, keys.BOT, *_changes(effects), _lines(tokens), meta, kind]
        made: Any = self._create(names, [*values, *receipt_values(receipt), *entries])
        _check_lease(made, lease)
        return was_created(made)

    def read(self, game: str, since: int = 0) -> GameRow | None:
        """One round trip. None: no such game."""
        names = [keys.game_meta(game), keys.game_state(game), keys.game_log(game), keys.game_asked(game)]
        answer: Any = self._read([*names, keys.CLOCK, keys.DEADLINES], [game, since])
        return _row(answer, since) if answer else None

    def append(
        self,
        game: str,
        past: bytes,
        entries: Sequence[str],
        *,
        effects: Effects,
        tokens: Mapping[str, str] | None = None,
        lease: Lease | None = None,
        receipt: Receipt | None = None,
    ) -> Appended:
        """Appends to a log and publishes the news. `past`: the chain of that log, as the caller knows it.

        Raises VersionMoved (with the game as it stands, where that is not what the caller knows, or it is over),
        NotFound (the game is gone), LeaseLost (the lease has run out or is another's now), ClaimLost, and ValueError if
        there is nothing to append.
        """
        wanted = Append(game, past, entries, effects)
        answer: Any = self._append(*_append_call(wanted, tokens, lease, receipt))
        if answer == CLAIM_LOST:
            raise ClaimLost
        _check_lease(answer, lease)
        return _appended(wanted, answer)

    def append_all(self, wanted: Sequence[Append]) -> list[Appended | VersionMoved | NotFound | Unavailable]:
        """Appends to the logs of several games, in one round trip and with one sync to disk. Each append is done or
        refused by itself. Returns, in order, what each brought back, or what `append` would have raised; after
        Unavailable an append may have had its effect.
        """
        if not wanted:
            return []
        try:
            answers = self._client.run_together(self._append, [_append_call(one) for one in wanted])
        except Unavailable as error:
            return [error] * len(wanted)
        return [_outcome(one, answer) for one, answer in zip(wanted, answers, strict=True)]

    def compress(self, game: str) -> bool:
        """Makes the log of a game that is over small; all reads are as before. False: it is not over, or was small
        already."""
        row = self.read(game)
        if row is None or not row.entries:
            return False
        return bool(self._compress([keys.game_state(game), keys.game_log(game)], [row.version, pack(row.entries)]))

    def publish_ask(
        self,
        game: str,
        decision: str,
        bot: str,
        budget_ms: int,
        bank_ms: int,
        *,
        spent_ms: int = 0,
        lease: Lease | None = None,
    ) -> PublishedAsk:
        """Puts a decision of a match to a poll bot and wakes it. Repeating it starts the time anew. `spent_ms`: what
        refused answers to it have taken before. Raises NotFound, LeaseLost."""
        lease_keys, value = held(lease)
        names = [*_ask_keys(game, bot), keys.game_state(game), *lease_keys]
        at_ms = int(self._ask(names, [game, value, decision, bot, budget_ms, bank_ms, spent_ms]))
        _check_lease(at_ms, lease)
        if at_ms == _GONE:
            raise NotFound("there is no such game")
        return PublishedAsk(at_ms, budget_ms, bank_ms, spent_ms)

    def withdraw_ask(self, game: str, decision: str, bot: str, *, lease: Lease | None = None) -> None:
        """The decision is settled: it leaves the bot's waiting set, unless another of this game has taken its place.
        Raises LeaseLost."""
        lease_keys, value = held(lease)
        done: Any = self._withdraw_ask([*_ask_keys(game, bot), *lease_keys], [game, value, decision, bot])
        _check_lease(done, lease)

    def claim_message(self, game: str, seat: int, kind: str, *, lease: Lease | None = None) -> bool:
        """Whether the push bot at a seat is to be sent its `start` or `end` now: each is claimed once, before that.
        False, too, when the game is gone. Raises LeaseLost."""
        lease_keys, value = held(lease)
        claimed: Any = self._message([keys.game_state(game), *lease_keys], [game, value, seat, kind])
        _check_lease(claimed, lease)
        return bool(claimed)

    def remove(self, game: str) -> None:
        """Removes every key of the game and every hint that names it."""
        own = [keys.game_state(game), keys.game_log(game), keys.game_meta(game), keys.game_asked(game)]
        lists = [keys.DEADLINES, keys.IDLE, keys.OVER, keys.PUBLIC, keys.TURNS, keys.NEWS]
        names = [*own, *lists, keys.callback_secrets(game), keys.UNREADABLE, keys.CLOCK]
        self._remove(names, [game, keys.BOT, keys.CALLBACK_SECRETS_KEPT_S])


def _append_call(
    wanted: Append,
    tokens: Mapping[str, str] | None = None,
    lease: Lease | None = None,
    receipt: Receipt | None = None,
) -> tuple[list[str], list[Any]]:
    """Keys and arguments of `append.lua`."""
    if not wanted.entries:
        raise ValueError("an append needs an entry")
    _check_lines(wanted.entries)
    game = wanted.game
    lease_keys, value = held(lease)
    names = [*_append_keys(game), keys.game_meta(game), keys.game_asked(game), *lease_keys, *receipt_keys(receipt)]
    tip = chain.tip(chain.extend(wanted.past, wanted.entries))
    values = [game, value, tip, keys.BOT, *_changes(wanted.effects), _lines(tokens or {})]
    values += [str(chain.version(wanted.past)), chain.tip(wanted.past)]
    return names, [*values, *receipt_values(receipt), *wanted.entries]


def _appended(wanted: Append, answer: Any) -> Appended:
    """What `append.lua` answered, unless a lease or claim was lost. Raises NotFound, VersionMoved."""
    if answer in (_GONE, []):
        raise NotFound("there is no such game")
    if len(answer) > _MOMENT:
        raise VersionMoved(_row(answer, chain.version(wanted.past)))
    return Appended(chain.extend(wanted.past, wanted.entries), *_moment(answer))


def _outcome(wanted: Append, answer: Any) -> Appended | VersionMoved | NotFound | Unavailable:
    """The same for one of several appends; what redis-py gives for a refused command is an exception."""
    try:
        with unavailable():
            if isinstance(answer, Exception):
                raise answer
        return _appended(wanted, answer)
    except (VersionMoved, NotFound, Unavailable) as error:
        return error


def _check_lease(answer: Any, lease: Lease | None) -> None:
    if lease is not None and answer == _LOST:
        raise LeaseLost(f"the lease {lease.name} is lost")


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
    meta, tokens, version, tip, entries = answer[:5]
    deadline_ms, clock_ms, time_ms = _moment(answer[5 : 5 + _MOMENT])
    asked = answer[5 + _MOMENT :]
    return GameRow(
        meta=meta,
        tokens=dict(line.split(" ", 1) for line in tokens.splitlines()),
        version=version,
        tip=tip,
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
    at_ms, budget_ms, bank_ms, spent_ms = text.split(" ")
    return PublishedAsk(int(at_ms), int(budget_ms), int(bank_ms), int(spent_ms))


def _check_lines(entries: Sequence[str]) -> None:
    # JSON has no raw line breaks, so a log can be read as one string.
    for entry in entries:
        if not entry or "\n" in entry:
            raise ValueError("an entry is one line of JSON")
