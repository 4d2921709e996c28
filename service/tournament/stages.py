"""Formats whose draw depends on results: the tournament is played in stages, each drawn when the one before is over.

A stage says which entrants meet: every one of its pools plays a round robin of its own. A table of a Swiss tournament
or a knockout is a pool of as many entrants as a match has seats; a group of divisions is a larger one. A stage is drawn
from the plan, the results of all stages before it and the entrants that have withdrawn by then, and from nothing else,
so anybody can draw it again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb
from typing import Any, Protocol

from service.chance import draw_hash
from service.tournament.plan import Plan
from service.tournament.results import MatchResult
from service.tournament.schedule import Block, Pairing, Schedule
from service.tournament.standings import Standing, standings


class BlockSource(Protocol):
    """The blocks of a tournament as far as they are known. More may follow; those that are known do not change."""

    @property
    def blocks(self) -> int:
        """How many are known: they are numbered from 0."""
        ...

    @property
    def matches(self) -> int:
        """How many matches these blocks have."""
        ...

    @property
    def seatings_per_block(self) -> int:
        """Matches of one block."""
        ...

    def block(self, number: int) -> Block:
        """Raises IndexError for a block that is not known."""
        ...

    def pairing(self, match: int) -> Pairing:
        """Raises IndexError for a match that is not known."""
        ...

    def __iter__(self) -> Iterator[Block]: ...


@dataclass(frozen=True, slots=True)
class Stage:
    """One draw.

    round      counts from 1. A stage in which tables of a knockout play on has the round of the stage before
    pools      names; all sets of `Plan.players` entrants of a pool meet (or `Plan.sets` of them), and nobody else
    deals      how many deals each set plays
    byes       names of those who sit the round out
    advance    how many of each pool go on to the next round; empty where nobody drops out
    withdrawn  names of those who had withdrawn before it was drawn, in entrants' order
    """

    round: int
    pools: tuple[tuple[str, ...], ...]
    deals: int
    byes: tuple[str, ...] = ()
    advance: tuple[int, ...] = ()
    withdrawn: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Its members by name, with lists for tuples."""
        return {**asdict(self), "pools": [list(pool) for pool in self.pools]} | {
            name: list(getattr(self, name)) for name in ("byes", "advance", "withdrawn")
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Stage:
        """Undoes to_json."""
        return cls(
            round=value["round"],
            pools=tuple(tuple(pool) for pool in value["pools"]),
            deals=value["deals"],
            byes=tuple(value["byes"]),
            advance=tuple(value["advance"]),
            withdrawn=tuple(value["withdrawn"]),
        )


class StagedSchedule:
    """The blocks of the stages that are drawn, numbered through: stage by stage, and within a stage pool by pool.

    The seed of a pool is the hash of the tournament's seed, the label `stage.<stage>.<pool>` and 0, in hexadecimal.
    """

    def __init__(self, plan: Plan, stages: Sequence[Stage]) -> None:
        self.seatings_per_block = plan.seatings_per_block
        self.first_blocks: list[int] = []
        """Number of the first block of each stage."""
        self._pools: list[Plan] = []
        self._starts: list[int] = []
        self._schedules: dict[int, Schedule] = {}
        self.blocks = 0
        for number, stage in enumerate(stages):
            self.first_blocks.append(self.blocks)
            for index, members in enumerate(stage.pools):
                pool = pool_plan(plan, stage, members, draw_hash(plan.seed, f"stage.{number}.{index}", 0).hex())
                self._pools.append(pool)
                self._starts.append(self.blocks)
                self.blocks += pool.blocks
        self.matches = self.blocks * self.seatings_per_block

    def block(self, number: int) -> Block:
        """Block `number`, from 0. Raises IndexError for one that is not drawn."""
        if not 0 <= number < self.blocks:
            raise IndexError(f"block {number} is not drawn: there are {self.blocks}, numbered from 0")
        index = bisect_right(self._starts, number) - 1
        schedule = self._schedules.get(index)
        if schedule is None:
            schedule = self._schedules[index] = Schedule(self._pools[index])
        found = schedule.block(number - self._starts[index])
        first = number * self.seatings_per_block
        pairings = tuple(replace(one, match=first + one.seating, block=number) for one in found.pairings)
        return replace(found, number=number, pairings=pairings)

    def pairing(self, match: int) -> Pairing:
        """Match `match`, from 0. Raises IndexError for one that is not drawn."""
        number, seating = divmod(match, self.seatings_per_block)
        return self.block(number).pairings[seating]

    def __iter__(self) -> Iterator[Block]:
        return (self.block(number) for number in range(self.blocks))

    def stage_of(self, block: int) -> int:
        """The number of the stage, from 0, that a block belongs to."""
        return bisect_right(self.first_blocks, block) - 1


def pool_plan(plan: Plan, stage: Stage, members: tuple[str, ...], seed: str) -> Plan:
    """The round robin of one pool."""
    sets = None if plan.sets is None else min(plan.sets, comb(len(members), plan.players))
    return Plan("round_robin", members, (), plan.players, stage.deals, sets, plan.seatings, seed)


class StagedFormat(Protocol):
    """What a format of stages knows. All of it is pure."""

    def check(self, plan: Plan) -> None:
        """Raises PlanError for a plan that cannot be played."""
        ...

    def next_stage(
        self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult], withdrawn: Collection[str]
    ) -> Stage | None:
        """The stage after these, all of whose blocks are done. None: the tournament is complete.

        results    those that count
        withdrawn  names of the entrants that have withdrawn
        """
        ...

    def matches_to_come(self, plan: Plan, stages: Sequence[Stage]) -> int:
        """How many matches are expected in stages that are not drawn yet, if nobody withdraws."""
        ...

    def ranking(self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult]) -> list[tuple[str, ...]]:
        """All entrants from first to last; those in one tuple share a rank.

        results  those that count; the last stage need not be over
        """
        ...


def of_stages(
    plan: Plan, stages: Sequence[Stage], results: Iterable[MatchResult], first: int, upto: int
) -> list[MatchResult]:
    """The results of the stages `first` to `upto - 1`."""
    schedule = StagedSchedule(plan, stages)
    starts = [*schedule.first_blocks, schedule.blocks]
    return [result for result in results if starts[first] <= result.block < starts[upto]]


def pool_standings(pool: Sequence[str], results: Iterable[MatchResult]) -> list[Standing]:
    """The standings of the matches among the members of a pool; of those that are level, the better seed comes first.

    pool  in the order of the seeds
    """
    members = set(pool)
    return standings(pool, [result for result in results if members.issuperset(result.seats)])
