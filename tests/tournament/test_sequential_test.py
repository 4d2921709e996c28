from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.tournament.plan import Plan
from service.tournament.results import MatchResult
from service.tournament.schedule import Schedule
from service.tournament.sequential_test import BETTER, NOT_BETTER, SequentialTest, Verdict
from service.tournament.simulation import finished
from tests.tournament.simulated_field import differences
from tests.tournament.simulations import decisions, moved, pool_of_differences

NAMES = ("old", "new", "x", "y", "z")
PLAN = Plan("gauntlet", NAMES, ("old", "new"), 3, 2, None, "rotations", "seed")
SCHEDULE = Schedule(PLAN)


def all_played(worth: dict[str, int]) -> list[MatchResult]:
    """Every match of the gauntlet, decided by worth."""
    return [
        finished(pairing.match, block.number, pairing.seats, [worth[name] for name in pairing.seats])
        for block in SCHEDULE
        for pairing in block.pairings
    ]


def run(values: list[float], **rates: float) -> Verdict:
    test = SequentialTest(**rates)
    for value in values:
        test.add(value)
    return test.verdict


@pytest.fixture(scope="module")
def pool() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return pool_of_differences(0.0, 4, (0.0, 50.0, 100.0), 500)


def test_of_two_equal_bots_one_is_called_better_at_most_at_the_stated_rate(
    pool: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    found = decisions(moved(pool, 0.0), 300)

    assert found.better <= 0.05
    assert found.better + found.not_better == 1


def test_a_bot_better_by_the_margin_is_missed_at_most_at_the_stated_rate(
    pool: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    assert decisions(moved(pool, 0.05), 300).not_better <= 0.05


def test_the_larger_the_difference_the_sooner_the_verdict(
    pool: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    clear, clearer = decisions(moved(pool, 0.1), 100), decisions(moved(pool, 0.2), 100)

    assert clear.better == clearer.better == 1
    assert clearer.units < clear.units / 2 < 60


@pytest.mark.parametrize(("difference", "left"), [(-1.0, 0.64125), (0.0, 1.0), (1.0, 1.35875)])
def test_a_stake_is_divided_among_bets_of_two_to_ninety_five_percent(difference: float, left: float) -> None:
    # The mean of the eight bets is 0.35875 of the stake.
    assert run([difference]).for_better == pytest.approx(left)


def test_nothing_is_decided_by_a_few_wins() -> None:
    assert run([1.0, 1.0]).decided is None
    assert run([]).mean is None


def test_it_stops_as_soon_as_it_has_decided_and_stays_so() -> None:
    steady = run([0.5] * 20)
    assert steady.decided == BETTER
    assert steady.units < 20

    assert run([0.5] * 20 + [-1.0] * 100) == steady


def test_a_bot_that_is_worse_is_not_better() -> None:
    assert run([-0.3] * 40).decided == NOT_BETTER


def test_a_stricter_rate_takes_longer() -> None:
    assert run([0.4] * 100, false_better=0.001).units > run([0.4] * 100, false_better=0.05).units


@pytest.mark.parametrize("value", [-1.01, 1.01, float("nan")])
def test_what_is_no_difference_of_scores_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="between -1 and 1"):
        SequentialTest().add(value)


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ({"margin": 0.0}, "margin must be above 0"),
        ({"margin": 1.0}, "margin must be above 0 and below 1"),
        ({"false_better": 0.0}, "false_better must be above 0"),
        ({"false_not_better": 0.5}, "false_not_better must be above 0 and below 0.5"),
    ],
)
def test_rates_that_make_no_sense_are_refused(rates: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SequentialTest(**rates)


def test_a_difference_is_what_the_one_scored_more_against_the_same_opponents() -> None:
    # old beats nobody, new beats y and z but not x: 1/2 or 1 against each pair of the field
    results = all_played({"old": 0, "new": 5, "x": 9, "y": 2, "z": 1})

    found = sorted(differences(SCHEDULE, results, "old", "new"))
    assert found == [0.5, 0.5, 0.5, 0.5, 1.0, 1.0]
    assert sorted(differences(SCHEDULE, results, "new", "old")) == sorted(-value for value in found)


def test_arrival_order_does_not_matter_and_a_gap_ends_the_list() -> None:
    results = all_played({"old": 0, "new": 5, "x": 9, "y": 2, "z": 1})
    without = [result for result in results if result.block != 5]

    assert differences(SCHEDULE, reversed(results), "old", "new") == list(differences(SCHEDULE, results, "old", "new"))
    assert differences(SCHEDULE, without, "old", "new") == differences(SCHEDULE, results, "old", "new")[:2]


def test_a_cancelled_block_leaves_its_pair_out() -> None:
    results = all_played({"old": 0, "new": 5, "x": 9, "y": 2, "z": 1})
    cancelled = [replace(result, status="cancelled") if result.match == 16 else result for result in results]

    assert len(differences(SCHEDULE, cancelled, "old", "new")) == 5


@pytest.mark.parametrize(
    "plan",
    [replace(PLAN, format="round_robin", challengers=()), replace(PLAN, sets=5), replace(PLAN, challengers=("old",))],
    ids=["round robin", "chosen sets", "one challenger"],
)
def test_a_schedule_that_does_not_pair_them_is_refused(plan: Plan) -> None:
    with pytest.raises(ValueError, match="gauntlet with both"):
        differences(Schedule(plan), [], "old", "new")
