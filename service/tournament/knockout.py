"""Knockouts: rounds of tables of which only the best go on, until one table is left.

Seeds are the order of the entrants. A table plays its deals, and then one more at a time as long as those that go on
are level with those that don't.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from service.tournament.plan import Plan, PlanError
from service.tournament.results import MatchResult
from service.tournament.stages import Stage, of_stages, pool_standings
from service.tournament.standings import standings


class Knockout:
    """The format `knockout` (stages.StagedFormat)."""

    def check(self, plan: Plan) -> None:
        """Raises PlanError where nobody would drop out, or the deals contradict each other."""
        if plan.advance is None or not 1 <= plan.advance < plan.players:
            raise PlanError(("advance",), f"must be 1 to {plan.players - 1} of a table of {plan.players}")
        if plan.max_deals is None or plan.max_deals < plan.deals:
            raise PlanError(("max_deals",), f"must be at least `deals`, which is {plan.deals}")

    def next_stage(
        self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult], withdrawn: Collection[str]
    ) -> Stage | None:
        """Another deal for tables that are not decided, or else the next round."""
        gone = tuple(name for name in plan.entrants if name in withdrawn)
        if not stages:
            present = [name for name in plan.entrants if name not in withdrawn]
            return None if len(present) < plan.players else draw_round(plan, 1, present, gone)
        number = stages[-1].round
        played = _of_round(plan, stages, results, number)
        opening = _opening(stages, number)
        open_tables = [
            (table, advance)
            for table, advance in zip(opening.pools, opening.advance, strict=True)
            if not _is_decided(plan, stages, number, table, advance, played, withdrawn)
        ]
        if open_tables:
            tables, advances = zip(*open_tables, strict=True)
            return Stage(number, tables, 1, advance=advances, withdrawn=gone)
        if _is_final(opening):
            return None
        ahead = [*opening.byes]
        for table, advance in zip(opening.pools, opening.advance, strict=True):
            left = [row.name for row in pool_standings(table, played) if row.name not in withdrawn]
            ahead += left[:advance]
        ranked = [name for level in self.ranking(plan, stages, results) for name in level]
        present = [name for name in ahead if name not in withdrawn]
        others = [name for name in ranked if name not in withdrawn and name not in ahead]
        # So many have withdrawn that the final has free seats: the best of those that are out take them.
        present += others[: max(0, plan.players - len(present))]
        if len(present) < plan.players:
            return None
        return draw_round(plan, number + 1, [name for name in plan.entrants if name in set(present)], gone)

    def matches_to_come(self, plan: Plan, stages: Sequence[Stage]) -> int:
        """Every table of the rounds to come plays `deals` blocks; more only where it is not decided by then."""
        advance = plan.advance or 1
        left = len(plan.entrants)
        tables = 0
        if stages:
            opening = _opening(stages, stages[-1].round)
            left = len(opening.byes) + sum(opening.advance)
        while left >= plan.players:
            count, goes_on = _sizes(left, plan.players, advance)
            tables += count
            if left == plan.players:
                break
            left = left - count * plan.players + sum(goes_on)
        return tables * plan.deals * plan.seatings_per_block

    def ranking(self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult]) -> list[tuple[str, ...]]:
        """By the last round that an entrant was in; then those that have a bye in it; then as in any standings of the
        matches of that round."""
        reached = dict.fromkeys(plan.entrants, 0)
        for stage in stages:
            for name in (*stage.byes, *(name for pool in stage.pools for name in pool)):
                reached[name] = stage.round
        found: list[tuple[str, ...]] = []
        for number in sorted(set(reached.values()), reverse=True):
            names = [name for name in plan.entrants if reached[name] == number]
            if not number:
                found.append(tuple(names))
                continue
            byes = tuple(name for name in names if name in _opening(stages, number).byes)
            seated = [name for name in names if name not in byes]
            if byes:
                found.append(byes)
            played = _of_round(plan, stages, results, number)
            rows = [row for row in standings(plan.entrants, played) if row.name in set(seated)]
            found += [tuple(row.name for row in level) for _, level in groupby(rows, lambda row: row.rank)]
        return found


def draw_round(plan: Plan, number: int, present: Sequence[str], withdrawn: tuple[str, ...]) -> Stage:
    """The tables of a round. `present`: those that are left, in the order of their seeds.

    If they do not fill a round, the best seeds sit it out. The others are seated in a serpentine: with t tables, the
    first t seeds each at one of their own, the next t in the opposite order, and so on.
    """
    tables, advance = _sizes(len(present), plan.players, plan.advance or 1)
    byes = len(present) - tables * plan.players
    pools = serpentine(present[byes:], tables)
    return Stage(number, pools, plan.deals, byes=tuple(present[:byes]), advance=advance, withdrawn=withdrawn)


def serpentine(names: Sequence[str], pools: int) -> tuple[tuple[str, ...], ...]:
    """The names dealt out to so many pools, there and back."""
    dealt: list[list[str]] = [[] for _ in range(pools)]
    for at, name in enumerate(names):
        lap, place = divmod(at, pools)
        dealt[place if lap % 2 == 0 else pools - 1 - place].append(name)
    return tuple(tuple(pool) for pool in dealt)


def _sizes(left: int, players: int, advance: int) -> tuple[int, tuple[int, ...]]:
    """How many tables a round of `left` entrants has, and how many of each go on.

    Rounds are *full* if every table of the rounds to come can be: their sizes are `players`, `players` times
    `players` / `advance`, and so on, as far as these are whole numbers of full tables. As many tables are played as are
    needed to come down to the next full size, or as many as can be filled. The tables of the best seeds lose fewer if
    not all need to lose as many as they could.
    """
    if left == players:
        return 1, (1,)
    target = full = players
    while full < left:
        target = full
        full, rest = divmod(full * players, advance)
        if rest or full % players:
            break
    tables = min(-(-(left - target) // (players - advance)), left // players)
    out = min(tables * (players - advance), left - target)
    fewer, more = divmod(out, tables)
    return tables, tuple(players - fewer - (index >= tables - more) for index in range(tables))


def _opening(stages: Sequence[Stage], number: int) -> Stage:
    """The first stage of a round, which has all of its tables."""
    return next(stage for stage in stages if stage.round == number)


def _is_final(opening: Stage) -> bool:
    return len(opening.pools) == 1 and not opening.byes


def _of_round(plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult], number: int) -> list[MatchResult]:
    """The results of a round, all of its stages together."""
    of_round = [at for at, stage in enumerate(stages) if stage.round == number]
    return of_stages(plan, stages, results, of_round[0], of_round[-1] + 1)


def _is_decided(
    plan: Plan,
    stages: Sequence[Stage],
    number: int,
    table: tuple[str, ...],
    advance: int,
    played: Sequence[MatchResult],
    withdrawn: Collection[str],
) -> bool:
    """Whether those that go on have a higher score than the others, all deals are played, or a member has withdrawn,
    so that the table cannot play on."""
    if any(name in withdrawn for name in table):
        return True
    deals = sum(stage.deals for stage in stages if stage.round == number and table in stage.pools)
    if deals >= (plan.max_deals or 0):
        return True
    rows = pool_standings(table, played)
    return rows[advance - 1].score > rows[advance].score
