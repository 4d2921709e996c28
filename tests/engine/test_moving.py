"""Rulings on step 3, "Move". With 2 or 3 players stop 13 - i is opposite of i; with 4 players it is 15 - i."""

import pytest

from service.engine.setup import all_tokens
from tests.engine.positions import choose, decline, happened, hire, lay, stops, tokens

ZERO_FIRST = tokens("0 big", "0 little", "1 big", "1 little")


def test_a_bigs_first_step_is_onto_stop_0() -> None:
    game = choose(lay(order=ZERO_FIRST), (1, 5), (4, 1)).game
    assert stops(game) == {"0 big": 0, "0 little": 11, "1 big": 3, "1 little": 7}


@pytest.mark.parametrize(("players", "w"), [(2, 7), (3, 7), (4, 8)])
def test_a_littles_first_step_is_onto_stop_w(players: int, w: int) -> None:
    cards = [(seat + 1, seat + 1) for seat in range(players)]
    game = choose(lay(players), *cards).game
    assert [stops(game)[f"{seat} little"] for seat in range(players)] == [w + seat for seat in range(players)]
    assert [stops(game)[f"{seat} big"] for seat in range(players)] == list(range(players))


def test_a_worker_moves_exactly_as_many_stops_as_its_card_says() -> None:
    game = choose(lay(at={"0 big": 2, "0 little": 5, "1 big": 9}), (1, 3), (2, 1)).game
    assert stops(game) == {"0 big": 3, "0 little": 8, "1 big": 11, "1 little": 7}


def test_after_the_last_stop_comes_stop_0() -> None:
    game = choose(lay(at={"0 big": 12, "1 big": 13}), (3, 1), (5, 2)).game
    assert (stops(game)["0 big"], stops(game)["1 big"]) == (1, 4)
    game = choose(lay(4, at={"2 big": 15}), (1, 1), (2, 2), (4, 4), (5, 5)).game
    assert stops(game)["2 big"] == 3


def test_others_are_passed_freely() -> None:
    at = {"0 big": 2, "0 little": 3, "1 big": 4, "1 little": 5}
    step = choose(lay(at=at, order=ZERO_FIRST), (5, 5), (5, 5))
    assert stops(step.game) == {"0 big": 7, "0 little": 8, "1 big": 9, "1 little": 10}
    assert all(move["pushed"] is None and not move["fell_back"] for move in happened(step.events, "moved"))


def test_workers_move_in_the_order() -> None:
    at = {"0 big": 1, "1 big": 2}
    # 1 big reaches 4 and is pushed from there by 0 big, who comes later.
    later = choose(lay(at=at, order=tokens("1 big", "0 big", "0 little", "1 little")), (3, 1), (2, 5)).game
    assert (stops(later)["0 big"], stops(later)["1 big"]) == (4, 9)
    earlier = choose(lay(at=at, order=tokens("0 big", "1 big", "0 little", "1 little")), (3, 1), (2, 5)).game
    assert (stops(earlier)["0 big"], stops(earlier)["1 big"]) == (9, 4)


def test_who_stands_on_the_stop_reached_is_pushed_to_the_opposite_stop() -> None:
    step = choose(lay(at={"0 big": 1, "1 big": 4}, order=ZERO_FIRST), (3, 1), (5, 2))
    # 0 big reaches 4; 1 big is pushed to 9, and goes on from there to 0.
    assert (stops(step.game)["0 big"], stops(step.game)["1 big"]) == (4, 0)
    assert happened(step.events, "moved")[0] == {
        "seat": 0,
        "worker": "big",
        "from": 1,
        "to": 4,
        "pushed": {"seat": 1, "worker": "big", "from": 4, "to": 9},
        "fell_back": False,
    }


def test_ones_own_worker_is_pushed_too() -> None:
    order = tokens("0 little", "0 big", "1 big", "1 little")
    game = choose(lay(at={"0 big": 1, "0 little": 2}, order=order), (3, 2), (5, 1)).game
    # The little reaches 4, then the big pushes it to 9.
    assert (stops(game)["0 big"], stops(game)["0 little"]) == (4, 9)


@pytest.mark.parametrize(
    ("start", "card", "end", "pushed_to"), [(11, 2, 13, 0), (12, 2, 0, 13), (4, 2, 6, 7), (4, 3, 7, 6)]
)
def test_at_a_corner_of_the_loop_the_opposite_stop_is_a_neighbour(
    start: int, card: int, end: int, pushed_to: int
) -> None:
    order = tokens("0 big", "0 little", "1 little", "1 big")
    step = choose(lay(at={"0 big": start, "1 big": end}, order=order), (card, 3), (1, 5))
    assert happened(step.events, "moved")[0]["to"] == end
    assert happened(step.events, "moved")[0]["pushed"]["to"] == pushed_to


def test_a_big_pushes_when_it_comes_out_of_the_left_tavern() -> None:
    step = choose(lay(at={"1 big": 2}, order=ZERO_FIRST), (3, 1), (1, 5))
    assert happened(step.events, "moved")[0]["from"] is None
    assert happened(step.events, "moved")[0]["to"] == 2
    assert happened(step.events, "moved")[0]["pushed"] == {"seat": 1, "worker": "big", "from": 2, "to": 11}


def test_a_little_pushes_when_it_comes_out_of_the_right_tavern() -> None:
    order = tokens("0 little", "0 big", "1 big", "1 little")
    step = choose(lay(at={"1 big": 8}, order=order), (1, 2), (1, 5))
    assert happened(step.events, "moved")[0]["from"] is None
    assert happened(step.events, "moved")[0]["to"] == 8
    assert happened(step.events, "moved")[0]["pushed"] == {"seat": 1, "worker": "big", "from": 8, "to": 5}


@pytest.mark.parametrize(("start", "card", "end"), [(5, 3, 8), (4, 5, 9), (6, 1, 7), (12, 3, 1), (13, 1, 0)])
def test_who_is_pushed_may_land_on_the_stop_just_left(start: int, card: int, end: int) -> None:
    order = tokens("0 big", "0 little", "1 little", "1 big")
    step = choose(lay(at={"0 big": start, "1 big": end}, order=order), (card, 4), (1, 5))
    move = happened(step.events, "moved")[0]
    assert (move["to"], move["pushed"]["to"]) == (end, start)


def test_if_the_opposite_stop_is_taken_nobody_is_pushed_and_the_mover_falls_back() -> None:
    at = {"0 big": 1, "1 big": 4, "1 little": 9}
    step = choose(lay(at=at, order=ZERO_FIRST), (3, 4), (1, 1))
    assert happened(step.events, "moved")[0] == {
        "seat": 0,
        "worker": "big",
        "from": 1,
        "to": 3,
        "pushed": None,
        "fell_back": True,
    }


def test_a_blocked_worker_falls_back_to_the_first_empty_stop() -> None:
    at = {"0 big": 1, "0 little": 3, "1 big": 4, "1 little": 9}
    step = choose(lay(at=at, order=ZERO_FIRST), (3, 5), (1, 1))
    assert happened(step.events, "moved")[0]["to"] == 2


def test_a_worker_blocked_all_the_way_does_not_move() -> None:
    at = {"0 big": 2, "0 little": 3, "1 big": 4, "1 little": 9}
    step = choose(lay(at=at, order=ZERO_FIRST), (2, 5), (1, 1))
    assert happened(step.events, "moved")[0]["to"] == 2
    assert happened(step.events, "moved")[0]["fell_back"] is True


def test_a_worker_falls_back_past_stop_0() -> None:
    at = {"0 big": 12, "0 little": 0, "1 big": 1, "1 little": 2, "2 big": 12 - 1, "2 little": 9}
    order = tokens("0 big", "0 little", "1 big", "1 little", "2 big", "2 little")
    # 4 stops from 12 is 2, taken, with 11 opposite taken; 1 and 0 are taken; 13 is empty.
    step = choose(lay(3, at=at, order=order), (4, 5), (5, 5), (5, 5))
    assert happened(step.events, "moved")[0]["to"] == 13


def test_out_of_a_tavern_a_blocked_worker_falls_back_no_further_than_its_first_stop() -> None:
    at = {"1 big": 2, "1 little": 11}
    step = choose(lay(at=at, order=ZERO_FIRST), (3, 5), (1, 1))
    assert happened(step.events, "moved")[0]["to"] == 1
    at = {"1 big": 2, "1 little": 11, "0 little": 1}
    step = choose(lay(at=at, order=ZERO_FIRST), (3, 5), (1, 1))
    assert happened(step.events, "moved")[0]["to"] == 0


def test_a_worker_that_finds_no_empty_stop_before_its_tavern_stays_in() -> None:
    # Stop 13, behind stop 0 on the loop, is empty, but the big has not walked over it.
    at = {"0 little": 0, "1 big": 1, "1 little": 12}
    step = choose(lay(at=at, order=ZERO_FIRST), (2, 5), (5, 3))
    move = happened(step.events, "moved")[0]
    assert (move["from"], move["to"], move["pushed"], move["fell_back"]) == (None, None, None, True)
    assert stops(step.game)["0 big"] is None


def test_a_little_that_finds_no_empty_stop_before_its_tavern_stays_in() -> None:
    at = {"1 big": 7, "1 little": 6}
    order = tokens("0 little", "0 big", "1 big", "1 little")
    step = choose(lay(at=at, order=order), (1, 1), (5, 4))
    assert happened(step.events, "moved")[0]["to"] is None
    assert stops(step.game)["0 little"] is None


def test_a_worker_that_stayed_in_its_tavern_comes_out_of_it_in_the_next_round() -> None:
    game = choose(
        lay(at={"1 big": 7, "1 little": 6}, order=tokens("0 little", "0 big", "1 big", "1 little")), (1, 1), (5, 4)
    ).game
    assert stops(game)["0 little"] is None
    assert stops(choose(game, (1, 2), (1, 1)).game)["0 little"] == 8


def test_jack_moves_first_from_the_stop_of_his_companion() -> None:
    game = hire(lay(at={"1 big": 3}, coins=(0, 3), order=ZERO_FIRST), "big")
    step = choose(game, (1, 1), (1, 1, 4))
    first = happened(step.events, "moved")[0]
    assert (first["seat"], first["worker"], first["from"], first["to"]) == (1, "jack", 3, 7)
    # 0 little then comes out of its tavern onto 7 and pushes Jack to 6.
    assert happened(step.events, "moved")[2]["pushed"] == {"seat": 1, "worker": "jack", "from": 7, "to": 6}


def test_jack_pushes_others() -> None:
    game = hire(lay(at={"1 big": 3, "0 big": 5}, coins=(0, 3), order=ZERO_FIRST), "big")
    step = choose(game, (1, 1), (1, 1, 2))
    assert happened(step.events, "moved")[0]["pushed"] == {"seat": 0, "worker": "big", "from": 5, "to": 8}


def test_jack_starts_in_the_tavern_of_his_companion() -> None:
    left = choose(hire(lay(coins=(3,)), "big"), (1, 1, 3), (4, 4))
    assert happened(left.events, "moved")[0]["to"] == 2
    right = choose(hire(lay(coins=(3,)), "little"), (1, 1, 3), (4, 4))
    assert happened(right.events, "moved")[0]["to"] == 9


def test_jack_in_a_tavern_who_finds_no_empty_stop_stays_there() -> None:
    at = {"0 little": 0, "1 big": 1, "1 little": 12}
    game = decline(lay(at=at, coins=(3, 3), order=ZERO_FIRST, points=(1, 0)))
    step = choose(hire(game, "big"), (5, 5, 2), (5, 3))
    move = happened(step.events, "moved")[0]
    assert (move["worker"], move["from"], move["to"], move["fell_back"]) == ("jack", None, None, True)


def test_jacks_companion_stands_on_his_stop_so_he_falls_back_past_it() -> None:
    at = {"0 big": 3, "1 big": 4, "1 little": 9}
    step = choose(hire(lay(at=at, coins=(3,), order=ZERO_FIRST), "big"), (5, 1, 1), (1, 1))
    move = happened(step.events, "moved")[0]
    assert (move["worker"], move["from"], move["to"], move["fell_back"]) == ("jack", 3, 2, True)


def test_jack_falls_back_round_the_loop_if_need_be() -> None:
    at = {"0 big": 1, "0 little": 0, "1 big": 2, "1 little": 11, "2 big": 13}
    order = all_tokens(3)
    step = choose(hire(lay(3, at=at, coins=(3,), order=order), "big"), (5, 1, 1), (1, 1), (1, 1))
    # He reaches 2, with 11 opposite; 1 is his companion's; 0 and 13 are taken; 12 is empty.
    assert happened(step.events, "moved")[0]["to"] == 12


def test_the_stop_that_jack_left_does_not_count_as_empty_for_a_push() -> None:
    # From 5 with 3 to 8, where 1 big stands; its opposite, 5, is taken by Jack's companion.
    at = {"0 big": 5, "1 big": 8}
    step = choose(hire(lay(at=at, coins=(3,), order=ZERO_FIRST), "big"), (1, 1, 3), (1, 1))
    move = happened(step.events, "moved")[0]
    assert (move["to"], move["pushed"], move["fell_back"]) == (7, None, True)


def test_workers_stay_where_they_are_from_round_to_round() -> None:
    game = choose(lay(at={"0 big": 2}), (3, 1), (1, 2)).game
    assert game.round == 3
    assert stops(game) == {"0 big": 5, "0 little": 7, "1 big": 0, "1 little": 8}


def test_jack_leaves_the_path_before_the_next_round() -> None:
    game = choose(hire(lay(coins=(3,)), "big"), (1, 1, 3), (4, 4)).game
    assert game.round == 3
    assert "jack" not in stops(game)
    # His stop is empty again: 0 big reaches 2 and pushes nobody.
    moves = happened(choose(game, (2, 1), (4, 4)).events, "moved")
    assert [move["pushed"] for move in moves if (move["seat"], move["worker"]) == (0, "big")] == [None]
