from __future__ import annotations

import numpy as np
import pytest

from service.tournament.ladder_rating import LadderRatings
from tests.tournament.ladder_coverage import LUCK, Scenario, run
from tests.tournament.simulated_ladder import SimulatedLadder, drawn_strengths


def ladder_of(entrants: int, blocks: int, references: int = 4) -> tuple[SimulatedLadder, LadderRatings]:
    strengths = drawn_strengths(entrants, 200)
    ladder, ratings = SimulatedLadder(strengths, slots=4), LadderRatings(4)
    for number, name in enumerate(strengths):
        ratings.enter(name, reference=number < references)
    ladder.enter(*strengths)
    for _, _, halves in ladder.play(blocks):
        ratings.add(halves)
    return ladder, ratings


def test_strengths_are_found_and_the_reference_entrants_have_a_mean_of_1500() -> None:
    ladder, ratings = ladder_of(16, 800)
    rows = ratings.ratings()
    references = list(ladder.strengths)[:4]
    assert np.mean([rows[name].rating for name in references]) == pytest.approx(1500.0)
    level = np.mean([ladder.strengths[name] for name in references])
    for name, strength in ladder.strengths.items():
        row = rows[name]
        assert abs(row.rating - 1500.0 - (strength - level)) < 45
        assert not row.provisional
        assert row.interval is not None and row.interval.low is not None and row.interval.high is not None
        assert row.interval.low < row.rating < row.interval.high


def test_a_newcomer_does_not_move_the_zero_of_the_scale() -> None:
    """Where all who are present have a mean of 1500, a giant that enters pushes everybody else down."""
    ladder, ratings = ladder_of(12, 600)
    before = ratings.ratings()
    ratings.enter("giant")
    names = list(ladder.strengths)
    for number in range(20):
        others = [names[(5 * number + seat) % 12] for seat in range(3)]
        rows = {name: {other: 4 for other in others if other != name} | {"giant": 0} for name in others}
        ratings.add({"giant": dict.fromkeys(others, 8), **rows})
    after = ratings.ratings()
    assert after["giant"].rating > 1900 and next(iter(after)) == "giant"
    moved = [after[name].rating - before[name].rating for name in names]
    assert abs(np.mean(moved[:4])) < 1e-9
    assert abs(np.mean(moved)) < 3


def test_a_new_entrant_has_a_rating_but_no_interval_and_is_provisional() -> None:
    ratings = LadderRatings(2)
    ratings.enter("a", reference=True)
    ratings.enter("b")
    ratings.add({"a": {"b": 3}, "b": {"a": 1}})
    ratings.enter("c")
    rows = ratings.ratings()
    assert rows["c"].interval is None and rows["c"].error is None and rows["c"].blocks == 0
    assert rows["a"].interval is not None and rows["a"].provisional and rows["a"].error is not None
    assert rows["a"].to_json()["interval"] == [None, None]


def test_what_is_looked_at_does_not_change_what_is_found_afresh() -> None:
    ladder, once = ladder_of(10, 200)
    watched = LadderRatings(4)
    for number, name in enumerate(ladder.strengths):
        watched.enter(name, reference=number < 4)
    again = SimulatedLadder(ladder.strengths, slots=4)
    again.enter(*ladder.strengths)
    for _, _, halves in again.play(200):
        watched.add(halves)
        watched.ratings()
    one, other = once.ratings(fresh=True), watched.ratings(fresh=True)
    assert [row.to_json() for row in one.values()] == [row.to_json() for row in other.values()]


def test_the_standard_error_is_the_spread_of_the_ratings_over_many_ladders() -> None:
    errors, found = [], []
    for seed in range(30):
        strengths = dict.fromkeys([f"bot{index}" for index in range(12)], 1500.0)
        ladder, ratings = SimulatedLadder(strengths, slots=2, seed=seed), LadderRatings(4)
        for number, name in enumerate(strengths):
            ratings.enter(name, reference=number < 4)
        ladder.enter(*strengths)
        for _, _, halves in ladder.play(90):
            ratings.add(halves)
        for name, row in ratings.ratings().items():
            assert row.error is not None
            if name not in list(strengths)[:4]:
                found.append(row.rating - 1500.0)
                errors.append(row.error)
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.25)
    assert np.mean(errors) < 50


@pytest.mark.slow
def test_on_a_whole_ladder_intervals_hold_at_every_look() -> None:
    """A small part of `python -m tests.tournament.simulations ladder`."""
    found = run(Scenario("luck", LUCK, entrants=20, newcomers=3, settled=60, blocks=60), runs=3)
    assert found.missed <= 6
    assert found.newcomers_missed <= 2
