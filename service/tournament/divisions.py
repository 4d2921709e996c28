"""Divisions: groups in which all meet, then finals of the best of each; and how entrants move between divisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from service.tournament import plan as plans
from service.tournament.knockout import serpentine
from service.tournament.plan import Plan, PlanError
from service.tournament.results import MatchResult
from service.tournament.stages import Stage, of_stages, pool_plan, pool_standings
from service.tournament.standings import standings


class Divisions:
    """The format `divisions` (stages.StagedFormat): a stage of groups and one of finals."""

    def check(self, plan: Plan) -> None:
        """Raises PlanError for groups or finals that cannot be played."""
        entrants, players = len(plan.entrants), plan.players
        if plan.groups is None or plan.groups < 2:
            raise PlanError(("groups",), f"must be at least 2, not {plan.groups}")
        smallest = entrants // plan.groups
        if smallest < players:
            raise PlanError(("groups",), f"{entrants} bots make at most {entrants // players} groups of {players}")
        if plan.advance is None or not 1 <= plan.advance <= smallest:
            raise PlanError(("advance",), f"must be 1 to {smallest}, the size of the smallest group")
        if plan.groups * plan.advance < players:
            raise PlanError(("advance",), f"the finals need at least {players} bots, not {plan.groups * plan.advance}")
        for stage in (self._groups(plan, plan.entrants, ()), self._finals(plan, plan.entrants, ())):
            for pool in stage.pools:
                plans.check(pool_plan(plan, stage, pool, plan.seed))

    def next_stage(
        self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult], withdrawn: Collection[str]
    ) -> Stage | None:
        """The groups, then the finals."""
        gone = tuple(name for name in plan.entrants if name in withdrawn)
        present = [name for name in plan.entrants if name not in withdrawn]
        if len(stages) == 2 or len(present) < plan.players:
            return None
        if not stages:
            return self._groups(plan, present, gone)
        chosen: set[str] = set()
        for pool, advance in zip(stages[0].pools, stages[0].advance, strict=True):
            in_group = [row.name for row in pool_standings(pool, results) if row.name not in withdrawn]
            chosen.update(in_group[:advance])
        ranked = [name for level in self.ranking(plan, stages, results) for name in level]
        others = [name for name in ranked if name not in chosen and name not in withdrawn]
        # So many have withdrawn that the finals have free seats: the best of the others take them.
        chosen.update(others[: max(0, plan.players - len(chosen))])
        return self._finals(plan, [name for name in plan.entrants if name in chosen], gone)

    def _groups(self, plan: Plan, present: Sequence[str], withdrawn: tuple[str, ...]) -> Stage:
        """Groups of about equal size, seeds dealt out there and back; fewer of them where too many have withdrawn."""
        pools = serpentine(present, min(plan.groups or 1, len(present) // plan.players))
        advance = tuple(min(plan.advance or 1, len(pool)) for pool in pools)
        return Stage(1, pools, plan.deals, advance=advance, withdrawn=withdrawn)

    def _finals(self, plan: Plan, finalists: Sequence[str], withdrawn: tuple[str, ...]) -> Stage:
        return Stage(2, (tuple(finalists),), plan.deals, withdrawn=withdrawn)

    def matches_to_come(self, plan: Plan, stages: Sequence[Stage]) -> int:
        """Those of the stages that are missing, if nobody withdraws."""
        groups = stages[0] if stages else self._groups(plan, plan.entrants, ())
        finals = self._finals(plan, plan.entrants[: sum(groups.advance)], ())
        missing = (groups, finals)[len(stages) :]
        return sum(pool_plan(plan, stage, pool, plan.seed).matches for stage in missing for pool in stage.pools)

    def ranking(self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult]) -> list[tuple[str, ...]]:
        """Finalists by the finals alone; then the others by their rank in their group, and by all their matches."""
        found: list[tuple[str, ...]] = []
        finalists: frozenset[str] = frozenset()
        groups = results
        if len(stages) == 2:
            finalists = frozenset(stages[1].pools[0])
            groups = of_stages(plan, stages, results, 0, 1)
            rows = standings(stages[1].pools[0], of_stages(plan, stages, results, 1, 2))
            found += [tuple(row.name for row in level) for _, level in groupby(rows, lambda row: row.rank)]
        in_group = {
            row.name: row.rank for stage in stages[:1] for pool in stage.pools for row in pool_standings(pool, groups)
        }
        overall = {row.name: row.rank for row in standings(plan.entrants, groups)}

        def key(name: str) -> tuple[int, int]:
            return in_group.get(name, len(plan.entrants)), overall[name]

        others = sorted((name for name in plan.entrants if name not in finalists), key=key)
        return found + [tuple(level) for _, level in groupby(others, key)]


def promote_and_relegate(
    tables: Sequence[Sequence[str]], moves: int, left: Collection[str] = (), newcomers: Sequence[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """The divisions of the next season, from the final tables of this one.

    tables     the divisions from the highest to the lowest, each from its first to its last
    moves      how many change places between each two neighbouring divisions
    left       those that do not take part any more: all below them move up, so that each division keeps its size and
               only the lowest one shrinks
    newcomers  they join the lowest division, in this order

    Each division has first those that came down, then those that stayed, then those that came up. Raises ValueError
    where somebody is listed twice, or a division is too small to give away `moves` at both ends.
    """
    known = [name for table in tables for name in table]
    every = [*known, *newcomers]
    if len(set(every)) != len(every):
        raise ValueError("an entrant is listed twice")
    if moves < 0:
        raise ValueError(f"moves must be 0 or more, not {moves}")
    remaining = iter([name for name in known if name not in set(left)])
    stays = [[name for _, name in zip(table, remaining, strict=False)] for table in tables]
    for number, division in enumerate(stays):
        ends = (number > 0) + (number < len(stays) - 1)
        if len(division) < moves * ends:
            raise ValueError(f"division {number + 1} has {len(division)} entrants, but {moves * ends} are to leave it")
    divided: list[tuple[str, ...]] = []
    for number, division in enumerate(stays):
        is_first, is_last = number == 0, number == len(stays) - 1
        down = [] if is_first or not moves else stays[number - 1][-moves:]
        up = [] if is_last else stays[number + 1][:moves]
        kept = division[0 if is_first else moves : len(division) if is_last else len(division) - moves]
        divided.append((*down, *kept, *up, *(newcomers if is_last else ())))
    return tuple(divided)
