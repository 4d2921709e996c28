"""Rulings on step 5, "End, or next round"."""

from tests.engine.positions import (
    PILOT,
    WIDE,
    choose,
    docked,
    good,
    happened,
    lay,
    load,
    stops,
    supplies,
    tokens,
)

POINTS = (7, 4, 3)
STANDING = tokens("0 big", "0 little", "1 big", "1 little")
MOVED_ON = tokens("1 little", "0 big", "0 little", "1 big")
GIVEN = tokens("1 big", "0 little", "1 little", "0 big")


def test_the_ship_at_dock_0_is_paid_and_sails_loaded_or_not() -> None:
    docks = ((9, POINTS, (3, 1)), (9, POINTS, (1, 1)), WIDE, WIDE)
    step = choose(lay(docks=docks), (1, 1), (2, 2))
    assert happened(step.events, "ship_sailed") == [{"ship": "a", "paid": [7, 4], "filled_by": None}]
    assert step.game.points == (7, 4)
    assert supplies(step.game) == (15, 15)
    empty = choose(lay(docks=(WIDE, (9, POINTS, (1, 1)), WIDE, WIDE)), (1, 1), (2, 2))
    assert happened(empty.events, "ship_sailed") == [{"ship": "a", "paid": [0, 0], "filled_by": None}]


def test_the_rest_move_forward_and_a_new_ship_is_drawn() -> None:
    docks = (WIDE, (9, POINTS, (1, 1)), WIDE, WIDE)
    step = choose(lay(docks=docks), (1, 1), (2, 2))
    assert list(docked(step.game).items()) == [("b", (1, 1)), ("c", (0, 0)), ("d", (0, 0)), ("t1", (0, 0))]


def test_the_pilot_boat_pays_nothing() -> None:
    step = choose(lay(), (1, 1), (2, 2))
    assert happened(step.events, "ship_sailed") == [{"ship": "pilot", "paid": [0, 0], "filled_by": None}]
    assert step.game.points == (0, 0)


def test_otherwise_the_last_token_moves_to_the_front() -> None:
    step = choose(lay(order=STANDING), (1, 1), (2, 2))
    changed = happened(step.events, "order_changed")
    assert [change["shuffled"] for change in changed] == [False]
    assert [(token["seat"], token["worker"]) for token in changed[0]["order"]] == list(MOVED_ON)
    assert happened(step.events, "round_began")[0]["order"] == changed[0]["order"]


def test_the_order_is_shuffled_if_the_new_ship_was_one_of_the_last_six() -> None:
    game = lay(order=STANDING, stack=((5, POINTS),) * 6, orders=(STANDING, STANDING, GIVEN))
    step = choose(game, (1, 1), (2, 2))
    changed = happened(step.events, "order_changed")
    assert [change["shuffled"] for change in changed] == [True]
    assert [(token["seat"], token["worker"]) for token in changed[0]["order"]] == list(GIVEN)
    assert happened(step.events, "ship_drawn") == [{"ship": "t1", "last_six": True}]


def test_what_happened_can_also_be_asked_for_when_the_game_has_gone_on() -> None:
    game = lay(order=STANDING, stack=((5, POINTS),) * 6, orders=(STANDING, STANDING, GIVEN))
    told, silent = choose(game, (1, 1), (2, 2)), choose(game, (1, 1), (2, 2))
    assert [change["shuffled"] for change in happened(told.events, "order_changed")] == [True]
    choose(silent.game, (1, 2), (2, 1))
    assert silent.events == told.events == silent.events


def test_the_order_is_not_shuffled_if_seven_ships_were_left() -> None:
    game = lay(order=STANDING, stack=((5, POINTS),) * 7, orders=(STANDING, STANDING, GIVEN))
    step = choose(game, (1, 1), (2, 2))
    assert [change["shuffled"] for change in happened(step.events, "order_changed")] == [False]
    assert happened(step.events, "ship_drawn") == [{"ship": "t1", "last_six": False}]


def test_the_order_is_shuffled_if_one_of_the_last_six_was_drawn_while_loading() -> None:
    # The load draws the 7th ship from the end, the round's end the 6th; with one more only the latter counts.
    docks = (PILOT, (3, POINTS, (0, 2)), WIDE, WIDE)
    for left, shuffled in ((8, False), (7, True), (6, True)):
        game = lay(rooms={0: good(1)}, docks=docks, stack=((5, POINTS),) * left, orders=(STANDING, STANDING, GIVEN))
        step = load(choose(game, (1, 1), (2, 2)).game, b=1)
        assert [change["shuffled"] for change in happened(step.events, "order_changed")] == [shuffled]


def test_a_shuffle_without_a_given_order_comes_from_the_seed() -> None:
    step = choose(lay(order=STANDING, stack=((5, POINTS),) * 6), (1, 1), (2, 2))
    change = happened(step.events, "order_changed")[0]
    assert change["shuffled"] is True
    assert sorted((token["seat"], token["worker"]) for token in change["order"]) == sorted(STANDING)


def test_when_the_stack_is_empty_the_last_token_moves_to_the_front() -> None:
    step = choose(lay(docks=(WIDE, WIDE, WIDE, WIDE), stack=(), order=STANDING), (1, 1), (2, 2))
    assert [change["shuffled"] for change in happened(step.events, "order_changed")] == [False]
    assert happened(step.events, "ship_drawn") == []
    assert list(docked(step.game)) == ["b", "c", "d"]


def test_the_round_after_the_stack_has_run_out_is_still_played() -> None:
    game = choose(lay(docks=(WIDE, WIDE, WIDE, WIDE), stack=()), (1, 1), (2, 2)).game
    assert (game.outcome, game.round, game.phase) == (None, 3, "play")
    over = choose(game, (1, 1), (2, 2)).game
    assert over.outcome is not None
    assert over.outcome.rounds == 3


def test_if_three_ships_are_docked_every_one_of_them_is_paid_and_the_game_is_over() -> None:
    docks = ((9, POINTS, (3, 1)), (9, (5, 3, 2), (1, 2)), (9, (4, 2, 1), (1, 1)))
    step = choose(lay(docks=docks, stack=()), (1, 1), (2, 2))
    assert happened(step.events, "ship_sailed") == [
        {"ship": "a", "paid": [7, 4], "filled_by": None},
        {"ship": "b", "paid": [3, 5], "filled_by": None},
        {"ship": "c", "paid": [3, 3], "filled_by": None},
    ]
    assert happened(step.events, "finished") == [{"points": [13, 12], "places": [1, 2], "ended": "played"}]
    assert step.game.phase == "over"
    assert step.game.decisions == ()


def test_the_pilot_boat_counts_as_a_ship() -> None:
    going_on = choose(lay(docks=(PILOT, WIDE, WIDE, WIDE), stack=()), (1, 1), (2, 2)).game
    assert (going_on.outcome, list(docked(going_on))) == (None, ["b", "c", "d"])
    over = choose(lay(docks=(PILOT, WIDE, WIDE), stack=()), (1, 1), (2, 2)).game
    assert over.outcome is not None


def test_a_ship_that_sails_full_in_the_last_round_is_not_paid_again() -> None:
    docks = ((3, POINTS, (0, 2)), (9, POINTS, (0, 1)), (9, POINTS, (0, 0)))
    game = choose(lay(rooms={0: good(1)}, docks=docks, stack=()), (1, 1), (2, 2)).game
    step = load(game, a=1)
    assert [sailed["ship"] for sailed in happened(step.events, "ship_sailed")] == ["a", "b", "c"]
    assert step.game.points == (4 + 1, 7 + 7)


def test_rounds_count_from_1() -> None:
    game = lay(round_number=1)
    assert game.round == 1
    step = choose(game, (1, 1), (2, 2))
    assert (step.game.round, happened(step.events, "round_began")[0]["order"] != []) == (2, True)
    assert stops(step.game)["0 big"] == 0
