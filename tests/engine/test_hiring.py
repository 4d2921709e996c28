"""Rulings on step 1, "Hire Lazy Jack"."""

import pytest

from service.engine.actions import Decline, Hire
from service.engine.errors import NotOpen
from tests.engine.positions import answer, choose, coins, decline, happened, hire, lay, stops, tokens


def asked(players: int, coins: tuple[int, ...], points: tuple[int, ...] = (), order: tuple[str, ...] = ()) -> list[int]:
    """The seats that Jack is offered to, if everybody declines."""
    game = lay(players, coins=coins, points=points, order=tokens(*order) if order else None)
    seats = []
    while game.phase == "hire":
        seats.append(game.decisions[0].seat)
        game = decline(game)
    return seats


def test_jack_is_offered_to_players_with_3_or_more_coins() -> None:
    assert asked(4, (3, 2, 7, 0)) == [0, 2]
    assert asked(4, (2, 2, 2, 2)) == []


def test_fewest_points_come_first() -> None:
    assert asked(4, (3, 3, 3, 4), points=(9, 4, 12, 7)) == [1, 3, 0, 2]


def test_among_equals_the_one_whose_first_token_stands_earlier_comes_first() -> None:
    order = ("2 little", "0 big", "0 little", "1 big", "2 big", "1 little")
    assert asked(3, (5, 5, 5), points=(4, 4, 4), order=order) == [2, 0, 1]
    assert asked(3, (5, 5, 5), points=(4, 3, 4), order=order) == [1, 2, 0]


def test_a_seat_is_offered_jack_only_once_a_round() -> None:
    game = lay(2, coins=(3, 3))
    first = game.decisions[0].id
    with pytest.raises(NotOpen):
        decline(decline(game)).apply(first, Decline())


def test_the_first_to_accept_pays_3_coins_to_the_bank() -> None:
    game = lay(2, coins=(4, 5), points=(1, 0))
    step = answer(game, Hire("little"))
    assert coins(step.game) == (4, 2)
    assert step.game.jack == (1, "little")
    assert [event.type for event in step.events] == ["jack_hired"]
    assert step.events[0].data == {"seat": 1, "companion": "little"}


def test_nobody_else_is_then_offered() -> None:
    game = hire(lay(3, coins=(3, 3, 3)), "big")
    assert game.phase == "play"
    assert [decision.type for decision in game.decisions] == ["play", "play", "play"]


def test_when_all_decline_the_cards_follow() -> None:
    step = answer(decline(lay(2, coins=(3, 3))), Decline())
    assert step.game.phase == "play"
    assert step.game.jack is None
    assert [event.type for event in step.events] == ["declined"]


def test_who_declines_keeps_the_coins_and_the_next_is_offered() -> None:
    step = answer(lay(2, coins=(3, 3)), Decline())
    assert coins(step.game) == (3, 3)
    assert [(event.type, event.data) for event in step.events] == [("declined", {"seat": 0}), ("offered", {"seat": 1})]


def test_jack_starts_where_the_named_worker_is() -> None:
    assert stops(hire(lay(at={"0 big": 4, "0 little": 9}, coins=(3,)), "big"))["jack"] == 4
    assert stops(hire(lay(at={"0 big": 4, "0 little": 9}, coins=(3,)), "little"))["jack"] == 9
    assert stops(hire(lay(coins=(3,)), "little"))["jack"] is None


def test_hire_has_three_actions_in_this_order() -> None:
    game = lay(coins=(3,))
    assert game.decisions[0].id == "2.hire.0.0"
    assert game.legal_actions("2.hire.0.0") == (Decline(), Hire("big"), Hire("little"))
    assert game.default_action("2.hire.0.0") == Decline()


def test_jack_is_offered_anew_in_the_next_round() -> None:
    game = choose(decline(lay(coins=(3,))), (1, 1), (2, 2)).game
    assert [decision.id for decision in game.decisions] == ["3.hire.0.0"]


def test_jack_is_offered_before_the_round_is_told_to_be_played() -> None:
    step = choose(decline(lay(coins=(3,))), (1, 1), (2, 2))
    assert [event.type for event in step.events][-2:] == ["round_began", "offered"]
    assert happened(step.events, "round_began")[0]["order"]
