"""Blocks of tournaments: which are done, which are handed out, and how quick their bots are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.store import keys
from service.store.clients import RedisClient, script


class BlockStore:
    """A block goes by its tournament and its number, from 0."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._activate = script(client, "block_activate")
        self._finish = script(client, "block_finish")
        self._note_response_times = script(client, "response_times")

    def done(self, tournament: str, blocks: Sequence[int]) -> set[int]:
        """Which of these blocks are done; costs as much as there are of these."""
        if not blocks:
            return set()
        found: Any = self._client.smismember(keys.tournament_done(tournament), list(blocks))
        return {block for block, member in zip(blocks, found, strict=True) if member}

    def finish(self, tournament: str, block: int, matches: Sequence[int]) -> bool:
        """From now on the block is done, and no longer handed out. False, and nothing changes, if one of its matches
        (numbers) has no result: Redis may have lost what the caller has seen."""
        names = [keys.tournament_done(tournament), keys.ACTIVE, keys.tournament_results(tournament)]
        return bool(self._finish(names, [block, _member(tournament, block), *matches]))

    def note_failure(self, tournament: str, block: int) -> int:
        """Counts a failure of the block by a defect of the service. Returns the count."""
        return int(self._client.hincrby(keys.tournament_failures(tournament), str(block), 1))

    def activate(self, tournament: str, block: int) -> None:
        """Marks a block as handed out now (service time), unless it is done. A block that is handed out already gets
        the new time."""
        names = [keys.ACTIVE, keys.CLOCK, keys.tournament_done(tournament)]
        self._activate(names, [_member(tournament, block), block])

    def deactivate(self, tournament: str, block: int) -> None:
        """The block is no longer handed out."""
        self._client.zrem(keys.ACTIVE, _member(tournament, block))

    def active(self) -> list[tuple[str, int, int]]:
        """(tournament, block, service time in ms at which it was handed out) of all blocks that are handed out and not
        done, oldest first."""
        found: Any = self._client.zrange(keys.ACTIVE, 0, -1, withscores=True)
        split = ((member.rpartition(":"), at_ms) for member, at_ms in found)
        return [(tournament, int(block), int(at_ms)) for (tournament, _, block), at_ms in split]

    def note_response_times(self, tournament: str, answers: Mapping[str, tuple[int, int]]) -> None:
        """Adds answers of bots (ids): how many there were, and how long they took together (ms). A hint; nothing
        happens when there is no such tournament."""
        values = [value for bot, (count, ms) in answers.items() for value in (bot, count, ms)]
        names = [keys.tournament_row(tournament), keys.tournament_response_times(tournament)]
        self._note_response_times(names, values)

    def response_times(self, tournament: str) -> dict[str, float]:
        """Average time of an answer (ms) over the latest hundred or so, by the id of each bot that was asked."""
        found: Any = self._client.hgetall(keys.tournament_response_times(tournament))
        split = ((bot, value.split()) for bot, value in found.items())
        return {bot: float(ms) / float(count) for bot, (count, ms) in split}


def _member(tournament: str, block: int) -> str:
    return f"{tournament}:{block}"
