from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from service.tournament.rating import Rating
from service.tournament.results import MatchResult
from service.tournament.simulation import finished
from service.tournament.standings import Standing, match_score, standings


def table(rows: list[Standing]) -> list[tuple[int, str]]:
    return [(row.rank, row.name) for row in rows]


def by_name(rows: list[Standing], name: str) -> Standing:
    return next(row for row in rows if row.name == name)


@pytest.mark.parametrize(
    ("places", "scores"),
    [
        ((1, 2, 3, 4), (1, Fraction(2, 3), Fraction(1, 3), 0)),
        ((1, 1, 3, 4), (Fraction(5, 6), Fraction(5, 6), Fraction(1, 3), 0)),
        ((2, 2, 1, 2), (Fraction(1, 3), Fraction(1, 3), 1, Fraction(1, 3))),
        ((1, 1, 1, 1), (Fraction(1, 2),) * 4),
        ((3, 1, 1), (0, Fraction(3, 4), Fraction(3, 4))),
        ((2, 1), (0, 1)),
        ((1, 1), (Fraction(1, 2), Fraction(1, 2))),
    ],
)
def test_a_match_score_is_opponents_beaten_ties_half_by_their_number(
    places: tuple[int, ...], scores: tuple[Fraction, ...]
) -> None:
    assert tuple(match_score(places, seat) for seat in range(len(places))) == scores
    assert sum(scores) == Fraction(len(places), 2)


def test_score_is_the_sum_and_ranks_go_by_score_per_match() -> None:
    results = [
        finished(0, 0, ["ada", "bob"], [9, 1]),
        finished(1, 0, ["ada", "bob"], [1, 9]),
        finished(2, 1, ["cyd", "bob"], [9, 1]),
    ]
    rows = standings(["ada", "bob", "cyd"], results)

    assert table(rows) == [(1, "cyd"), (2, "ada"), (3, "bob")]
    assert [row.score for row in rows] == [1, 1, 1]
    assert [row.matches for row in rows] == [1, 2, 3]


def test_wins_are_unshared_first_places() -> None:
    rows = standings(["ada", "bob", "cyd"], [finished(0, 0, ["ada", "bob", "cyd"], [5, 5, 1])])

    assert [row.wins for row in rows] == [0, 0, 0]


def test_wins_break_a_tie_of_scores() -> None:
    # ada: first and last; bob: second twice; the same score
    results = [
        finished(0, 0, ["ada", "bob", "cyd"], [9, 5, 1]),
        finished(1, 0, ["ada", "bob", "cyd"], [1, 5, 9]),
    ]
    rows = standings(["bob", "ada", "cyd"], results)

    assert {row.score for row in rows} == {1}
    assert table(rows) == [(1, "ada"), (1, "cyd"), (3, "bob")]


def test_points_break_a_tie_of_scores_and_wins() -> None:
    results = [finished(0, 0, ["ada", "bob"], [9, 1]), finished(1, 0, ["ada", "bob"], [4, 5])]

    assert table(standings(["bob", "ada"], results)) == [(1, "ada"), (2, "bob")]


def test_who_is_level_in_all_shares_the_rank_and_the_next_one_is_left_out() -> None:
    results = [
        finished(0, 0, ["ada", "bob", "cyd"], [5, 5, 1]),
    ]
    assert table(standings(["cyd", "bob", "ada"], results)) == [(1, "bob"), (1, "ada"), (3, "cyd")]


def test_who_has_not_played_stands_last_and_has_no_averages() -> None:
    rows = standings(["new", "ada", "bob"], [finished(0, 0, ["ada", "bob"], [2, 1])])

    assert table(rows) == [(1, "ada"), (2, "bob"), (3, "new")]
    assert rows[-1].to_json()["points"] is None
    assert rows[-1].to_json()["score_per_match"] is None


def test_faults_forfeits_and_answers_are_summed() -> None:
    first = replace(
        finished(0, 0, ["ada", "bob"], [2, 1]),
        faults=({}, {"late": 2}),
        forfeits=(1,),
        versions=("1", "7"),
        answers=(10, 5),
        answer_ms=(100, 500),
    )
    second = replace(
        finished(1, 0, ["bob", "ada"], [0, 3]),
        faults=({"late": 1, "illegal": 1}, {}),
        not_started=(0,),
        versions=("8", "1"),
        answers=(0, 10),
        answer_ms=(0, 40),
    )
    row = by_name(standings(["ada", "bob"], [second, first]), "bob").to_json()

    assert row["faults"] == {"late": 3, "unreachable": 0, "bad_status": 0, "bad_body": 0, "illegal": 1}
    assert (row["forfeits"], row["not_started"]) == (2, 1)
    assert row["answer_ms"] == 100.0
    assert row["versions"] == ["7", "8"]
    assert by_name(standings(["ada", "bob"], [second, first]), "ada").to_json()["answer_ms"] == 7.0


def test_a_match_that_a_bot_did_not_start_in_counts_in_the_score() -> None:
    rows = standings(["ada", "bob"], [replace(finished(0, 0, ["ada", "bob"], [2, 1]), not_started=(1,))])

    assert [(row.matches, float(row.score)) for row in rows] == [(1, 1.0), (1, 0.0)]


def test_the_faults_of_a_void_match_are_held_against_nobody() -> None:
    void = replace(finished(0, 0, ["ada", "bob"], [0, 0]), status="void", faults=({"late": 9}, {}))
    played = replace(finished(0, 0, ["ada", "bob"], [2, 1]), attempt=1)

    assert by_name(standings(["ada", "bob"], [void, played]), "ada").faults["late"] == 0


def test_a_row_shows_four_decimals_of_scores_and_a_tenth_of_a_millisecond() -> None:
    row = replace(
        by_name(standings(["ada", "bob"], [finished(0, 0, ["ada", "bob"], [9, 1])]), "ada"),
        matches=7,
        score=Fraction(2, 3),
        points=Fraction(5, 3),
        answer_ms=Fraction(40, 3),
    )
    shown = row.to_json()
    assert (shown["score"], shown["score_per_match"], shown["points"]) == (0.6667, 0.0952, 1.6667)
    assert shown["answer_ms"] == 13.3


def test_sixths_add_up_exactly() -> None:
    results = [finished(number, number, ["ada", "bob", "cyd", "dot"], [3, 3, 2, 1]) for number in range(600)]
    rows = standings(["ada", "bob", "cyd", "dot"], results)

    assert by_name(rows, "ada").score == 500
    assert by_name(rows, "ada").to_json()["score"] == 500.0


def test_ratings_stand_beside_the_scores() -> None:
    ratings = {"ada": Rating("ada", 1612.4, (1570.2, 1655.1), None, 0.98, (1, 1), 40)}
    rows = standings(["ada", "bob"], [finished(0, 0, ["ada", "bob"], [2, 1])], ratings)

    ada, bob = (row.to_json() for row in rows)
    assert (ada["rating"], ada["interval"], ada["bands"]) == (1612, [1570, 1655], [1, 1])
    assert (bob["rating"], bob["interval"]) == (None, None)


def test_a_stranger_in_the_results_is_an_error() -> None:
    with pytest.raises(KeyError, match="bob"):
        standings(["ada"], [finished(0, 0, ["ada", "bob"], [2, 1])])


def test_the_order_of_results_does_not_matter() -> None:
    results: list[MatchResult] = [
        finished(number, number // 2, ["ada", "bob", "cyd"], [number % 3, number % 5, number % 7])
        for number in range(30)
    ]

    assert standings(["ada", "bob", "cyd"], results) == standings(["ada", "bob", "cyd"], reversed(results))
