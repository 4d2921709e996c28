"""All tables of a tournament as they are shown and exported, from its results and its seed alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service.lazy_import import lazily
from service.tournament.crosstable import crosstable
from service.tournament.results import MatchResult
from service.tournament.standings import standings

if TYPE_CHECKING:
    from service.tournament import rating
else:
    # With it come numpy, scipy and choix. Every process can show tables, and few ever compute any.
    rating = lazily("service.tournament.rating")


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables, JSON-able but for `rated`.

    standings   rows from first to last, see standings.Standing.to_json, and `superiority`, see rating.Rating
    crosstable  see crosstable.Crosstable.to_json
    ratings     rows from strongest to weakest, see rating.Rating.to_json
    rated       the ratings that the rows show, by name
    """

    standings: tuple[dict[str, Any], ...]
    crosstable: dict[str, Any]
    ratings: tuple[dict[str, Any], ...]
    rated: Mapping[str, rating.Rating]


def tables(
    entrants: Sequence[str],
    results: Iterable[MatchResult],
    seed: str,
    rated: Mapping[str, rating.Rating] | None = None,
    ranking: Sequence[Sequence[str]] | None = None,
) -> Tables:
    """The tables of these results.

    seed     what the resamples of the intervals are drawn from: the tournament's seed once it is over
    rated    ratings to show instead of new ones
    ranking  the order of the standings, see standings.standings

    Raises KeyError if a result seats a bot that is no entrant.
    """
    known = list(results)
    ratings = rating.rate(entrants, known, seed) if rated is None else rated
    rows = [standing.to_json() for standing in standings(entrants, known, ratings, ranking)]
    shown = {name: row.to_json() for name, row in ratings.items()}
    for row in rows:
        row["superiority"] = shown[row["name"]]["superiority"] if row["name"] in shown else None
    return Tables(tuple(rows), crosstable(entrants, known).to_json(), tuple(shown.values()), ratings)
