"""All tables of a tournament as they are shown and exported, from its results and its seed alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.tournament.crosstable import crosstable
from service.tournament.rating import Rating, rate
from service.tournament.results import MatchResult
from service.tournament.standings import standings


@dataclass(frozen=True, slots=True)
class Tables:
    """JSON-able.

    standings   rows from first to last, see standings.Standing.to_json, and `superiority`, see rating.Rating
    crosstable  see crosstable.Crosstable.to_json
    ratings     rows from strongest to weakest, see rating.Rating.to_json
    """

    standings: tuple[dict[str, Any], ...]
    crosstable: dict[str, Any]
    ratings: tuple[dict[str, Any], ...]


def tables(
    entrants: Sequence[str],
    results: Iterable[MatchResult],
    seed: str,
    rated: Mapping[str, Rating] | None = None,
) -> Tables:
    """The tables of these results.

    seed   what the resamples of the intervals are drawn from: the tournament's seed once it is over
    rated  ratings to show instead of new ones

    Raises KeyError if a result seats somebody who is no entrant.
    """
    known = list(results)
    ratings = rate(entrants, known, seed) if rated is None else rated
    rows = [standing.to_json() for standing in standings(entrants, known, ratings)]
    shown = {name: rating.to_json() for name, rating in ratings.items()}
    for row in rows:
        row["superiority"] = shown[row["name"]]["superiority"] if row["name"] in shown else None
    return Tables(
        standings=tuple(rows),
        crosstable=crosstable(entrants, known).to_json(),
        ratings=tuple(shown.values()),
    )
