"""Chooses `sets` sets of entrants so that everybody meets everybody about equally often.

A search, since no formula gives such sets for every number of entrants:

1. Sets are filled one after another with the entrants that have played least, and among those with the ones that have
   met the others in the set least. If the set exists already, one of its members is replaced. Afterwards the entrants
   that play most give seats to those that play least, until all numbers of sets are within one of each other (in a
   gauntlet: among the challengers, and among the field).
2. Then two entrants of different sets, drawn at random, are exchanged wherever that does not raise the sum of the
   squares of all pair counts. While counts are more than 2 apart, every second sweep is only over the sets with the
   pairs that meet most often. The search ends when counts are at most 1 apart, or at most 2 apart after GOOD tries.
3. After LAST tries the search begins again with other draws. After MAX_SEARCHES searches the plan is refused.

If more than half of all sets are wanted, the search is for those to leave out. All chance is drawn from the seed, so
that the same plan always gives the same sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from service.chance import Draws, shuffled
from service.tournament.plan import Plan, PlanError

MAX_SPREAD = 2
"""How far pair counts may be apart in the chosen sets."""

MAX_SEARCHES = 4
_TRIES_A_SWEEP = 20  # for each set
_GOOD = (20, 100_000)  # sweeps and tries, whichever is over first
_LAST = (400, 1_000_000)


def choose_sets(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """`plan.sets` different sets of names, each in the order of the entrants (a gauntlet's challenger first).

    Takes a checked plan whose `sets` is a number below `possible_sets`. Raises PlanError if no choice is found whose
    pair counts are at most MAX_SPREAD apart (in a gauntlet: those of challengers with the field, and those within the
    field, each among its like).
    """
    assert plan.sets is not None
    leave_out = 2 * plan.sets > plan.possible_sets
    search = _find(plan, plan.possible_sets - plan.sets if leave_out else plan.sets)
    chosen: Iterable[tuple[int, ...]]
    if leave_out:
        found = {frozenset(members) for members in search.sets}
        chosen = (members for members in all_sets(plan) if frozenset(members) not in found)
    else:
        head = len(plan.challengers[:1])
        chosen = sorted((*members[:head], *sorted(members[head:])) for members in search.sets)
    return tuple(tuple(plan.entrants[index] for index in members) for members in chosen)


def _find(plan: Plan, count: int) -> _Search:
    nearest = 0
    for attempt in range(MAX_SEARCHES):
        search = _Search(plan, count, f"sets.{attempt}")
        search.run()
        if search.apart() <= MAX_SPREAD:
            return search
        nearest = min(nearest or search.apart(), search.apart())
    raise PlanError(
        ("sets",),
        f"no {plan.sets} sets were found in which all pairs meet about equally often (at best {nearest} apart,"
        f" {MAX_SPREAD} are allowed): try another number",
    )


def all_sets(plan: Plan) -> Iterator[tuple[int, ...]]:
    """Every set that the format knows, as indexes of entrants, in order; a gauntlet's challenger stands first."""
    if plan.format == "round_robin":
        yield from combinations(range(len(plan.entrants)), plan.players)
        return
    challengers, field = _groups(plan)
    for challenger in challengers:
        for rest in combinations(field, plan.players - 1):
            yield (challenger, *rest)


def _groups(plan: Plan) -> list[list[int]]:
    """Groups within which entrants may be exchanged: all entrants, or the challengers and the field."""
    if plan.format == "round_robin":
        return [list(range(len(plan.entrants)))]
    place = {name: index for index, name in enumerate(plan.entrants)}
    return [[place[name] for name in plan.challengers], [place[name] for name in plan.field]]


class _Search:
    """A search for `count` different sets. `_met[i][j]` is the number of sets with both entrants i and j."""

    def __init__(self, plan: Plan, count: int, label: str) -> None:
        self._groups = _groups(plan)
        self._slots = [0] + [len(self._groups) - 1] * (plan.players - 1)
        self._met = [[0] * len(plan.entrants) for _ in plan.entrants]
        self._draws = Draws(plan.seed, label)
        self._ties = shuffled(plan.seed, f"{label}.ties", range(len(plan.entrants)))
        self._taken: set[frozenset[int]] = set()
        self._plays = [0] * len(plan.entrants)
        self.sets: list[list[int]] = []
        self._fill(count)
        for group in self._groups:
            while self._level(group):
                pass

    def run(self) -> None:
        """Step 2 of the description above."""
        good, last = (min(sweeps, -(-tries // (_TRIES_A_SWEEP * len(self.sets)))) for sweeps, tries in (_GOOD, _LAST))
        for sweep in range(last):
            apart = self.apart()
            if apart <= 1 or (apart <= MAX_SPREAD and sweep >= good):
                return
            crowded = self._crowded() if apart > MAX_SPREAD and sweep % 2 else range(len(self.sets))
            for _ in range(_TRIES_A_SWEEP):
                for number in crowded:
                    self._try_exchange(number)

    def _crowded(self) -> list[int]:
        """The sets in which a pair sits that meets more often than any other: where something must change."""
        most = max(max(row) for row in self._met)
        return [
            number
            for number, members in enumerate(self.sets)
            if any(self._met[one][other] == most for one, other in combinations(members, 2))
        ]

    def apart(self) -> int:
        """The largest difference of two pair counts of one kind."""
        return max(max(counts) - min(counts) for counts in self._kinds())

    def _kinds(self) -> Iterator[list[int]]:
        met, challengers, field = self._met, self._groups[0], self._groups[-1]
        if challengers is not field:
            yield [met[one][other] for one in challengers for other in field]
        if challengers is field or len(self._slots) > 2:
            yield [met[one][other] for one, other in combinations(field, 2)]

    def _fill(self, count: int) -> None:
        while len(self.sets) < count:
            members: list[int] = []
            for group in self._slots:
                members.append(self._neediest(self._groups[group], members))
            while frozenset(members) in self._taken:
                self._replace_one(members)
            self._taken.add(frozenset(members))
            self.sets.append(members)
            for index in members:
                self._plays[index] += 1
            for one, other in combinations(members, 2):
                self._met[one][other] += 1
                self._met[other][one] += 1

    def _level(self, group: list[int]) -> bool:
        """Gives one seat of the entrant that plays most to the one that plays least, if they are more than one apart.
        Returns whether it did."""
        most = max(group, key=self._plays.__getitem__)
        least = min(group, key=self._plays.__getitem__)
        if self._plays[most] - self._plays[least] <= 1:
            return False
        met_most, met_least = self._met[most], self._met[least]
        options: list[tuple[int, int]] = []
        for number, members in enumerate(self.sets):
            if most not in members or least in members:
                continue
            if frozenset(members) - {most} | {least} not in self._taken:
                cost = sum(met_least[index] - met_most[index] for index in members if index != most)
                options.append((cost, number))
        if not options:
            return False
        members = self.sets[min(options)[1]]
        self._taken.remove(frozenset(members))
        others = [index for index in members if index != most]
        self._move(most, others, ())
        self._move(least, (), others)
        members[members.index(most)] = least
        self._taken.add(frozenset(members))
        self._plays[most] -= 1
        self._plays[least] += 1
        return True

    def _neediest(self, group: list[int], members: list[int]) -> int:
        turn, size = self._draws.below(len(self._ties)), len(self._ties)

        def need(index: int) -> tuple[int, int, int]:
            met = self._met[index]
            return self._plays[index], sum(met[other] for other in members), (self._ties[index] + turn) % size

        return min((index for index in group if index not in members), key=need)

    def _replace_one(self, members: list[int]) -> None:
        slot = self._draws.below(len(members))
        others = [index for index in self._groups[self._slots[slot]] if index not in members]
        if others:
            members[slot] = others[self._draws.below(len(others))]

    def _try_exchange(self, number: int) -> None:
        slot = self._draws.below(len(self._slots))
        partner = self._draws.below(len(self.sets))
        partner_slot = self._draws.below(len(self._slots))
        if partner == number or self._slots[slot] != self._slots[partner_slot]:
            return
        mine, theirs = self.sets[number], self.sets[partner]
        leaver, comer = mine[slot], theirs[partner_slot]
        if leaver in theirs or comer in mine or self._cost(mine, theirs, leaver, comer) > 0:
            return
        my_new, their_new = frozenset(mine) - {leaver} | {comer}, frozenset(theirs) - {comer} | {leaver}
        if my_new in self._taken or their_new in self._taken or my_new == their_new:
            return
        self._taken -= {frozenset(mine), frozenset(theirs)}
        self._taken |= {my_new, their_new}
        self._move(leaver, (index for index in mine if index != leaver), (index for index in theirs if index != comer))
        self._move(comer, (index for index in theirs if index != comer), (index for index in mine if index != leaver))
        mine[slot], theirs[partner_slot] = comer, leaver

    def _cost(self, mine: list[int], theirs: list[int], leaver: int, comer: int) -> int:
        """Half of the change of the sum of squares. A count n that rises costs 2n + 1, one that falls saves 2n - 1."""
        left, came = self._met[leaver], self._met[comer]
        cost = sum(came[index] - left[index] + 1 for index in mine if index != leaver)
        cost += sum(left[index] - came[index] + 1 for index in theirs if index != comer)
        return cost - 2 * sum(1 for index in mine if index in theirs)

    def _move(self, who: int, old: Iterable[int], new: Iterable[int]) -> None:
        for index in old:
            self._met[who][index] -= 1
            self._met[index][who] -= 1
        for index in new:
            self._met[who][index] += 1
            self._met[index][who] += 1
