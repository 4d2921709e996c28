"""Is B better than A? A test that looks at the results block after block and stops as soon as they decide.

Both play the same field, and each unit of evidence is one difference: B's average match score in one block minus A's
in a block against the same opponents. It lies between -1 and 1.

The test bets against two statements at once: "B is not better" (the mean of the differences is 0 or less) and "B is
better by at least the margin". If a statement is true, no way of betting on what comes next can be expected to win
against it; so the chance that the stake ever grows a thousandfold is at most 1 in 1,000, whenever one looks (Ville's
inequality). The stated error rates hold for any distribution of the differences, not only for many of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from service.tournament.results import MatchResult
from service.tournament.schedule import Block, Schedule
from service.tournament.standings import match_score

BETTER = "better"
NOT_BETTER = "not better"

# Shares of the stake that are bet at a time. Which is best depends on the difference and its spread, which nobody
# knows beforehand; the stake is divided among all of them.
_BETS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.95)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a comparison has come.

    decided      "better", "not better", or None as long as the results decide nothing
    units        differences that it rests on
    mean         their mean; None without any
    for_better, against_better   what a stake of 1 against "B is not better" and against "B is better by at least the
                                 margin" has become; the test decides at 1 / error
    """

    decided: str | None
    units: int
    mean: float | None
    for_better: float
    against_better: float


class SequentialTest:
    """Takes differences one by one, in an order fixed beforehand, until it has decided.

    margin               the least advantage in score per match that one wants to find, above 0 and below 1
    false_better         error rate: the chance to decide "better" though B is not better than A
    false_not_better     error rate: the chance to decide "not better" though B is better by the margin or more

    With an advantage between 0 and the margin either verdict can come, and both are true in their way.
    """

    def __init__(self, margin: float = 0.05, false_better: float = 0.05, false_not_better: float = 0.05) -> None:
        for name, value in (("false_better", false_better), ("false_not_better", false_not_better)):
            if not 0.0 < value < 0.5:
                raise ValueError(f"{name} must be above 0 and below 0.5, not {value}")
        if not 0.0 < margin < 1.0:
            raise ValueError(f"margin must be above 0 and below 1, not {margin}")
        self._margin = margin
        self._enough = (1.0 / false_better, 1.0 / false_not_better)
        self._for = [1.0 / len(_BETS)] * len(_BETS)
        self._against = [1.0 / len(_BETS)] * len(_BETS)
        self._units = 0
        self._sum = 0.0
        self._decided: str | None = None

    @property
    def verdict(self) -> Verdict:
        mean = self._sum / self._units if self._units else None
        return Verdict(self._decided, self._units, mean, sum(self._for), sum(self._against))

    def add(self, difference: float) -> Verdict:
        """Takes the next difference. Once it is decided, nothing more counts: the verdict stays as it is.

        Raises ValueError for a difference that is not between -1 and 1.
        """
        if not -1.0 <= difference <= 1.0:
            raise ValueError(f"a difference of scores is between -1 and 1, not {difference}")
        if self._decided is None:
            self._units += 1
            self._sum += difference
            # Scaled so that the worst outcome loses the whole bet and no more.
            short = (self._margin - difference) / (1.0 - self._margin)
            self._for = [stake * (1.0 + bet * difference) for stake, bet in zip(self._for, _BETS, strict=True)]
            self._against = [stake * (1.0 + bet * short) for stake, bet in zip(self._against, _BETS, strict=True)]
            if sum(self._for) >= self._enough[0]:
                self._decided = BETTER
            elif sum(self._against) >= self._enough[1]:
                self._decided = NOT_BETTER
        return self.verdict


class PairedDifferences:
    """The differences of a gauntlet in which `first` (A) and `second` (B) are challengers: B's score less A's.

    There is one for each pair of blocks with the same opponents and deal number, in the order of the schedule, up to
    the first pair with a match that is not finished: which blocks happen to be done early must not matter. A pair in
    which a match was cancelled is left out.
    """

    def __init__(self, schedule: Schedule, first: str, second: str) -> None:
        """Raises ValueError if the schedule does not give both the same opponents: it must be a gauntlet with both
        among the challengers and without `sets`."""
        self._first = first
        self._second = second
        self._results: dict[int, MatchResult] = {}
        self._cancelled: set[int] = set()
        self._pairs = _pairs(schedule, first, second)
        self._pair = next(self._pairs, None)
        """The first pair whose difference has not been given yet."""

    def add(self, result: MatchResult) -> None:
        """Takes a result; they can come in any order."""
        if result.status == "cancelled":
            self._cancelled.add(result.block)
        elif result.has_placing:
            self._results[result.match] = result

    def ready(self) -> Iterator[float]:
        """The differences that have become known, each once."""
        while self._pair is not None:
            mine, theirs = self._pair
            if self._cancelled.isdisjoint((mine.number, theirs.number)):
                scores = self._average(theirs, self._second), self._average(mine, self._first)
                if scores[0] is None or scores[1] is None:
                    return
                yield float(scores[0] - scores[1])
            self._pair = next(self._pairs, None)

    def _average(self, block: Block, name: str) -> Fraction | None:
        """The average match score of one entrant in a block; None as long as the block is not finished."""
        total = Fraction(0)
        for pairing in block.pairings:
            result = self._results.get(pairing.match)
            if result is None or result.places is None:
                return None
            total += match_score(result.places, result.seats.index(name))
        return total / len(block.pairings)


def _pairs(schedule: Schedule, first: str, second: str) -> Iterator[tuple[Block, Block]]:
    """A's and B's block against the same opponents with the same deal number, in the order of the schedule."""
    plan = schedule.plan
    if plan.format != "gauntlet" or plan.sets is not None or not {first, second} <= set(plan.challengers):
        raise ValueError("a comparison needs a gauntlet with both bots among the challengers, and all sets played")
    waiting: dict[tuple[frozenset[str], int], Block] = {}
    for block in schedule:
        challenger = block.entrants[0]
        if challenger not in (first, second):
            continue
        key = (frozenset(block.entrants[1:]), block.deal)
        other = waiting.pop(key, None)
        if other is None:
            waiting[key] = block
        else:
            yield (other, block) if challenger == second else (block, other)
