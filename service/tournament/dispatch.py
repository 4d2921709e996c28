"""Which waiting blocks to enqueue next, so that nobody blocks the others. A pure choice; the steward carries it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


def choose(
    waiting: Iterable[tuple[Key, Collection[str]]],
    active: Sequence[tuple[Key, Collection[str]]],
    capacity: int,
    max_games: Mapping[str, int],
) -> list[Key]:
    """Keys of the waiting blocks to enqueue now, in the order chosen.

    waiting    blocks that could start, each with its bots, the one that should start first first; read only as far
               as needed to fill the free places, wholly if they cannot be filled
    active     blocks enqueued or being played, each with its bots; a block is one game at a time of each of its bots
    capacity   how many blocks may be active at once, chosen ones included
    max_games  most games at once of a bot; a bot that is not in it has no limit of its own

    A bot never gets above its `max_games`. And while blocks without a bot wait, the bot gets no more than half of the
    capacity, rounded up: were the blocks of a slow bot in all places, those without it would stand still. A place that
    no block may take by these rules stays empty; it is kept for the blocks without that bot. A block that has to wait
    is passed over, not held against those behind it.

    Raises ValueError if a block is waiting twice, or waiting and active.
    """
    places = _Places(capacity, max_games, active)
    left: list[tuple[Key, frozenset[str]]] = []
    for key, names in waiting:
        if places.free <= 0:
            return places.chosen
        block = places.checked(key, frozenset(names))
        if not places.take(block, {}):
            left.append(block)
    # Every free place and every block is known now: whoever is in all that still wait may have more than half.
    while places.free > 0 and left:
        everywhere = frozenset.intersection(*(bots for _, bots in left))
        share = dict.fromkeys(everywhere, capacity)
        taken = next((block for block in left if places.take(block, share)), None)
        if taken is None:
            break
        left.remove(taken)
    return places.chosen


class _Places(Generic[Key]):
    """The places for blocks while they are given away."""

    def __init__(
        self, capacity: int, max_games: Mapping[str, int], active: Sequence[tuple[Key, Collection[str]]]
    ) -> None:
        self.chosen: list[Key] = []
        self.free = capacity - len(active)
        self._capacity = capacity
        self._half = -(-capacity // 2)
        self._max_games = max_games
        self._held = Counter(bot for _, bots in active for bot in set(bots))
        self._seen = {key for key, _ in active}

    def checked(self, key: Key, bots: frozenset[str]) -> tuple[Key, frozenset[str]]:
        """Raises ValueError for a block that was seen before."""
        if key in self._seen:
            raise ValueError(f"block {key!r} is listed twice")
        self._seen.add(key)
        return key, bots

    def take(self, block: tuple[Key, frozenset[str]], share: Mapping[str, int]) -> bool:
        """Gives the block a place if none of its bots gets more than its limit and its share: half of the places
        where `share` does not name the bot."""
        key, bots = block
        for bot in bots:
            limit = min(share.get(bot, self._half), self._max_games.get(bot, self._capacity))
            if self._held[bot] >= limit:
                return False
        self.chosen.append(key)
        self.free -= 1
        self._held.update(bots)
        return True
