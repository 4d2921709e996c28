"""Tournaments that were removed: gone for all who read, until everything of them is."""

from __future__ import annotations

from typing import Any

from service.store import keys
from service.store.clients import Client, script

#: Keys of marks deleted in one command.
_CHUNK = 1000


class RemovalStore:
    """The part of `ports.TournamentStore` that is about removing them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._mark_removed = script(client, "tournament_remove")

    def mark_removed(self, tournament: str) -> bool:
        """False: there is none, or it is not over."""
        names = [keys.tournament_row(tournament), keys.TOURNAMENTS, keys.REMOVED, keys.NEWS]
        return bool(self._mark_removed(names, [tournament]))

    def removed(self) -> list[tuple[str, str]]:
        """(tournament, document) of those that were removed and are not forgotten yet."""
        found: Any = self._client.smembers(keys.REMOVED)
        listed = sorted(found)
        documents: Any = [self._client.hget(keys.tournament_row(tournament), "doc") for tournament in listed]
        return list(zip(listed, documents, strict=True))

    def forget(self, tournament: str, blocks: int) -> None:
        """Deletes all keys of it, the row last: until then it is among the removed ones."""
        for start in range(0, blocks, _CHUNK):
            some = range(start, min(blocks, start + _CHUNK))
            self._client.delete(*(keys.tournament_queued(tournament, block) for block in some))
        self._client.delete(
            keys.tournament_results(tournament),
            keys.tournament_voids(tournament),
            keys.tournament_done(tournament),
            keys.tournament_withdrawn(tournament),
            keys.tournament_failures(tournament),
            keys.tournament_paces(tournament),
            keys.tournament_events(tournament),
        )
        self._client.expire(keys.callback_secrets(tournament), keys.CALLBACK_SECRETS_KEPT_S)
        with self._client.pipeline() as pipe:
            pipe.srem(keys.REMOVED, tournament)
            pipe.delete(keys.tournament_row(tournament))
            pipe.execute()
