from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, islice, permutations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournament.plan import Plan
from service.tournament.schedule import Schedule, unrank

NAMES = ("ada", "bob", "cyd", "dot", "eve", "fay")
PLAN = Plan("round_robin", NAMES, (), 4, 2, None, "rotations", "seed")


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    players = draw(st.integers(2, 4))
    names = tuple(f"bot{index}" for index in range(draw(st.integers(players, 7))))
    gauntlet = draw(st.booleans())
    most = len(names) - players + 1
    challengers = names[: draw(st.integers(1, most))] if gauntlet else ()
    return Plan(
        "gauntlet" if gauntlet else "round_robin",
        names,
        challengers,
        players,
        draw(st.integers(1, 4)),
        None,
        draw(st.sampled_from(["rotations", "all"])),
        draw(st.text("abc", min_size=1, max_size=4)),
    )


def test_every_set_of_entrants_meets_once_a_deal() -> None:
    blocks = list(Schedule(PLAN))

    assert len(blocks) == 30
    for deal in range(2):
        sets = [frozenset(block.entrants) for block in blocks if block.deal == deal]
        assert sorted(map(sorted, sets)) == sorted(map(list, combinations(NAMES, 4)))


def test_every_set_plays_its_first_deal_before_any_plays_its_second() -> None:
    deals = [block.deal for block in Schedule(PLAN)]

    assert deals == sorted(deals)


def test_rotations_bring_everybody_to_every_seat_once() -> None:
    for block in Schedule(PLAN):
        assert len(block.pairings) == 4
        for seat in range(4):
            assert {pairing.seats[seat] for pairing in block.pairings} == set(block.entrants)


def test_all_seatings_are_all_permutations() -> None:
    block = Schedule(replace(PLAN, seatings="all")).block(0)

    assert sorted(pairing.seats for pairing in block.pairings) == sorted(permutations(sorted(block.entrants)))


def test_a_set_sits_in_every_order_around_the_table_before_one_comes_again() -> None:
    blocks = list(Schedule(replace(PLAN, entrants=NAMES[:4], deals=12)))
    orders = [block.pairings[0].seats for block in blocks]

    assert len(set(orders[:6])) == 6
    assert orders[6:] == orders[:6]


def test_matches_are_numbered_through() -> None:
    schedule = Schedule(PLAN)
    listed = [pairing for block in schedule for pairing in block.pairings]

    assert [pairing.match for pairing in listed] == list(range(schedule.matches))
    assert [schedule.pairing(number) for number in range(schedule.matches)] == listed
    assert all(pairing.block == pairing.match // 4 and pairing.seating == pairing.match % 4 for pairing in listed)


def test_the_same_plan_gives_the_same_schedule_and_another_seed_another_one() -> None:
    assert list(Schedule(PLAN)) == list(Schedule(PLAN))
    assert list(Schedule(PLAN)) != list(Schedule(replace(PLAN, seed="other")))


def test_a_challenger_meets_every_choice_of_the_field_and_no_other_challenger() -> None:
    blocks = list(Schedule(replace(PLAN, format="gauntlet", challengers=("bob", "eve"), deals=1)))

    field = [name for name in NAMES if name not in ("bob", "eve")]
    expected = [(who, *rest) for who in ("bob", "eve") for rest in combinations(field, 3)]
    assert sorted(block.entrants for block in blocks) == sorted(expected)


def test_challengers_meet_the_same_opponents_one_right_after_another_and_in_the_same_order() -> None:
    blocks = list(Schedule(replace(PLAN, format="gauntlet", challengers=("bob", "eve"), players=3)))

    for one, other in zip(blocks[::2], blocks[1::2], strict=True):
        assert (one.entrants[0], other.entrants[0]) == ("bob", "eve")
        assert [pairing.seats for pairing in other.pairings] == [
            tuple("eve" if name == "bob" else name for name in pairing.seats) for pairing in one.pairings
        ]


def test_an_unfinished_round_robin_has_brought_everybody_about_as_often_to_the_table() -> None:
    names = tuple(f"bot{index:02d}" for index in range(20))
    schedule = Schedule(replace(PLAN, entrants=names, deals=1))
    played = Counter(name for block in islice(schedule, schedule.blocks // 4) for name in block.entrants)

    fair = schedule.blocks // 4 * 4 / 20
    assert all(0.8 * fair < played[name] < 1.2 * fair for name in names)


def test_a_block_far_down_a_huge_schedule_is_there_at_once() -> None:
    names = tuple(f"bot{index}" for index in range(1000))
    schedule = Schedule(Plan("round_robin", names, (), 2, 1, None, "rotations", "seed"))

    assert schedule.matches == 999_000
    assert len(set(schedule.pairing(998_999).seats)) == 2


@pytest.mark.parametrize("number", [-1, 30])
def test_a_block_outside_the_schedule_is_no_block(number: int) -> None:
    with pytest.raises(IndexError, match="0 to 29"):
        Schedule(PLAN).block(number)


@pytest.mark.parametrize("number", [-1, 120])
def test_a_match_outside_the_schedule_is_no_match(number: int) -> None:
    with pytest.raises(IndexError, match="0 to 119"):
        Schedule(PLAN).pairing(number)


@given(plans())
@settings(max_examples=60, deadline=None)
def test_whatever_the_plan_no_bot_is_luckier_with_sets_deals_or_seats(plan: Plan) -> None:
    schedule = Schedule(plan)
    blocks = list(schedule)

    assert len(blocks) == schedule.blocks == plan.deals * plan.possible_sets
    meetings = Counter((frozenset(block.entrants), block.deal) for block in blocks)
    assert set(meetings.values()) == {1}
    seats = Counter(
        (name, seat) for block in blocks for pairing in block.pairings for seat, name in enumerate(pairing.seats)
    )
    for name in plan.entrants:
        assert len({seats[name, seat] for seat in range(plan.players)}) == 1


@pytest.mark.parametrize(("items", "size"), [(4, 4), (6, 1), (7, 3), (9, 4)])
def test_combinations_are_numbered_in_lexicographic_order(items: int, size: int) -> None:
    assert [unrank(rank, items, size) for rank in range(comb(items, size))] == list(combinations(range(items), size))
