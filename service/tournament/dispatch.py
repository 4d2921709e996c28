"""Which waiting blocks to enqueue next, so that nobody blocks the others. A pure choice; the steward carries it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

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
    half = -(-capacity // 2)
    free = capacity - len(active)
    held = Counter(bot for _, bots in active for bot in set(bots))
    seen = {key for key, _ in active}
    chosen: list[Key] = []
    left: list[tuple[Key, frozenset[str]]] = []

    def may_take(bots: frozenset[str], share: Mapping[str, int]) -> bool:
        return all(held[bot] < min(share.get(bot, half), max_games.get(bot, capacity)) for bot in bots)

    def take(key: Key, bots: frozenset[str]) -> None:
        chosen.append(key)
        held.update(bots)

    for key, names in waiting:
        if len(chosen) >= free:
            return chosen
        if key in seen:
            raise ValueError(f"block {key!r} is listed twice")
        seen.add(key)
        bots = frozenset(names)
        if may_take(bots, {}):
            take(key, bots)
        else:
            left.append((key, bots))
    # Every free place and every block is known now: whoever is in all that still wait may have more than half.
    while len(chosen) < free and left:
        everywhere = frozenset.intersection(*(bots for _, bots in left))
        share = dict.fromkeys(everywhere, capacity)
        found = next((index for index, (_, bots) in enumerate(left) if may_take(bots, share)), None)
        if found is None:
            break
        take(*left.pop(found))
    return chosen
