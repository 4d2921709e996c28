from __future__ import annotations

from dataclasses import replace

import pytest

from service.tournament.crosstable import crosstable
from service.tournament.simulation import finished

RESULTS = [
    finished(0, 0, ["ada", "bob", "cyd"], [9, 5, 1]),
    finished(1, 0, ["cyd", "ada", "bob"], [5, 5, 1]),
    finished(2, 1, ["bob", "dot"], [3, 2]),
]


def test_every_two_who_sat_together_are_compared() -> None:
    table = crosstable(["ada", "bob", "cyd", "dot"], RESULTS)

    assert table.to_json() == {
        "names": ["ada", "bob", "cyd", "dot"],
        "matches": [[None, 2, 2, 0], [2, None, 2, 1], [2, 2, None, 0], [0, 1, 0, None]],
        "score": [[None, 2.0, 1.5, 0.0], [0.0, None, 1.0, 1.0], [0.5, 1.0, None, 0.0], [0.0, 0.0, 0.0, None]],
    }
    assert table.score("ada", "cyd") == 1.5


def test_what_one_wins_the_other_loses() -> None:
    table = crosstable(["ada", "bob", "cyd", "dot"], RESULTS)

    for one in range(4):
        for other in range(4):
            assert table.halves[one][other] + table.halves[other][one] == 2 * table.meetings[one][other]


def test_rows_stand_in_the_order_asked_for() -> None:
    assert crosstable(["dot", "cyd", "bob", "ada"], RESULTS).score("ada", "cyd") == 1.5


def test_what_does_not_count_is_not_in_the_table() -> None:
    void = replace(RESULTS[2], status="void")

    assert crosstable(["ada", "bob", "cyd", "dot"], [*RESULTS[:2], void]).meetings[1][3] == 0


def test_a_stranger_is_an_error() -> None:
    with pytest.raises(KeyError, match="dot"):
        crosstable(["ada", "bob", "cyd"], RESULTS)
