"""Blocks of tournaments: which are handed out, which are done, and how quick their bots are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.store import keys
from service.store.clients import Client, script
from service.store.removal import RemovalStore


class BlockStore(RemovalStore):
    """The part of `ports.TournamentStore` that is about blocks."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._activate = script(client, "block_activate")
        self._pace = script(client, "tournament_pace")

    def done(self, tournament: str) -> set[int]:
        """Numbers of the blocks that are done."""
        found: Any = self._client.smembers(keys.tournament_done(tournament))
        return {int(block) for block in found}

    def done_of(self, tournament: str, blocks: Sequence[int]) -> set[int]:
        """Which of these blocks are done."""
        if not blocks:
            return set()
        found: Any = self._client.smismember(keys.tournament_done(tournament), list(blocks))
        return {block for block, member in zip(blocks, found, strict=True) if member}

    def finish_block(self, tournament: str, block: int) -> None:
        """It is done, and handed out no more."""
        with self._client.pipeline() as pipe:
            pipe.sadd(keys.tournament_done(tournament), block)
            pipe.zrem(keys.ACTIVE, _member(tournament, block))
            pipe.execute()

    def note_failure(self, tournament: str, block: int) -> int:
        """Counts a block's failures by a defect of ours; returns the count."""
        return int(self._client.hincrby(keys.tournament_failures(tournament), str(block), 1))

    def activate(self, tournament: str, block: int) -> None:
        """Marks a block as handed out now (service time), unless it is done. Again: anew."""
        names = [keys.ACTIVE, keys.CLOCK, keys.tournament_done(tournament)]
        self._activate(names, [_member(tournament, block), block])

    def deactivate(self, tournament: str, block: int) -> None:
        self._client.zrem(keys.ACTIVE, _member(tournament, block))

    def active(self) -> list[tuple[str, int, int]]:
        """(tournament, block, handed out at, service time) of all blocks handed out and not done, oldest first."""
        found: Any = self._client.zrange(keys.ACTIVE, 0, -1, withscores=True)
        split = ((member.rpartition(":"), at_ms) for member, at_ms in found)
        return [(tournament, int(block), int(at_ms)) for (tournament, _, block), at_ms in split]

    def note_pace(self, tournament: str, answers: Mapping[str, tuple[int, int]]) -> None:
        """Adds answers of bots: how many, and the ms that they took together."""
        said = [value for bot, (count, ms) in answers.items() for value in (bot, count, ms)]
        self._pace([keys.tournament_row(tournament), keys.tournament_paces(tournament)], said)

    def paces(self, tournament: str) -> dict[str, float]:
        """By the id of each bot that was asked: ms that an answer took on average, of the latest hundred or so."""
        found: Any = self._client.hgetall(keys.tournament_paces(tournament))
        split = ((bot, value.split()) for bot, value in found.items())
        return {bot: float(ms) / float(count) for bot, (count, ms) in split}


def _member(tournament: str, block: int) -> str:
    return f"{tournament}:{block}"
