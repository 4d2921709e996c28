"""Which formats fit into an organiser's time: for each, the settings that use it up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from math import comb

from service.tournament import formats
from service.tournament.plan import MAX_CHOSEN_SETS, MAX_ENTRANTS, Plan, PlanError
from service.tournament.results import MatchResult
from service.tournament.stages import Stage, StagedSchedule

STAGED = ("swiss", "knockout", "divisions")


def plans(entrants: tuple[str, ...], players: int, processes: int, blocks_in_a_row: int) -> Iterator[Plan]:
    """A plan of each format that takes no longer than `blocks_in_a_row` blocks after one another, and nearly as long.

    processes  how many blocks are played at a time, as far as they have no entrant in common

    Formats that take longer, however few deals are played, are left out.
    """
    base = Plan("round_robin", entrants, (), players, 1, None, "rotations", "advice")
    largest = _largest(partial(_with_blocks, base), processes, blocks_in_a_row)
    if largest is not None:
        yield largest
    for name in STAGED:
        staged = replace(base, format=name)
        found = _largest(partial(_with_deals, staged), processes, blocks_in_a_row)
        if found is None and name == "divisions":
            found = _largest(partial(_with_sets, staged), processes, blocks_in_a_row)
        if found is not None:
            yield found


def _with_deals(plan: Plan, deals: int) -> Plan:
    return replace(plan, deals=deals)


def _with_sets(plan: Plan, sets: int) -> Plan:
    return replace(plan, sets=sets)


def _with_blocks(base: Plan, blocks: int) -> Plan:
    """The round robin of at most so many blocks: some sets on one deal, or all sets on as many deals as fit."""
    every = comb(len(base.entrants), base.players)
    if blocks < every:
        return replace(base, sets=min(blocks, MAX_CHOSEN_SETS))
    return replace(base, deals=blocks // every)


def _largest(plan_of: Callable[[int], Plan], processes: int, blocks_in_a_row: int) -> Plan | None:
    """The plan of the largest size that fits, found by bisection; None if no size can be played and fits."""

    def fits(size: int) -> bool:
        plan = formats.with_defaults(plan_of(size))
        return lasts(plan, processes) <= blocks_in_a_row

    smallest = next((size for size in range(1, MAX_ENTRANTS) if _can_be_played(plan_of(size))), None)
    if smallest is None or not fits(smallest):
        return None
    low, high = smallest, smallest + 1
    while _can_be_played(plan_of(high)) and fits(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if _can_be_played(plan_of(middle)) and fits(middle):
            low = middle
        else:
            high = middle
    return formats.with_defaults(plan_of(low))


def _can_be_played(plan: Plan) -> bool:
    try:
        formats.check(formats.with_defaults(plan))
    except PlanError:
        return False
    return True


def lasts(plan: Plan, processes: int) -> int:
    """How many blocks are played one after another until the tournament ends, if all blocks take as long: stages have
    to wait for each other, and an entrant plays one block at a time."""
    if not plan.is_staged:
        return -(-plan.blocks // min(processes, len(plan.entrants) // plan.players))
    one_deal = formats.with_defaults(replace(plan, deals=1, max_deals=None))
    stages = _stages(one_deal)
    schedule = StagedSchedule(one_deal, stages)
    ends = [*schedule.first_blocks[1:], schedule.blocks]
    total = 0
    for stage, first, end in zip(stages, schedule.first_blocks, ends, strict=True):
        at_a_time = min(processes, sum(len(pool) // plan.players for pool in stage.pools))
        total += -(-(end - first) * plan.deals // at_a_time)
    return total


@lru_cache(maxsize=64)
def _stages(plan: Plan) -> tuple[Stage, ...]:
    """The stages of a tournament that goes as listed: the better seed is always placed higher."""
    stages: tuple[Stage, ...] = ()
    results: list[MatchResult] = []
    place = {name: at for at, name in enumerate(plan.entrants)}
    while (stage := formats.next_stage(plan, stages, results, ())) is not None:
        stages = (*stages, stage)
        schedule = formats.known_blocks(plan, stages)
        for number in range(len(results), schedule.matches):
            pairing = schedule.pairing(number)
            order = sorted(pairing.seats, key=place.__getitem__)
            results.append(
                MatchResult(
                    match=pairing.match,
                    block=pairing.block,
                    seating=pairing.seating,
                    attempt=0,
                    status="finished",
                    seats=pairing.seats,
                    points=tuple(plan.players - order.index(name) for name in pairing.seats),
                    places=tuple(1 + order.index(name) for name in pairing.seats),
                    ended="played",
                )
            )
    return stages
