"""Rulings on step 2, "Play cards"."""

import itertools

import pytest

from service.engine.actions import Decline, NotLegal, Play
from service.engine.errors import NotOpen
from service.engine.game import Game
from tests.engine.positions import choose, happened, hire, lay


def test_everybody_is_asked_at_the_same_time() -> None:
    assert [decision.id for decision in lay(4).decisions] == ["2.play.0.0", "2.play.1.0", "2.play.2.0", "2.play.3.0"]


def test_the_order_in_which_cards_arrive_makes_no_difference() -> None:
    cards = [Play(1, 2), Play(3, 4), Play(5, 5), Play(2, 1)]
    ends: set[Game] = set()
    for seats in itertools.permutations(range(4)):
        game = lay(4, at={"0 big": 3})
        for seat in seats:
            game = game.apply(f"2.play.{seat}.0", cards[seat]).game
        ends.add(game)
    assert len(ends) == 1


def test_a_card_for_each_worker_makes_25_choices_ascending() -> None:
    game = lay(2)
    actions = game.legal_actions("2.play.0.0")
    assert actions == tuple(Play(big, little) for big in range(1, 6) for little in range(1, 6))
    assert game.default_action("2.play.0.0") == Play(1, 1)


@pytest.mark.parametrize("companion", ["big", "little"])
def test_jacks_card_comes_from_his_companions_set_so_they_differ(companion: str) -> None:
    game = hire(lay(2, coins=(3,)), companion)
    actions = game.legal_actions("2.play.0.0")
    assert actions == tuple(
        Play(big, little, jack)
        for big in range(1, 6)
        for little in range(1, 6)
        for jack in range(1, 6)
        if jack != (big if companion == "big" else little)
    )
    assert len(actions) == 100
    assert len(game.legal_actions("2.play.1.0")) == 25


def test_who_has_hired_jack_must_choose_a_card_for_him() -> None:
    game = hire(lay(2, coins=(3,)), "big")
    with pytest.raises(NotLegal, match="must choose a card for him"):
        game.apply("2.play.0.0", Play(1, 1))
    with pytest.raises(NotLegal, match="both cannot be 4"):
        game.apply("2.play.0.0", Play(4, 1, 4))
    with pytest.raises(NotLegal, match="has not hired Jack"):
        game.apply("2.play.1.0", Play(4, 1, 3))


def test_there_are_no_cards_but_1_to_5() -> None:
    for action in (Play(0, 1), Play(6, 1), Play(1, 0), Play(1, 6), Play(-1, 2), Play(1, 10**30)):
        with pytest.raises(NotLegal, match="cards 1 to 5"):
            lay(2).apply("2.play.0.0", action)


def test_a_choice_stands_once_it_is_made() -> None:
    game = lay(3).apply("2.play.1.0", Play(1, 1)).game
    with pytest.raises(NotOpen):
        game.apply("2.play.1.0", Play(1, 2))
    assert [decision.seat for decision in game.decisions] == [0, 2]


def test_nothing_is_told_of_a_choice_but_that_it_was_made() -> None:
    step = lay(3).apply("2.play.1.0", Play(4, 5))
    assert [(event.type, event.data) for event in step.events] == [("chosen", {"seat": 1})]


def test_all_cards_are_revealed_at_once_when_all_have_chosen() -> None:
    step = choose(hire(lay(3, coins=(0, 3)), "little"), (1, 2), (3, 4, 5), (5, 1))
    assert happened(step.events, "revealed") == [
        {
            "cards": [
                {"seat": 0, "big": 1, "little": 2},
                {"seat": 1, "big": 3, "little": 4, "jack": 5},
                {"seat": 2, "big": 5, "little": 1},
            ]
        }
    ]


def test_all_five_cards_are_back_in_the_next_round() -> None:
    game = choose(lay(2), (1, 2), (3, 4)).game
    assert (game.round, game.cards(0), game.cards(1)) == (3, None, None)
    assert len(game.legal_actions("3.play.0.0")) == 25


def test_a_seat_knows_its_own_cards_from_its_choice_on() -> None:
    game = hire(lay(2, coins=(3,)), "big").apply("2.play.0.0", Play(2, 3, 4)).game
    assert (game.cards(0), game.cards(1)) == ({"big": 2, "little": 3, "jack": 4}, None)


def test_a_question_about_cards_takes_cards_only() -> None:
    with pytest.raises(NotLegal, match="about play, not decline") as refused:
        lay(2).apply("2.play.0.0", Decline())
    assert len(refused.value.legal) == 25
