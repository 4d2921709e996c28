"""The formats of tournaments behind one interface: from a plan and what was played to the blocks that are known.

Round robin and gauntlet are known as a whole when they begin. The others are drawn in stages (stages.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import ceil, log2

from service.tournament import plan as plans
from service.tournament.divisions import Divisions
from service.tournament.knockout import Knockout
from service.tournament.plan import MAX_MATCHES, Plan, PlanError
from service.tournament.results import MatchResult, counting
from service.tournament.schedule import Schedule
from service.tournament.stages import BlockSource, Stage, StagedFormat, StagedSchedule
from service.tournament.swiss import Swiss

_STAGED: dict[str, StagedFormat] = {"swiss": Swiss(), "knockout": Knockout(), "divisions": Divisions()}


def with_defaults(plan: Plan) -> Plan:
    """The plan with the members that belong to its format and were not given."""
    if plan.format == "swiss":
        return replace(plan, rounds=plan.rounds or ceil(log2(max(2, len(plan.entrants)))) + 2)
    if plan.format == "knockout":
        # Half of a table goes on, and an undecided one may play four deals more than it begins with.
        return replace(plan, advance=plan.advance or plan.players // 2, max_deals=plan.max_deals or plan.deals + 4)
    if plan.format == "divisions":
        # The fewest groups of at most twice the seats of a match; the finals are about as large as one of them.
        groups = plan.groups or max(2, ceil(len(plan.entrants) / (2 * plan.players)))
        return replace(plan, groups=groups, advance=plan.advance or ceil(2 * plan.players / groups))
    return plan


def check(plan: Plan) -> None:
    """Raises PlanError, naming the member at fault, if the plan cannot be played."""
    plans.check(plan)
    if plan.is_staged:
        _STAGED[plan.format].check(plan)
        matches = expected_matches(plan, ())
        if matches > MAX_MATCHES:
            raise PlanError(("deals",), f"{matches} matches are too many, at most {MAX_MATCHES} can be played")


def known_blocks(plan: Plan, stages: Sequence[Stage]) -> BlockSource:
    """The blocks that are known when these stages are drawn. Raises PlanError for a plan that cannot be played."""
    if not plan.is_staged:
        return Schedule(plan)
    check(plan)
    return StagedSchedule(plan, stages)


def next_stage(
    plan: Plan, stages: Sequence[Stage], results: Iterable[MatchResult], withdrawn: Collection[str]
) -> Stage | None:
    """The stage that follows when all blocks of `stages` are done. None: there is no more to play.

    results    of all matches of these stages
    withdrawn  names of the entrants that have withdrawn by now
    """
    if not plan.is_staged:
        return None
    return _STAGED[plan.format].next_stage(plan, stages, counting(results), frozenset(withdrawn))


def expected_matches(plan: Plan, stages: Sequence[Stage]) -> int:
    """How many matches the tournament will have: those that are known, and those expected in stages to come."""
    if not plan.is_staged:
        return plan.matches
    return StagedSchedule(plan, stages).matches + _STAGED[plan.format].matches_to_come(plan, stages)


def ranking(plan: Plan, stages: Sequence[Stage], results: Iterable[MatchResult]) -> list[tuple[str, ...]] | None:
    """All entrants from first to last, those that share a rank together. None: by the order of standings.standings."""
    if not plan.is_staged:
        return None
    return _STAGED[plan.format].ranking(plan, stages, counting(results))
