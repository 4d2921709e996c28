"""The rungs: who plays whom, what is counted, and what the figures say."""

from __future__ import annotations

import itertools

import pytest

from bots.reference import RUNGS
from bots.rungs.contest import (
    Contest,
    Contestant,
    ContestBlock,
    Setting,
    figures,
    play_all,
    play_block,
    quick_contests,
    rung_contests,
)

GREEDY_OVER_RANDOM = Contest(Contestant("greedy"), Contestant("random"), Setting(1, 3))


def blocks(*shares: float) -> list[ContestBlock]:
    return [ContestBlock(share, (0.2, 0.1), (100, 200)) for share in shares]


def test_every_rung_meets_the_one_below_it_in_three_settings() -> None:
    names = [rung.name for rung in RUNGS]
    played = [(str(c.upper), str(c.lower), c.setting.upper, c.setting.lower) for c in rung_contests()]
    assert played == [
        (upper, lower, *seats) for lower, upper in itertools.pairwise(names) for seats in ((1, 1), (1, 3), (3, 1))
    ]


def test_the_steps_can_be_cut_at_both_ends() -> None:
    pairs = {(str(c.upper), str(c.lower)) for c in rung_contests("lookahead", "montecarlo")}
    assert pairs == {("lookahead", "greedy"), ("montecarlo", "lookahead")}


@pytest.mark.parametrize(("setting", "par"), [(Setting(1, 1), 0.5), (Setting(1, 3), 0.25), (Setting(3, 1), 0.75)])
def test_who_sits_alone_sits_once_in_every_seat(setting: Setting, par: float) -> None:
    contest = Contest(Contestant("greedy"), Contestant("random"), setting)
    seatings = [contest.seats(seating) for seating in range(setting.players)]
    assert [sum(seats) for seats in seatings] == [setting.upper] * setting.players
    assert [sum(column) for column in zip(*seatings, strict=True)] == [setting.upper] * setting.players
    assert setting.par == par


def test_a_block_is_the_same_when_it_is_played_again() -> None:
    one, other = (play_block(GREEDY_OVER_RANDOM, "again") for _ in range(2))
    assert (one.share, one.decisions) == (other.share, other.decisions)
    assert one.share >= 0.5
    assert one.decisions[1] > one.decisions[0] > 20
    assert one.seconds[0] > one.seconds[1] > 0


def test_the_interval_is_students_with_one_block_at_par() -> None:
    # 0.5, 0.75, 0.25 and 0.25 at par: mean 0.4375, standard error 0.1197, and 3.182 of them on both sides.
    found = figures(GREEDY_OVER_RANDOM, blocks(0.5, 0.75, 0.25))
    assert found.share == 0.5
    assert (found.low, found.high) == pytest.approx((0.0566, 0.8184), abs=1e-3)
    assert (found.blocks, found.games) == (3, 12)
    assert found.ms == pytest.approx((2.0, 0.5))
    assert not found.stronger


def test_a_few_blocks_that_are_all_won_are_no_certainty() -> None:
    assert not figures(GREEDY_OVER_RANDOM, blocks(1.0, 1.0)).stronger
    ten = figures(GREEDY_OVER_RANDOM, blocks(*[1.0] * 10))
    assert ten.stronger
    assert ten.low < 0.9


def test_every_contest_is_played_at_every_deal() -> None:
    contests = list(rung_contests("greedy", "greedy"))
    yielded = list(play_all(contests, 2, "a seed", processes=2))
    assert len(yielded) == len(contests) * 2
    complete = [line for line in yielded if line]
    assert {line.contest for line in complete} == set(contests)
    assert {line.blocks for line in complete} == {2}


def test_the_quick_plan_is_lookahead_over_random() -> None:
    assert {(str(c.upper), str(c.lower)) for c in quick_contests()} == {("lookahead", "random")}
    assert len(list(quick_contests())) == 3
