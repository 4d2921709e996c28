"""Which waiting blocks to hand out, so that nobody blocks the others. A pure choice; the steward carries it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

SLOW_FACTOR = 4.0
"""A bot is slow if an answer takes it this many times as long as the median bot of its tournament, and"""
SLOW_MS = 100.0
"""at least so long: a quicker bot hardly holds a slot longer than the others do."""


@dataclass(frozen=True, slots=True)
class WaitingBlock(Generic[Key]):
    """A block that waits or is being played.

    bots      its bots: it takes one game at a time of each
    slow      whether one of them is slow (`BotSpeeds`)
    untimed   those of them whose response time is not known yet
    """

    key: Key
    bots: frozenset[str]
    slow: bool = False
    untimed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Slots:
    """How many blocks can be played at once: in `common` slots, and in `spare` ones, which only blocks of slow bots
    get."""

    common: int
    spare: int = 0

    @property
    def all(self) -> int:
        """Both together."""
        return self.common + self.spare


@dataclass(frozen=True, slots=True)
class BotSpeeds:
    """How quick the bots of a tournament are. `known`: those that were asked before; `slow`: the slow ones of them."""

    known: frozenset[str]
    slow: frozenset[str]

    @classmethod
    def of(cls, answer_ms: Mapping[str, float]) -> BotSpeeds:
        """From the average time of an answer (ms) of each bot that was asked before."""
        if not answer_ms:
            return cls(frozenset(), frozenset())
        limit = max(SLOW_MS, SLOW_FACTOR * median_low(answer_ms.values()))
        return cls(frozenset(answer_ms), frozenset(bot for bot, taken in answer_ms.items() if taken >= limit))

    def block(self, key: Key, bots: Collection[str]) -> WaitingBlock[Key]:
        """A block of these bots."""
        members = frozenset(bots)
        return WaitingBlock(key, members, not members.isdisjoint(self.slow), members - self.known)


def choose(
    waiting: Iterable[WaitingBlock[Key]],
    active: Sequence[WaitingBlock[Key]],
    slots: Slots,
    max_games: Mapping[str, int],
) -> list[Key]:
    """Keys of the waiting blocks to hand out now, in the order chosen.

    waiting    blocks that could start, in the order in which they should; read only as far as needed to fill the free
               slots, and to the end if they cannot be filled
    active     blocks that are handed out or being played
    max_games  how many games a bot can play at once; a bot that is not in it has no limit of its own

    A bot never gets above its `max_games`. And as long as other blocks wait for a slot,

    - blocks of slow bots get the spare slots alone (one of the common ones, where there are none): they stay longest,
      so that they would collect in all slots, and cost next to nothing while they stay;
    - a bot gets at most half of the common slots, and half of all together, rounded up, and only one slot until its
      response time is known.

    "Other blocks" are, for the first rule, those without a slow bot; for the second, those without that bot. A slot
    that no block may take by these rules stays empty, and is kept for those others. A block that has to wait is passed
    over and does not hold up the blocks behind it.

    Raises ValueError if a block is waiting twice, or waiting and active.
    """
    allocation = _Allocation(slots, max_games, active)
    left: list[WaitingBlock[Key]] = []
    for block in waiting:
        if allocation.free <= 0:
            return allocation.chosen
        allocation.check(block)
        if not allocation.take(block, allocation.spare, {}):
            left.append(block)
    _allocate_the_rest(allocation, left, slots.all)
    return allocation.chosen


def _allocate_the_rest(allocation: _Allocation[Key], left: list[WaitingBlock[Key]], most: int) -> None:
    """All blocks have been seen, and slots are free: a bot that is in every block that is left may have more, up to
    `most`."""
    while allocation.free > 0 and left:
        everywhere = frozenset.intersection(*(block.bots for block in left))
        share = dict.fromkeys(everywhere, most)
        spare = most if all(block.slow for block in left) else allocation.spare
        taken = next((block for block in left if allocation.take(block, spare, share)), None)
        if taken is None:
            break
        left.remove(taken)


class _Allocation(Generic[Key]):
    """The slots while blocks are chosen for them."""

    def __init__(self, slots: Slots, max_games: Mapping[str, int], active: Sequence[WaitingBlock[Key]]) -> None:
        self.chosen: list[Key] = []
        self.spare = max(1, slots.spare)
        self._slots = slots
        self._half = -(-slots.all // 2)
        self._half_of_common = -(-slots.common // 2)
        self._max_games = max_games
        self._slow = sum(block.slow for block in active)
        self._quick = len(active) - self._slow
        self._held = Counter(bot for block in active for bot in block.bots)
        self._held_of_common = Counter(bot for block in active if not block.slow for bot in block.bots)
        self._seen = {block.key for block in active}

    @property
    def free(self) -> int:
        """Free slots of both kinds."""
        return self._slots.all - self._slow - self._quick

    def check(self, block: WaitingBlock[Key]) -> None:
        """Raises ValueError for a block that was seen before."""
        if block.key in self._seen:
            raise ValueError(f"block {block.key!r} is listed twice")
        self._seen.add(block.key)

    def take(self, block: WaitingBlock[Key], slow: int, share: Mapping[str, int]) -> bool:
        """Gives the block a slot, if one of its kind is free and none of its bots gets more than its limit and its
        share.

        slow   how many slots blocks of slow bots may have
        share  for bots that may have more than the usual share: how many slots
        """
        if not self._has_slot(block, slow):
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

    def _has_enough(self, bot: str, block: WaitingBlock[Key], share: Mapping[str, int]) -> bool:
        usual = 1 if bot in block.untimed else self._half
        if self._held[bot] >= min(share.get(bot, usual), self._max_games.get(bot, self._slots.all)):
            return True
        # A bot that meets a slow bot in a spare slot has no fewer of the common ones for that.
        return not block.slow and self._held_of_common[bot] >= share.get(bot, self._half_of_common)

    def _has_slot(self, block: WaitingBlock[Key], slow: int) -> bool:
        if block.slow:
            return self._slow < slow and self.free > 0
        # The slots that blocks of slow bots hold beyond the spare ones are common ones.
        return self._quick + max(0, self._slow - self._slots.spare) < self._slots.common
