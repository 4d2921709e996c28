"""Which waiting blocks to hand out, so that nobody blocks the others. A pure choice; the steward carries it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

SLOW_FACTOR = 4.0
"""A bot is slow that takes so many times as long for an answer as the middle one of its tournament, and"""
SLOW_MS = 100.0
"""so long at least: below that it holds its places hardly longer than the others."""


@dataclass(frozen=True, slots=True)
class Block(Generic[Key]):
    """A block that waits or is being played.

    bots    whom it takes: it is one game at a time of each
    slow    whether one of them is slow (`Paces`)
    fresh   those of them whose pace nobody knows yet
    """

    key: Key
    bots: frozenset[str]
    slow: bool = False
    fresh: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Places:
    """How many blocks may be played at once: `common`, and `spare` ones, which are for blocks of slow bots alone."""

    common: int
    spare: int = 0

    @property
    def all(self) -> int:
        """Both together."""
        return self.common + self.spare


@dataclass(frozen=True, slots=True)
class Paces:
    """What is known of how quick the bots of a tournament are. `known`: those who were asked; `slow`: some of them."""

    known: frozenset[str]
    slow: frozenset[str]

    @classmethod
    def of(cls, answer_ms: Mapping[str, float]) -> Paces:
        """From the time that each bot takes for an answer (ms), which has no bot that was never asked."""
        if not answer_ms:
            return cls(frozenset(), frozenset())
        limit = max(SLOW_MS, SLOW_FACTOR * median_low(answer_ms.values()))
        return cls(frozenset(answer_ms), frozenset(bot for bot, taken in answer_ms.items() if taken >= limit))

    def block(self, key: Key, bots: Collection[str]) -> Block[Key]:
        """A block of these bots."""
        members = frozenset(bots)
        return Block(key, members, not members.isdisjoint(self.slow), members - self.known)


def choose(
    waiting: Iterable[Block[Key]], active: Sequence[Block[Key]], places: Places, max_games: Mapping[str, int]
) -> list[Key]:
    """Keys of the waiting blocks to hand out now, in the order chosen.

    waiting    blocks that could start, the one that should start first first; read only as far as needed to fill the
               free places, wholly if they cannot be filled
    active     blocks that are handed out or being played
    max_games  most games at once of a bot; a bot that is not in it has no limit of its own

    A bot never gets above its `max_games`. And as long as others wait for a place,

    - blocks of slow bots get the spare places alone (one of the common ones, where there are none): they stay longest,
      so that they would collect in all places, and cost next to nothing while they stay;
    - a bot gets no more than half of the common places, and of all together, rounded up, and no more than one place
      until its pace is known.

    Others wait: for the first rule, a block without slow bots; for the second, one without that bot. A place that no
    block may take by these rules stays empty; it is kept for those others. A block that has to wait is passed over, not
    held against those behind it.

    Raises ValueError if a block is waiting twice, or waiting and active.
    """
    given = _Given(places, max_games, active)
    left: list[Block[Key]] = []
    for block in waiting:
        if given.free <= 0:
            return given.chosen
        given.check(block)
        if not given.take(block, given.spare, {}):
            left.append(block)
    _give_the_rest(given, left, places.all)
    return given.chosen


def _give_the_rest(given: _Given[Key], left: list[Block[Key]], most: int) -> None:
    """Every free place and every block is known now: who is in all that still wait may have more, `most` at last."""
    while given.free > 0 and left:
        everywhere = frozenset.intersection(*(block.bots for block in left))
        share = dict.fromkeys(everywhere, most)
        spare = most if all(block.slow for block in left) else given.spare
        taken = next((block for block in left if given.take(block, spare, share)), None)
        if taken is None:
            break
        left.remove(taken)


class _Given(Generic[Key]):
    """The places for blocks while they are given away."""

    def __init__(self, places: Places, max_games: Mapping[str, int], active: Sequence[Block[Key]]) -> None:
        self.chosen: list[Key] = []
        self.spare = max(1, places.spare)
        self._places = places
        self._half = -(-places.all // 2)
        self._half_of_common = -(-places.common // 2)
        self._max_games = max_games
        self._slow = sum(block.slow for block in active)
        self._quick = len(active) - self._slow
        self._held = Counter(bot for block in active for bot in block.bots)
        self._held_of_common = Counter(bot for block in active if not block.slow for bot in block.bots)
        self._seen = {block.key for block in active}

    @property
    def free(self) -> int:
        """Places that are left, of whichever kind."""
        return self._places.all - self._slow - self._quick

    def check(self, block: Block[Key]) -> None:
        """Raises ValueError for a block that was seen before."""
        if block.key in self._seen:
            raise ValueError(f"block {block.key!r} is listed twice")
        self._seen.add(block.key)

    def take(self, block: Block[Key], slow: int, share: Mapping[str, int]) -> bool:
        """Gives the block a place, if there is one for its kind and none of its bots gets more than its limit and its
        share. `slow`: how many places blocks of slow bots may have; `share`: of the bots that may have more than what
        they get while others wait."""
        if not self._has_place(block, slow):
            return False
        if any(self._has_enough(bot, block, share) for bot in block.bots):
            return False
        self.chosen.append(block.key)
        self._slow += block.slow
        self._quick += not block.slow
        self._held.update(block.bots)
        if not block.slow:
            self._held_of_common.update(block.bots)
        return True

    def _has_enough(self, bot: str, block: Block[Key], share: Mapping[str, int]) -> bool:
        usual = 1 if bot in block.fresh else self._half
        if self._held[bot] >= min(share.get(bot, usual), self._max_games.get(bot, self._places.all)):
            return True
        # Who meets a slow bot in a spare place has no fewer of the common ones for that.
        return not block.slow and self._held_of_common[bot] >= share.get(bot, self._half_of_common)

    def _has_place(self, block: Block[Key], slow: int) -> bool:
        if block.slow:
            return self._slow < slow and self.free > 0
        # What blocks of slow bots hold beyond the spare places, they hold of the common ones.
        return self._quick + max(0, self._slow - self._places.spare) < self._places.common
