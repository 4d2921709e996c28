"""The standings of a tournament: scores, wins, points, faults, and the order that follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any, Protocol

from service.protocol import FAULTS
from service.tournament.results import MatchResult, counting


class Rated(Protocol):
    """What the table shows of an entrant's rating; rating.Rating is one."""

    @property
    def rating(self) -> float: ...
    @property
    def interval(self) -> tuple[float, float] | None: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def bands(self) -> tuple[int, int] | None: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """One row. All numbers are over the matches that count (results.counting).

    rank         1 for the first; shared by bots that no tie-break separates (1, 2, 2, 4)
    wins         matches with the first place, unshared
    score        sum of the match scores, each 0 to 1
    points       average points a match in the game itself; None without a match
    faults       kind to count, all kinds
    forfeits     matches that the bot forfeited, those included that it did not start in
    not_started  matches before which it did not come up
    answer_ms    average time to an answer (milliseconds) over the decisions it was asked and answered; None if none
    versions     versions that it named, in the order of their first match
    rating, interval, reason, bands  see rating.Rating; None where it has none
    """

    rank: int
    name: str
    matches: int
    wins: int
    score: Fraction
    points: Fraction | None
    faults: Mapping[str, int]
    forfeits: int
    not_started: int
    answer_ms: Fraction | None
    versions: tuple[str, ...]
    rated: Rated | None

    def to_json(self) -> dict[str, Any]:
        """The row without `bot`, which is not known here.

        Fractions are rounded to 4 decimals, times to 0.1 ms, ratings to whole Elo points.
        """
        rated = self.rated
        return {
            "rank": self.rank,
            "name": self.name,
            "matches": self.matches,
            "wins": self.wins,
            "score": round(float(self.score), 4),
            "score_per_match": round(float(self.score / self.matches), 4) if self.matches else None,
            "points": None if self.points is None else round(float(self.points), 4),
            "faults": dict(self.faults),
            "forfeits": self.forfeits,
            "not_started": self.not_started,
            "answer_ms": None if self.answer_ms is None else round(float(self.answer_ms), 1),
            "versions": list(self.versions),
            "rating": None if rated is None else round(rated.rating),
            "interval": None if rated is None or rated.interval is None else [round(end) for end in rated.interval],
            "interval_missing": None if rated is None else rated.reason,
            "bands": None if rated is None or rated.bands is None else list(rated.bands),
        }


@dataclass(slots=True)
class _Sum:
    matches: int = 0
    wins: int = 0
    # Scores in units of 1 / (2 * opponents), by number of opponents: whole numbers, so that order and ties are exact.
    halves: dict[int, int] = field(default_factory=dict)
    points: int = 0
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))
    forfeits: int = 0
    not_started: int = 0
    answers: int = 0
    answer_ms: int = 0
    versions: dict[str, None] = field(default_factory=dict)

    def score(self) -> Fraction:
        return sum((Fraction(halves, 2 * opponents) for opponents, halves in self.halves.items()), Fraction(0))


def match_score(places: Sequence[int], seat: int) -> Fraction:
    """A seat's score in one match: opponents placed below it, those level with it half, divided by their number."""
    return Fraction(_halves(places, seat), 2 * (len(places) - 1))


def _halves(places: Sequence[int], seat: int) -> int:
    mine = places[seat]
    return sum((mine < place) + (mine <= place) for place in places) - 1


def standings(
    entrants: Sequence[str],
    results: Iterable[MatchResult],
    ratings: Mapping[str, Rated] | None = None,
    ranking: Sequence[Sequence[str]] | None = None,
) -> list[Standing]:
    """Rows from first to last, one for each entrant.

    Ranked by `ranking` if that is given: all entrants from first to last, those that share a rank together. Else by
    score per match, then by wins per match, then by average points. Bots that are level in all three share the rank and
    stand in entrants' order. Bots without a match that counts share the last rank.

    Raises KeyError if a result seats a bot that is no entrant.
    """
    sums = {name: _Sum() for name in entrants}
    for result in counting(results):
        assert result.places is not None
        shared_first = result.places.count(1) > 1
        for seat, name in enumerate(result.seats):
            _add(sums[name], result, seat, result.places, shared_first)
    if ranking is None:
        ordered = sorted(entrants, key=lambda name: _order(sums[name]), reverse=True)
        ranking = [tuple(level) for _, level in groupby(ordered, lambda name: _order(sums[name]))]
    rows: list[Standing] = []
    for level in ranking:
        rank = len(rows) + 1
        rows += [_row(rank, name, sums[name], None if ratings is None else ratings.get(name)) for name in level]
    return rows


def _add(total: _Sum, result: MatchResult, seat: int, places: Sequence[int], shared_first: bool) -> None:
    opponents = len(places) - 1
    total.matches += 1
    total.wins += places[seat] == 1 and not shared_first
    total.halves[opponents] = total.halves.get(opponents, 0) + _halves(places, seat)
    total.points += result.points[seat]
    if result.faults:
        for kind, count in result.faults[seat].items():
            total.faults[kind] += count
    total.forfeits += seat in result.forfeits or seat in result.not_started
    total.not_started += seat in result.not_started
    if result.answers and result.answer_ms:
        total.answers += result.answers[seat]
        total.answer_ms += result.answer_ms[seat]
    if result.versions and result.versions[seat] is not None:
        total.versions.setdefault(str(result.versions[seat]))


def _order(total: _Sum) -> tuple[Fraction, Fraction, Fraction]:
    if not total.matches:
        return Fraction(-1), Fraction(0), Fraction(0)
    return (
        total.score() / total.matches,
        Fraction(total.wins, total.matches),
        Fraction(total.points, total.matches),
    )


def _row(rank: int, name: str, total: _Sum, rated: Rated | None) -> Standing:
    return Standing(
        rank=rank,
        name=name,
        matches=total.matches,
        wins=total.wins,
        score=total.score(),
        points=Fraction(total.points, total.matches) if total.matches else None,
        faults=total.faults,
        forfeits=total.forfeits,
        not_started=total.not_started,
        answer_ms=Fraction(total.answer_ms, total.answers) if total.answers else None,
        versions=tuple(total.versions),
        rated=rated,
    )
