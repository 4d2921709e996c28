"""Swiss tournaments: a fixed number of rounds, in each of which entrants of about equal score meet.

docs/tournament-math.md says what that is good for, and what it is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from typing import TYPE_CHECKING

from service.chance import shuffled
from service.lazy_import import lazily
from service.tournament.plan import MAX_ROUNDS, Plan, PlanError
from service.tournament.results import MatchResult
from service.tournament.stages import Stage
from service.tournament.standings import standings

if TYPE_CHECKING:
    from service.tournament import rating
else:
    # With it come numpy, scipy and choix: whoever draws a stage needs none of them.
    rating = lazily("service.tournament.rating")

SEARCHES = 30
"""How often tables are searched for that seat no pair together again, before the best ones are taken."""

Meetings = Mapping[frozenset[str], int]


class Swiss:
    """The format `swiss` (stages.StagedFormat)."""

    def check(self, plan: Plan) -> None:
        """Raises PlanError for rounds out of bounds."""
        if plan.rounds is None or not 1 <= plan.rounds <= MAX_ROUNDS:
            raise PlanError(("rounds",), f"must be 1 to {MAX_ROUNDS}, not {plan.rounds}")

    def next_stage(
        self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult], withdrawn: Collection[str]
    ) -> Stage | None:
        """The tables of the next round. None after the last one, or when too few are left for a table."""
        assert plan.rounds is not None
        present = [name for name in plan.entrants if name not in withdrawn]
        if len(stages) == plan.rounds or len(present) < plan.players:
            return None
        number = len(stages) + 1
        place = {name: at for at, name in enumerate(shuffled(plan.seed, f"swiss.{number}", plan.entrants))}
        scores = _scores(plan, results)
        order = sorted(present, key=lambda name: (-scores[name], place[name]))
        byes = _byes(order, stages, len(order) % plan.players)
        met = Counter(frozenset(pair) for stage in stages for table in stage.pools for pair in combinations(table, 2))
        seated = [name for name in order if name not in byes]
        tables = draw_tables(seated, plan.players, met, plan.seed, f"swiss.{number}.tables")
        gone = tuple(name for name in plan.entrants if name in withdrawn)
        return Stage(number, tables, plan.deals, byes=byes, withdrawn=gone)

    def matches_to_come(self, plan: Plan, stages: Sequence[Stage]) -> int:
        """Every round has as many tables as can be filled."""
        assert plan.rounds is not None
        present = len(plan.entrants) - (len(stages[-1].withdrawn) if stages else 0)
        tables = (plan.rounds - len(stages)) * (present // plan.players)
        return tables * plan.deals * plan.seatings_per_block

    def ranking(self, plan: Plan, stages: Sequence[Stage], results: Sequence[MatchResult]) -> list[tuple[str, ...]]:
        """By rating, in whole points; then as in any standings: by score per match, wins and points."""
        rated = rating.performances(plan.entrants, results)
        rows = standings(plan.entrants, results)

        def key(row_rank: tuple[str, int]) -> tuple[float, int]:
            name, rank = row_rank
            return (-round(rated[name]) if name in rated else float("inf"), rank)

        ranked = sorted(((row.name, row.rank) for row in rows), key=key)
        return [tuple(name for name, _ in level) for _, level in groupby(ranked, key)]


def _scores(plan: Plan, results: Iterable[MatchResult]) -> dict[str, Fraction]:
    """Score per match; one half for those that have not played."""
    return {
        row.name: row.score / row.matches if row.matches else Fraction(1, 2)
        for row in standings(plan.entrants, results)
    }


def _byes(order: Sequence[str], stages: Iterable[Stage], count: int) -> tuple[str, ...]:
    """Who sits out: those who did so least often, and among them the last in the order."""
    before = Counter(name for stage in stages for name in stage.byes)
    place = {name: at for at, name in enumerate(order)}
    chosen = sorted(order, key=lambda name: (before[name], -place[name]))[:count]
    return tuple(sorted(chosen, key=place.__getitem__))


def draw_tables(
    order: Sequence[str], players: int, met: Meetings, seed: str, label: str
) -> tuple[tuple[str, ...], ...]:
    """Tables of neighbours in the order that seat as few pairs together again as the search can find.

    order    names, best first; their number is a multiple of `players`
    met      how often each two have met
    seed     what the searches after the first are drawn from, with `label`

    A table is filled from the top: with the first that has no seat yet, and then with those that have met its members
    least often, the nearest first. Members of tables in which a pair meets again are then exchanged for others, as long
    as that makes repeated meetings fewer. If some are left, the search starts again from an order that is drawn: the
    first ones close to the real order, later ones further from it. The tables with the fewest repeated meetings are
    taken, and of those the ones whose members stand nearest to each other.
    """
    place = {name: at for at, name in enumerate(order)}
    best: tuple[tuple[int, int], list[list[str]]] | None = None
    for search in range(SEARCHES):
        start = list(order)
        if search:
            width = players * search
            drawn = {name: at for at, name in enumerate(shuffled(seed, f"{label}.{search}", start))}
            start.sort(key=lambda name: place[name] + drawn[name] * width // len(order))
        tables = _filled(start, players, met)
        _exchange(tables, met, place)
        cost = _cost(tables, met, place)
        if best is None or cost < best[0]:
            best = (cost, tables)
        if best[0][0] == 0:
            break
    assert best is not None
    found = (sorted(table, key=place.__getitem__) for table in best[1])
    return tuple(tuple(table) for table in sorted(found, key=lambda table: place[table[0]]))


def _filled(order: Sequence[str], players: int, met: Meetings) -> list[list[str]]:
    left = list(order)
    tables: list[list[str]] = []
    while left:
        table = [left.pop(0)]
        while len(table) < players:
            new = next((at for at, name in enumerate(left) if not _again(name, table, met)), None)
            nearest = min(range(len(left)), key=lambda at: _again(left[at], table, met)) if new is None else new
            table.append(left.pop(nearest))
        tables.append(table)
    return tables


def _again(name: str, others: Iterable[str], met: Meetings) -> int:
    return sum(met.get(frozenset((name, other)), 0) for other in others)


def _cost(tables: Iterable[Sequence[str]], met: Meetings, place: Mapping[str, int]) -> tuple[int, int]:
    """Earlier meetings of all pairs at the tables, and how far apart the members of a table stand."""
    pairs = [pair for table in tables for pair in combinations(table, 2)]
    return sum(met.get(frozenset(pair), 0) for pair in pairs), sum(abs(place[one] - place[two]) for one, two in pairs)


def _exchange(tables: list[list[str]], met: Meetings, place: Mapping[str, int]) -> None:
    """Exchanges two members of different tables, the best exchange first, while repeated meetings become fewer."""
    while (best := min(_exchanges(tables, met, place), default=None)) is not None:
        _, _, one, seat, other, their = best
        tables[one][seat], tables[other][their] = tables[other][their], tables[one][seat]


def _exchanges(
    tables: Sequence[Sequence[str]], met: Meetings, place: Mapping[str, int]
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """All exchanges of somebody who meets others again that make repeated meetings fewer: how they change these and
    the distances at both tables, then table and seat of the one and of the other."""
    for one, table in enumerate(tables):
        for seat, name in enumerate(table):
            mine = [*table[:seat], *table[seat + 1 :]]
            again = _again(name, mine, met)
            if not again:
                continue
            for other, partner in enumerate(tables):
                if other == one:
                    continue
                for their, guest in enumerate(partner):
                    theirs = [*partner[:their], *partner[their + 1 :]]
                    before = again + _again(guest, theirs, met)
                    change = _again(name, theirs, met) + _again(guest, mine, met) - before
                    if change < 0:
                        apart = _apart(name, theirs, place) + _apart(guest, mine, place)
                        apart -= _apart(name, mine, place) + _apart(guest, theirs, place)
                        yield change, apart, one, seat, other, their


def _apart(name: str, others: Iterable[str], place: Mapping[str, int]) -> int:
    return sum(abs(place[name] - place[other]) for other in others)
