"""Ladders: a document, and a list of seasons. A season is a tournament, with a log of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.store import keys, paging
from service.store.clients import RedisClient, script, texts
from service.store.paging import Page
from service.store.tournaments import EntrantDeleted


@dataclass(frozen=True, slots=True)
class LadderRow:
    """One atomic read of a ladder. `doc`: JSON, never changes. `status`: `open` or `closed`. `seasons`: ids of its
    tournaments, oldest first; the last one may not be created yet."""

    doc: str
    status: str
    seasons: tuple[str, ...]


class LadderStore:
    """Ladders, and the logs of their seasons."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._create = script(client, "stamp", "ladder_create")
        self._season = script(client, "ladder_season")
        self._append = script(client, "tournament_event", "season_append")

    def create(self, ladder: str, doc: str) -> bool:
        """False, and nothing is written, when the id is in use."""
        return bool(self._create([keys.ladder_row(ladder), keys.LADDERS, keys.STAMP], [ladder, doc]))

    def read(self, ladder: str) -> LadderRow | None:
        """None: there is no such ladder."""
        with self._client.pipeline() as pipe:
            pipe.hmget(keys.ladder_row(ladder), "doc", "status")
            pipe.lrange(keys.ladder_seasons(ladder), 0, -1)
            (doc, status), seasons = pipe.execute()
        return None if doc is None else LadderRow(doc, status, tuple(seasons))

    def page(self, limit: int, cursor: str | None) -> Page:
        """Newest first. Raises InvalidRequest for an invalid cursor."""
        return paging.page(self._client, keys.LADDERS, limit, cursor)

    def all(self) -> list[str]:
        """Ids of all ladders, oldest first."""
        return texts(self._client.zrange(keys.LADDERS, 0, -1))

    def close(self, ladder: str) -> None:
        """From now on no season follows the one that runs."""
        self._client.hset(keys.ladder_row(ladder), "status", "closed")

    def add_season(self, ladder: str, tournament: str, *, after: int) -> bool:
        """Names the next season. False, and nothing changes, unless there are `after` seasons and the ladder is
        open."""
        names = [keys.ladder_row(ladder), keys.ladder_seasons(ladder)]
        return bool(self._season(names, [tournament, after]))

    def log(self, tournament: str, after: int) -> list[str]:
        """The entries of a season's log after the first `after`; JSON documents."""
        return texts(self._client.lrange(keys.season_log(tournament), after, -1))

    def append(
        self,
        tournament: str,
        entries: Sequence[str],
        event: str,
        *,
        after: int,
        entering: Sequence[str] = (),
        released: Sequence[str] = (),
    ) -> bool:
        """Appends to a season's log. False, and nothing changes, unless it has `after` entries and the season is not
        over.

        entries   JSON documents
        event     JSON document of the event
        entering  ids of bots that from now on cannot be deleted
        released  ids of bots that can be deleted again

        Raises EntrantDeleted.
        """
        names = [
            keys.tournament_row(tournament),
            keys.tournament_events(tournament),
            keys.NEWS,
            keys.season_log(tournament),
        ]
        values: list[str | int] = [tournament, event, keys.BOT, after, " ".join(entering), " ".join(released), *entries]
        result: Any = self._append(names, values)
        if isinstance(result, str):
            raise EntrantDeleted(result)
        return int(result) == 1
