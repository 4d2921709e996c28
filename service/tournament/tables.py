"""All tables of a tournament as they are shown and exported, from its results and its seed alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from service.lazy_import import lazily
from service.tournament.crosstable import crosstable
from service.tournament.results import MatchResult
from service.tournament.standings import standings

if TYPE_CHECKING:
    from service.tournament import rating
    from service.tournament.ladder import Season
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
    ranking  the order of the standings (standings.standings) of a format that is drawn in stages

    Raises KeyError if a result seats a bot that is no entrant.
    """
    known = list(results)
    if rated is None:
        rated = rating.rate(entrants, known, seed, paired_by_results=ranking is not None)
    rows = [standing.to_json() for standing in standings(entrants, known, rated, ranking)]
    shown = {name: row.to_json() for name, row in rated.items()}
    for row in rows:
        row["superiority"] = shown[row["name"]]["superiority"] if row["name"] in shown else None
    return Tables(tuple(rows), crosstable(entrants, known).to_json(), tuple(shown.values()), rated)


PROVISIONAL = "provisional"


def season_tables(season: Season, results: Iterable[MatchResult]) -> Tables:
    """The tables of a ladder's season: ordered by its own ratings, whose intervals hold at every look.

    `ratings` rows also have `error`, the standard error, and `provisional`. An interval with an open end is left out.

    Raises KeyError if a result seats a bot that has not entered.
    """
    rows = {name: row for name, row in season.ratings().ratings(fresh=True).items() if row.blocks}
    rated: dict[str, rating.Rating] = {}
    for name, row in rows.items():
        interval = None
        if row.interval is not None and row.interval.low is not None and row.interval.high is not None:
            interval = row.interval.low, row.interval.high
        reason = PROVISIONAL if interval is None else None
        rated[name] = rating.Rating(name, row.rating, interval, reason, None, None, row.blocks)
    unrated = [name for name in season.entrants if name not in rows]
    ranking = [*([name] for name in rated), *([unrated] if unrated else [])]
    made = tables(list(season.entrants), results, "", rated, ranking)
    ratings = [
        {**shown, "error": rows[shown["name"]].to_json()["error"], "provisional": rows[shown["name"]].provisional}
        for shown in made.ratings
    ]
    return replace(made, ratings=tuple(ratings))
