"""Positions in which one action is plainly best, and every rung that searches finds it."""

from __future__ import annotations

from typing import Any

import pytest

from bots.reference import make_bot
from bots.search import SearchLimits
from montego_bot import read_ask
from tests.bots.positions import Json, ask, observation, ship
from tests.bots.test_greedy import loading, unloading

SEEDS = ("0", "1", "2")
ITERATIONS = {"lookahead": 8, "montecarlo": 300, "duct": 300}
PILOT = ship("pilot", 0, (0, 0, 0), (0, 0))
UNSEEN = [{"ship": f"y{n}", "capacity": 5, "points": [5, 3, 2]} for n in range(8)]

pytestmark = pytest.mark.parametrize("rung", ITERATIONS)


def choices(rung: str, question: Json) -> list[Json]:
    """What three bots of a rung choose, each with a seed of its own."""
    read = read_ask(question | {"budget_ms": None, "bank_ms": None})
    bots = [make_bot(rung, seed=seed, limits=SearchLimits(ITERATIONS[rung])) for seed in SEEDS]
    return [choice.to_json() for choice in (bot.act(read) for bot in bots)]  # type: ignore[union-attr]


def load_of(rung: str, docks: list[Json], **changes: Any) -> set[str]:
    """On which ships one barrel is put."""
    return {name for choice in choices(rung, loading(1, docks, **changes)) for name in choice["ships"]}


def hiring(coins: int = 3, **changes: Any) -> Json:
    seats = {0: {"coins": coins}} | changes.pop("others", {})
    seen = observation(seats=seats, bank=15 - coins, **changes) | {"phase": "hire"}
    legal = [{"type": "decline"}, {"type": "hire", "worker": "big"}, {"type": "hire", "worker": "little"}]
    return ask({"type": "hire"}, legal, seen)


def test_the_last_space_is_taken_for_its_point_and_the_first_place(rung: str) -> None:
    # 1 and 5 and 5 are 11 to 3 and 6; in s10 it would be 4 and 5 to 4 and 6.
    docks = [PILOT, ship("s07", 5, (5, 3, 1), (2, 2)), ship("s10", 6, (5, 3, 2), (3, 0))]
    assert load_of(rung, docks, seats={1: {"points": 6}}) == {"s07"}


def test_a_lost_ship_gets_nothing_while_another_can_be_won(rung: str) -> None:
    docks = [ship("s07", 5, (5, 3, 1), (1, 3)), ship("s10", 6, (5, 3, 2), (2, 2))]
    assert load_of(rung, docks) == {"s10"}


def test_a_majority_is_denied_by_drawing_level(rung: str) -> None:
    # Level in s14, both get 6, not 7 and 4; the other ship pays 4 and 2 whether it gets one more or not.
    docks = [ship("s14", 8, (7, 4, 2), (3, 4)), ship("s03", 4, (4, 2, 1), (2, 0))]
    assert load_of(rung, docks) == {"s14"}


def test_the_rival_who_is_close_on_points_is_denied_not_the_one_who_is_far_behind(rung: str) -> None:
    # Either load turns a second place into a shared first one; only one of them costs the leader anything.
    docks = [ship("s10", 8, (5, 3, 2), (2, 3, 0)), ship("s12", 8, (5, 3, 2), (2, 0, 3))]
    seats = {0: {"points": 30}, 1: {"points": 30}, 2: {"points": 4}}
    assert load_of(rung, docks, players=3, seats=seats) == {"s10"}


def test_broken_barrels_come_from_the_ship_that_is_lost_anyway(rung: str) -> None:
    docks = [ship("s14", 7, (7, 4, 2), (3, 2)), ship("s10", 6, (5, 3, 2), (2, 4))]
    assert {name for choice in choices(rung, unloading(1, docks)) for name in choice["ships"]} == {"s10"}


def test_broken_barrels_come_from_the_ship_where_more_than_enough_are_aboard(rung: str) -> None:
    docks = [ship("s01", 3, (3, 2, 1), (1, 0)), ship("s13", 7, (6, 4, 2), (5, 1))]
    question = unloading(2, docks, seats={1: {"points": 4}})
    assert [choice["ships"] for choice in choices(rung, question)] == [{"s13": 2}] * len(SEEDS)


def test_in_the_last_round_a_place_is_taken_on_any_docked_ship_since_all_are_paid(rung: str) -> None:
    # The front ship is settled; on the last one a barrel is worth the second place.
    docks = [ship("s01", 3, (3, 2, 1), (2, 0)), PILOT, ship("s15", 8, (7, 4, 3), (0, 3))]
    assert load_of(rung, docks, stack=0) == {"s15"}


def test_jack_is_hired_in_the_last_round_when_he_can_load(rung: str) -> None:
    docks = [ship("s14", 7, (7, 4, 2), (0, 0)), ship("s15", 8, (7, 4, 3), (0, 0)), ship("s13", 7, (6, 4, 2), (0, 0))]
    # Who is behind needs all the barrels he can get; coins left over at the end are worth nothing.
    seats = {1: {"points": 3}}
    assert {choice["type"] for choice in choices(rung, hiring(docks=docks, stack=0, others=seats))} == {"hire"}


def test_jack_is_not_hired_while_there_is_nothing_to_load_and_time_to_hire_him_later(rung: str) -> None:
    # All barrels are aboard, on ships that nobody fills in this round; the coins are worth more in the rounds to come.
    docks = [
        PILOT,
        ship("x1", 12, (6, 4, 2), (6, 0)),
        ship("x2", 12, (7, 4, 2), (5, 0)),
        ship("x3", 12, (5, 3, 2), (5, 0)),
    ]
    question = hiring(docks=docks, stack=8, unseen=UNSEEN)
    assert [choice["type"] for choice in choices(rung, question)] == ["decline"] * len(SEEDS)
