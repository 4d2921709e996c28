"""Who meets whom, in which seats and in which order: the blocks of a tournament, computed one by one from its plan.

Nothing that grows with the number of matches is held; a plan with `sets` holds the chosen sets (balanced_sets.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import comb, gcd
from typing import TypeVar

from service.chance import Draws, shuffled
from service.tournament.balanced_sets import choose_sets
from service.tournament.plan import Plan, check

T = TypeVar("T")

# The golden ratio's fraction: steps of this share of a circle visit it most evenly, however many are taken.
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match: its number over the whole tournament, its block, its seating within it, and the name on each seat."""

    match: int
    block: int
    seating: int
    seats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The matches of one set of entrants over one visible deal. `deal` counts the deals that the set has had before."""

    number: int
    entrants: tuple[str, ...]
    deal: int
    pairings: tuple[Pairing, ...]


class Schedule:
    """The schedule of a plan; raises PlanError for one that cannot be played.

    Blocks are numbered deal by deal: every set plays its first deal before any plays its second, and within a deal
    the sets come in an order that visits the entrants evenly, so that an unfinished tournament is close to balanced.
    In a gauntlet in which all sets are played, the challengers meet the same opponents one right after another.
    """

    def __init__(self, plan: Plan) -> None:
        check(plan)
        self.plan = plan
        self.blocks = plan.blocks
        self.matches = plan.matches
        self.seatings_per_block = plan.seatings_per_block
        self.sets_per_deal = plan.blocks // plan.deals
        self._field = plan.field
        chosen = plan.sets is not None and plan.sets < plan.possible_sets
        self._chosen: tuple[tuple[str, ...], ...] | None = choose_sets(plan) if chosen else None
        # How many sets in a row differ in their challenger alone, and how many such rows there are.
        self._row = len(plan.challengers) if plan.challengers and not chosen else 1
        self._rows = self.sets_per_deal // self._row
        self._step, self._start = _stride(self._rows, plan.seed)

    def block(self, number: int) -> Block:
        """Block `number`, from 0. Raises IndexError beyond the last."""
        if not 0 <= number < self.blocks:
            raise IndexError(f"there is no block {number}: they are numbered 0 to {self.blocks - 1}")
        deal, place = divmod(number, self.sets_per_deal)
        row, turn = divmod(place, self._row)
        which = (self._start + row * self._step) % self._rows * self._row + turn
        members = self._members(which)
        around = self._around(members, which, deal)
        first = number * self.seatings_per_block
        pairings = tuple(
            Pairing(first + seating, number, seating, seats) for seating, seats in enumerate(self._seatings(around))
        )
        return Block(number, members, deal, pairings)

    def pairing(self, match: int) -> Pairing:
        """Match `match`, from 0. Raises IndexError beyond the last."""
        if not 0 <= match < self.matches:
            raise IndexError(f"there is no match {match}: they are numbered 0 to {self.matches - 1}")
        number, seating = divmod(match, self.seatings_per_block)
        return self.block(number).pairings[seating]

    def __iter__(self) -> Iterator[Block]:
        return (self.block(number) for number in range(self.blocks))

    def _members(self, which: int) -> tuple[str, ...]:
        """The names of set number `which`: in a round robin in entrants' order, in a gauntlet the challenger first."""
        if self._chosen is not None:
            return self._chosen[which]
        if self.plan.format == "gauntlet":
            rank, challenger = divmod(which, self._row)
            rest = unrank(rank, len(self._field), self.plan.players - 1)
            return (self.plan.challengers[challenger], *(self._field[index] for index in rest))
        return tuple(self.plan.entrants[index] for index in unrank(which, len(self.plan.entrants), self.plan.players))

    def _around(self, members: tuple[str, ...], which: int, deal: int) -> tuple[str, ...]:
        """The set's order around the table on its deal number `deal`.

        Rotations keep neighbours: there are (players - 1)! orders around a table, and each set goes through all of
        them, in an order drawn from the seed, before it repeats one.
        """
        orders = shuffled(self.plan.seed, f"seats.{which // self._row}", list(permutations(members[1:])))
        return (members[0], *orders[deal % len(orders)])

    def _seatings(self, around: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if self.plan.seatings == "all":
            return permutations(around)
        return rotations(around)


def rotations(around: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """As many seatings as seats: everybody has every seat once, and the order around the table stays."""
    return (around[-turn:] + around[:-turn] for turn in range(len(around)))


def unrank(rank: int, items: int, size: int) -> tuple[int, ...]:
    """Combination number `rank` (from 0, lexicographic) of `size` out of range(items), ascending."""
    chosen: list[int] = []
    item = 0
    while size:
        with_item = comb(items - item - 1, size - 1)
        if rank < with_item:
            chosen.append(item)
            size -= 1
        else:
            rank -= with_item
        item += 1
    return tuple(chosen)


def _stride(count: int, seed: str) -> tuple[int, int]:
    """Step and start of a walk over range(count) that visits each once: step has no factor in common with count."""
    step = max(1, round(count * _GOLDEN))
    while gcd(step, count) != 1:
        step += 1
    return step, Draws(seed, "sets.start").below(count)
