from __future__ import annotations

from dataclasses import replace
from math import log10

import choix
import numpy as np
import pytest

from service.tournament.pairwise import MAX_UNITS, collect
from service.tournament.rating import NOT_ASKED_FOR, NOT_CONNECTED, TOO_FEW_BLOCKS, Rating, fit, rate
from service.tournament.results import MatchResult
from service.tournament.simulation import SimulatedField, finished, played
from tests.tournament.simulated_field import round_robin

QUICK = 200


def duel(wins: int, losses: int, ties: int = 0, *, copies: int = 1) -> list[MatchResult]:
    """Matches of ada (whose record it is) and bob, a block each, every match `copies` times."""
    points = [[2, 1]] * wins + [[1, 2]] * losses + [[1, 1]] * ties
    return [
        finished(block * copies + copy, block, ["ada", "bob"], of_block)
        for block, of_block in enumerate(points)
        for copy in range(copies)
    ]


def rated(results: list[MatchResult], resamples: int = QUICK, seed: str = "seed") -> dict[str, Rating]:
    return rate(sorted({name for result in results for name in result.seats}), results, seed, resamples)


def width(row: Rating) -> float:
    assert row.interval is not None
    return row.interval[1] - row.interval[0]


def test_two_bots_differ_by_their_odds_and_one_drawn_game() -> None:
    rows = rated(duel(30, 10))

    assert rows["ada"].rating - rows["bob"].rating == pytest.approx(400 * log10(30.5 / 10.5))
    assert rows["ada"].rating + rows["bob"].rating == pytest.approx(3000)


def test_a_shared_place_is_half_a_win() -> None:
    assert rated(duel(20, 0, ties=20))["ada"].rating == pytest.approx(rated(duel(30, 10))["ada"].rating)


def test_four_who_share_places_are_rated_equally() -> None:
    results = [finished(number, number, ["ada", "bob", "cyd", "dot"], [5, 5, 1, 1]) for number in range(40)]
    rows = rated(results)

    assert rows["ada"].rating == pytest.approx(rows["bob"].rating)
    assert rows["cyd"].rating == pytest.approx(rows["dot"].rating)


@pytest.mark.parametrize("resamples", [0, QUICK])
def test_neither_the_order_of_games_nor_of_seats_nor_of_entrants_matters(resamples: int) -> None:
    simulated = SimulatedField((0, 100, 200, 300, 400))
    results = played(simulated, round_robin(simulated, 4, 8), np.random.default_rng(3))
    turned = [
        replace(
            result,
            seats=result.seats[::-1],
            points=result.points[::-1],
            places=None if result.places is None else result.places[::-1],
        )
        for result in reversed(results)
    ]

    assert rate(simulated.names, results, "seed", resamples) == rate(simulated.names[::-1], turned, "seed", resamples)


def test_known_strengths_are_found() -> None:
    simulated = SimulatedField((0, 60, 150, 300, 420))
    rows = rate(simulated.names, played(simulated, round_robin(simulated, 4, 400), np.random.default_rng(5)), "seed", 0)

    for name, elo in zip(simulated.names, simulated.elo, strict=True):
        assert rows[name].rating == pytest.approx(1500 + elo - 186, abs=12)


def test_rows_come_strongest_first() -> None:
    simulated = SimulatedField((0, 400, 200))
    rows = list(
        rate(
            simulated.names, played(simulated, round_robin(simulated, 3, 40), np.random.default_rng(1)), "seed", 0
        ).values()
    )

    assert [row.name for row in rows] == ["bot01", "bot02", "bot00"]


def test_a_field_in_which_the_better_always_wins_has_finite_ratings_in_order() -> None:
    names = [f"bot{index:02d}" for index in range(20)]
    results = [
        finished(number, number, [one, other], [2, 1])
        for number, (one, other) in enumerate((one, other) for one in names for other in names if one < other)
    ]
    rows = rate(names, results, "seed", 50)

    assert list(rows) == names
    assert all(-2500 < row.rating < 5500 for row in rows.values())


def test_an_interval_of_a_bot_that_won_everything_is_open_upwards_but_finite() -> None:
    row = rated(duel(30, 0), resamples=1000)["ada"]

    assert row.interval is not None
    assert row.interval[0] < row.rating < row.interval[1] < 3000
    # 30 wins of 30: by Jeffreys' prior, the strength for which that is no surprise begins at 92 %.
    assert 2 * (row.interval[0] - 1500) == pytest.approx(400 * log10(0.92 / 0.08), abs=60)
    assert row.interval[1] - row.rating > 2 * (row.rating - row.interval[0])


def test_below_30_blocks_there_is_no_interval() -> None:
    few, enough = rated(duel(20, 9)), rated(duel(20, 10))

    assert (few["ada"].interval, few["ada"].reason, few["ada"].superiority) == (None, TOO_FEW_BLOCKS, None)
    assert few["ada"].bands == few["bob"].bands == (1, 1)
    assert enough["ada"].interval is not None
    assert enough["ada"].reason is None


def test_blocks_count_not_matches() -> None:
    assert rated(duel(10, 10, copies=4))["ada"].reason == TOO_FEW_BLOCKS


def test_a_bot_with_few_blocks_of_its_own_has_no_interval_but_the_others_do() -> None:
    results = duel(20, 20) + [finished(40 + number, 40 + number, ["ada", "new"], [1, 2]) for number in range(5)]
    rows = rated(results)

    assert (rows["new"].interval, rows["new"].reason, rows["new"].blocks) == (None, TOO_FEW_BLOCKS, 5)
    assert rows["ada"].interval is not None


def test_matches_with_a_bot_that_did_not_start_are_not_rated() -> None:
    results = duel(20, 20)
    absent = [
        replace(result, match=100 + result.match, block=100 + result.block, not_started=(1,)) for result in duel(9, 0)
    ]

    assert rated(results + absent) == rated(results)


def test_bots_that_never_met_are_not_compared_by_an_interval() -> None:
    apart = [
        replace(result, match=100 + result.match, block=100 + result.block, seats=("cyd", "dot"))
        for result in duel(20, 9)
    ]
    rows = rated(duel(20, 20) + apart)

    assert {row.reason for row in rows.values()} == {NOT_CONNECTED}
    assert {row.interval for row in rows.values()} == {None}


def test_only_ratings_if_only_ratings_are_asked_for() -> None:
    row = rated(duel(20, 20), resamples=0)["ada"]

    assert (row.interval, row.reason, row.superiority, row.bands) == (None, NOT_ASKED_FOR, None, None)


def test_intervals_can_be_recomputed_from_the_seed() -> None:
    assert rated(duel(25, 15), seed="one") == rated(duel(25, 15), seed="one")
    assert rated(duel(25, 15), seed="one")["ada"].interval != rated(duel(25, 15), seed="two")["ada"].interval


def test_whole_blocks_are_resampled_so_repeating_a_block_shows_nothing_new() -> None:
    once, fourfold = rated(duel(25, 15), 1000)["ada"], rated(duel(25, 15, copies=4), 1000)["ada"]

    assert width(fourfold) == pytest.approx(width(once), rel=0.1)


def test_more_blocks_give_narrower_intervals() -> None:
    assert width(rated(duel(250, 150), 1000)["ada"]) == pytest.approx(
        width(rated(duel(25, 15), 1000)["ada"]) / 10**0.5, rel=0.15
    )


def test_more_blocks_than_units_are_joined_without_losing_a_game() -> None:
    results = duel(MAX_UNITS, MAX_UNITS // 2)
    data = collect(["ada", "bob"], results)

    assert (data.units, data.blocks) == (MAX_UNITS, MAX_UNITS * 3 // 2)
    assert data.wins().sum() == len(results)
    assert width(rated(results, 50)["ada"]) < 20


def test_the_likelihood_of_superiority_follows_the_games() -> None:
    assert rated(duel(20, 20), 1000)["ada"].superiority == pytest.approx(0.5, abs=0.06)
    # 25 of 40: 1.58 standard deviations above half; the normal distribution says 0.943, a t distribution a little less.
    assert rated(duel(25, 15), 1000)["ada"].superiority == pytest.approx(0.935, abs=0.025)
    surely = rated(duel(38, 2), 1000)["ada"].superiority
    assert surely is not None
    assert surely > 0.99
    assert rated(duel(20, 20), 1000)["bob"].superiority is None


def test_bots_share_a_band_until_the_games_show_their_difference() -> None:
    assert [row.bands for row in rated(duel(22, 18), 1000).values()] == [(1, 1), (1, 1)]
    assert [row.bands for row in rated(duel(34, 6), 1000).values()] == [(1, 1), (2, 2)]


def test_a_bot_that_won_everything_stands_in_a_band_of_its_own() -> None:
    assert [row.bands for row in rated(duel(40, 0), 1000).values()] == [(1, 1), (2, 2)]


def test_no_results_no_ratings() -> None:
    assert rate(["ada", "bob"], [], "seed") == {}


def test_who_has_not_played_has_no_rating() -> None:
    assert list(rate(["ada", "bob", "new"], duel(20, 20), "seed", 0)) == ["ada", "bob"]


def test_a_stranger_in_the_results_is_an_error() -> None:
    with pytest.raises(KeyError, match="bob"):
        rate(["ada"], duel(1, 1), "seed")


def test_resamples_are_fitted_as_the_library_fits_the_ratings() -> None:
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 6, (20, 7, 7)).astype(float) + 0.05
    wins[:, np.arange(7), np.arange(7)] = 0.0

    for matrix, strengths in zip(wins, fit(wins, np.zeros(7)), strict=True):
        library = choix.ilsr_pairwise_dense(matrix, max_iter=10_000, tol=1e-10)
        assert strengths == pytest.approx(library - library.mean(), abs=1e-5)
