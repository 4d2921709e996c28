"""What fits into an organiser's time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.tournament.advice import lasts, plans
from service.tournament.formats import check, expected_matches, with_defaults
from service.tournament.plan import Plan
from service.tournament.simulation import found, names_of


@pytest.mark.parametrize(("bots", "players"), [(4, 4), (9, 2), (16, 4), (25, 3), (40, 4)])
@pytest.mark.parametrize("blocks", [30, 400])
def test_plans_use_the_time_up_and_no_more(bots: int, players: int, blocks: int) -> None:
    listed = list(plans(names_of(bots), players, 4, blocks))

    assert listed[0].format == "round_robin"
    for plan in listed:
        check(plan)
        assert lasts(plan, 4) <= blocks
        assert expected_matches(plan, ()) <= 4 * blocks * players
        more = with_defaults(replace(plan, deals=plan.deals + 1, max_deals=None))
        assert plan.sets is not None or lasts(more, 4) > blocks


def test_a_format_that_cannot_be_played_in_that_time_is_left_out() -> None:
    assert [plan.format for plan in plans(names_of(40), 4, 4, 4)] == ["round_robin"]
    assert list(plans(names_of(40), 4, 4, 2)) == []
    assert [plan.format for plan in plans(names_of(5), 4, 4, 40)] == ["round_robin", "swiss", "knockout"]


def test_later_rounds_of_a_knockout_use_fewer_processes() -> None:
    plan = Plan("knockout", names_of(16), (), 4, 3, None, "rotations", "seed", advance=2, max_deals=7)

    assert [lasts(plan, processes) for processes in (1, 2, 4, 8)] == [3 * 7, 3 * 4, 3 * 3, 3 * 3]


def test_the_best_is_found_more_often_the_more_is_played() -> None:
    short, long = (
        found(Plan("round_robin", names_of(6), (), 2, deals, None, "rotations", "seed"), 60, 300.0) for deals in (1, 40)
    )

    assert short.first + 0.1 < long.first > 0.8
    assert short.top <= long.top
    assert (short.matches, long.matches) == (30, 1200)
