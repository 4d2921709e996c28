"""The formats of tournaments behind one interface: from a plan and what was played to the blocks that are known.

Round robin and gauntlet are known as a whole when they begin. The others are drawn in stages (stages.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import ceil, log2

from service.tournament import plan as plans
from service.tournament.plan import MAX_MATCHES, Plan, PlanError
from service.tournament.results import MatchResult, counting
from service.tournament.schedule import Schedule
from service.tournament.stages import BlockSource, Stage, StagedFormat, StagedSchedule
from service.tournament.swiss import Swiss

_STAGED: dict[str, StagedFormat] = {"swiss": Swiss()}


def with_defaults(plan: Plan) -> Plan:
    """The plan with the members that belong to its format and were not given."""
    if plan.format == "swiss" and plan.rounds is None:
        return replace(plan, rounds=ceil(log2(max(2, len(plan.entrants)))) + 2)
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
