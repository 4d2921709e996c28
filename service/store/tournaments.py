"""Tournaments: a document, a status, results that are written once, events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.store import keys, paging
from service.store.callbacks import Callback, written
from service.store.clients import RedisClient, script, texts
from service.store.idempotency import Receipt, receipt_keys, receipt_values, was_created
from service.store.paging import Page

OVER = ("finished", "cancelled", "failed")
"""Statuses in which a tournament stays."""


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """One atomic read of a tournament, without its results."""

    doc: str
    """The JSON document written at creation; never changes."""
    status: str
    """`waiting`, `running`, `paused`, `finished`, `cancelled` or `failed`."""
    reason: str | None
    results: int
    """How many matches have a result."""
    cancelled: int
    """How many of them were cancelled, not played to their end."""
    blocks_done: int
    withdrawn: tuple[str, ...]
    """Ids of withdrawn bots."""
    version: int
    """Counts the events."""
    stages: tuple[str, ...] = ()
    """JSON documents of the stages that are drawn."""

    @property
    def is_over(self) -> bool:
        """Whether it is finished, cancelled or failed."""
        return self.status in OVER


#: Results in one command: a longer one would hold Redis up for all others.
_CHUNK = 1000


class EntrantDeleted(Exception):
    """Nothing was written: an entrant was deleted meanwhile. `bot`: its id."""

    def __init__(self, bot: str) -> None:
        super().__init__(bot)
        self.bot = bot


class TournamentStore:
    """What belongs to single blocks is in `BlockStore`."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._create = script(client, "stamp", "tournament_event", "callbacks", "idempotency", "tournament_create")
        self._read = script(client, "tournament_read", writes=False)
        self._move = script(client, "tournament_event", "callbacks", "tournament_move")
        self._result = script(client, "tournament_event", "tournament_result")
        self._add_stage = script(client, "tournament_event", "tournament_stage")
        self._withdraw = script(client, "tournament_event", "tournament_withdraw")
        self._mark_removed = script(client, "tournament_remove")

    def create(
        self,
        tournament: str,
        doc: str,
        bots: Sequence[str],
        event: str,
        *,
        status: str = "running",
        callback: Callback | None = None,
        receipt: Receipt | None = None,
    ) -> bool:
        """Writes a tournament. False, and nothing is written, when its id is in use.

        bots      ids of the entrants
        status    `running` or `waiting`
        event     JSON document of its first event
        callback  what its callback URL receives of it
        receipt   the answer of a call with an Idempotency-Key

        Raises ClaimLost, EntrantDeleted.
        """
        lists = [keys.TOURNAMENTS, keys.RUNNING, keys.WAITING, keys.STAMP, keys.CLOCK, keys.CALLBACKS]
        names = [*_topic(tournament), *lists, *receipt_keys(receipt)]
        values = [
            tournament,
            event,
            keys.BOT,
            doc,
            " ".join(bots),
            status,
            _written(callback),
            *receipt_values(receipt),
        ]
        result: Any = self._create(names, values)
        if isinstance(result, str):
            raise EntrantDeleted(result)
        return was_created(result)

    def read(self, tournament: str) -> TournamentRow | None:
        """One atomic read. None: there is no such tournament, or it was removed."""
        more = [keys.tournament_done(tournament), keys.tournament_withdrawn(tournament)]
        more.append(keys.tournament_stages(tournament))
        answer: Any = self._read([*_topic(tournament), keys.tournament_results(tournament), *more])
        if not answer:
            return None
        doc, status, reason, version, results, cancelled, blocks_done, stages, *withdrawn = answer
        gone = tuple(sorted(withdrawn))
        return TournamentRow(doc, status, reason, results, cancelled, blocks_done, gone, version, tuple(stages))

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for an invalid cursor."""
        return paging.page(self._client, keys.TOURNAMENTS, limit, cursor)

    def playing(self, bot: str) -> list[str]:
        """Ids of the tournaments that are not over and have the bot among their entrants, withdrawn or not."""
        return sorted(texts(self._client.smembers(keys.bot_tournaments(bot))))

    def running(self) -> list[str]:
        """Ids of tournaments that are running, oldest first."""
        return texts(self._client.zrange(keys.RUNNING, 0, -1))

    def waiting(self) -> list[str]:
        """Ids of tournaments that wait for their entrants to be ready, oldest first."""
        return texts(self._client.zrange(keys.WAITING, 0, -1))

    def move(
        self,
        tournament: str,
        sources: Sequence[str],
        target: str,
        *,
        event: str,
        reason: str | None = None,
        callback: Callback | None = None,
    ) -> bool:
        """Changes the status if it is one of `sources`; writes the event in the same step. False otherwise."""
        values = [tournament, event, keys.BOT, target, reason or "", _written(callback), *sources]
        lists = [keys.RUNNING, keys.WAITING, keys.CLOCK, keys.CALLBACKS]
        return bool(self._move([*_topic(tournament), *lists], values))

    def add_stage(self, tournament: str, stage: str, event: str, *, after: int, blocks: int) -> bool:
        """Writes the next stage. False, and nothing changes, unless there are `after` stages and all of their `blocks`
        blocks are done, or when the tournament does not run.

        stage  JSON document
        """
        names = [*_topic(tournament), keys.tournament_stages(tournament), keys.tournament_done(tournament)]
        return bool(self._add_stage(names, [tournament, event, stage, after, blocks]))

    def put_result(self, tournament: str, match: int, result: str, event: str, *, cancelled: bool = False) -> bool:
        """Writes the result of a match, once. False, and nothing changes, when the match has a result, the tournament
        is over, or there is no such tournament. `cancelled`: the match was not played to its end."""
        names = [*_topic(tournament), keys.tournament_results(tournament)]
        return bool(self._result(names, [tournament, event, match, result, int(cancelled)]))

    def results(self, tournament: str, matches: Sequence[int] | None = None) -> dict[int, str]:
        """Results by match number, of all matches or of some, in the order of their numbers."""
        return self._by_match(keys.tournament_results(tournament), matches)

    def put_void(self, tournament: str, match: int, result: str, event: str) -> bool:
        """Notes that a match is void and played again, with the result of its first attempt (status `void`), once.
        False, and nothing changes, when the match was void before, the tournament is over, or there is no such
        tournament. `results` does not have it."""
        names = [*_topic(tournament), keys.tournament_voids(tournament)]
        return bool(self._result(names, [tournament, event, match, result, 0]))

    def voids(self, tournament: str, matches: Sequence[int] | None = None) -> dict[int, str]:
        """Results of void attempts by match number, of all matches or of some, in the order of their numbers."""
        return self._by_match(keys.tournament_voids(tournament), matches)

    def _by_match(self, key: str, matches: Sequence[int] | None) -> dict[int, str]:
        numbers = sorted(matches) if matches is not None else sorted(map(int, texts(self._client.hkeys(key))))
        found: dict[int, str] = {}
        for start in range(0, len(numbers), _CHUNK):
            some = numbers[start : start + _CHUNK]
            values: Any = self._client.hmget(key, [str(match) for match in some])
            found.update((match, value) for match, value in zip(some, values, strict=True) if value is not None)
        return found

    def withdraw(self, tournament: str, bot: str, event: str) -> bool:
        """False: the bot was withdrawn before, or there is no such tournament."""
        names = [*_topic(tournament), keys.tournament_withdrawn(tournament)]
        return bool(self._withdraw(names, [tournament, event, bot]))

    def events(self, tournament: str, after: int, limit: int) -> list[tuple[int, str]]:
        """(n, JSON document) of at most `limit` events after number `after`. n counts from 1, without gaps."""
        if limit <= 0:
            return []
        found = texts(self._client.lrange(keys.tournament_events(tournament), after, after + limit - 1))
        return [(after + n, event) for n, event in enumerate(found, 1)]

    def mark_removed(self, tournament: str) -> bool:
        """From now on no reader finds the tournament. False: there is none, or it is not over."""
        names = [keys.tournament_row(tournament), keys.TOURNAMENTS, keys.REMOVED, keys.NEWS]
        return bool(self._mark_removed(names, [tournament]))

    def removed(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(tournament, document, documents of its stages) of those that were removed and still have keys."""
        found: list[tuple[str, str, tuple[str, ...]]] = []
        for tournament in sorted(texts(self._client.smembers(keys.REMOVED))):
            document: Any = self._client.hget(keys.tournament_row(tournament), "doc")
            stages = texts(self._client.lrange(keys.tournament_stages(tournament), 0, -1))
            found.append((tournament, document, tuple(stages)))
        return found

    def forget(self, tournament: str) -> None:
        """Deletes all keys of a removed tournament but those of its games. The row goes last: until then `removed`
        lists it."""
        self._client.delete(
            keys.tournament_results(tournament),
            keys.tournament_voids(tournament),
            keys.tournament_done(tournament),
            keys.tournament_stages(tournament),
            keys.season_log(tournament),
            keys.tournament_withdrawn(tournament),
            keys.tournament_failures(tournament),
            keys.tournament_response_times(tournament),
            keys.tournament_events(tournament),
        )
        self._client.expire(keys.callback_secrets(tournament), keys.CALLBACK_SECRETS_KEPT_S)
        with self._client.pipeline() as pipe:
            pipe.srem(keys.REMOVED, tournament)
            pipe.delete(keys.tournament_row(tournament))
            pipe.execute()


def _written(callback: Callback | None) -> str:
    return "" if callback is None else written([callback])


def _topic(tournament: str) -> list[str]:
    return [keys.tournament_row(tournament), keys.tournament_events(tournament), keys.NEWS]
