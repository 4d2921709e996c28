"""Entrant by entrant: how often they met, and who stood above whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from service.tournament.results import MatchResult, counting


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Rows and columns in the order of `names`.

    meetings[i][j]  matches in which entrants i and j both sat; symmetric, 0 on the diagonal
    halves[i][j]    twice the score of i against j: 2 for each of those matches in which i was placed above j, 1 for
                    a shared place; halves[i][j] + halves[j][i] = 2 * meetings[i][j]
    """

    names: tuple[str, ...]
    meetings: tuple[tuple[int, ...], ...]
    halves: tuple[tuple[int, ...], ...]

    def score(self, one: str, other: str) -> float:
        """Matches in which `one` was placed above `other`, shared places half."""
        return self.halves[self.names.index(one)][self.names.index(other)] / 2

    def to_json(self) -> dict[str, Any]:
        """{"names": […], "matches": [[…]…], "score": [[…]…]}, a row for each name; the diagonal is null."""
        return {
            "names": list(self.names),
            "matches": [_with_hole(row, index) for index, row in enumerate(self.meetings)],
            "score": [_with_hole([half / 2 for half in row], index) for index, row in enumerate(self.halves)],
        }


def _with_hole(row: Sequence[float], index: int) -> list[float | None]:
    return [None if column == index else value for column, value in enumerate(row)]


def crosstable(entrants: Sequence[str], results: Iterable[MatchResult]) -> Crosstable:
    """The table of all results that count (results.counting), rows in the order of `entrants`.

    Raises KeyError if a result seats a bot that is no entrant.
    """
    place = {name: index for index, name in enumerate(entrants)}
    meetings = [[0] * len(place) for _ in place]
    halves = [[0] * len(place) for _ in place]
    for result in counting(results):
        assert result.places is not None
        for mine, my_place in zip(result.seats, result.places, strict=True):
            row, scores = meetings[place[mine]], halves[place[mine]]
            for theirs, their_place in zip(result.seats, result.places, strict=True):
                if mine != theirs:
                    row[place[theirs]] += 1
                    scores[place[theirs]] += (my_place < their_place) + (my_place <= their_place)
    return Crosstable(tuple(entrants), tuple(map(tuple, meetings)), tuple(map(tuple, halves)))
