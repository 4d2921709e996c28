"""Rulings on step 4: how barrels are loaded."""

import pytest

from service.engine.actions import Action, Load, NotLegal, action_to_json
from service.engine.game import Game
from tests.engine.positions import PILOT, WIDE, Dock, answer, choose, docked, good, happened, lay, load, supplies

POINTS = (7, 4, 3)


def loading(barrels: int, *docks: Dock) -> Game:
    """Seat 0's big stands at a room with so many good barrels; nobody else has anything to do."""
    # While there are ships left, no dock is empty.
    waiting = [(5, POINTS)] * 9 if len(docks) == 4 else []
    return choose(lay(rooms={0: good(barrels)}, docks=docks, stack=waiting, round_number=3), (1, 1), (2, 2)).game


def ways(game: Game) -> list[object]:
    """The legal loads as JSON."""
    return [action_to_json(action)["ships"] for action in game.legal_actions(game.decisions[0].id)]


def test_all_barrels_must_be_loaded_and_may_be_split_as_the_owner_likes() -> None:
    game = loading(2, PILOT, WIDE, WIDE, WIDE)
    assert ways(game) == [{"b": 2}, {"b": 1, "c": 1}, {"b": 1, "d": 1}, {"c": 2}, {"c": 1, "d": 1}, {"d": 2}]
    with pytest.raises(NotLegal, match="all 2 barrels in hand must be loaded, not 1"):
        load(game, b=1)


def test_no_ship_takes_more_than_it_has_room_for() -> None:
    game = loading(3, PILOT, (4, POINTS, (0, 2)), WIDE)
    assert ways(game) == [{"b": 2, "c": 1}, {"b": 1, "c": 2}, {"c": 3}, {"b": 2}]
    with pytest.raises(NotLegal, match="b has room for 2 barrels, not 3"):
        load(game, b=3)


def test_fewer_may_be_loaded_if_that_fills_a_ship_and_they_come_after_those_that_load_all() -> None:
    # Room for 2 on b and 1 on c.
    game = loading(4, PILOT, (4, POINTS, (0, 2)), (3, POINTS, (0, 2)))
    assert ways(game) == [{"b": 2, "c": 1}, {"b": 2}, {"b": 1, "c": 1}, {"c": 1}]
    game = loading(2, PILOT, (3, POINTS, (0, 2)), WIDE)
    assert ways(game) == [{"b": 1, "c": 1}, {"c": 2}, {"b": 1}]


def test_more_on_the_front_ship_comes_first_whatever_the_total() -> None:
    # Room for 1 on b, for 3 on c, for 1 on d; 3 in hand. Of the shorter ones, b 1 alone comes before c 2 and d 1.
    game = loading(3, PILOT, (3, POINTS, (0, 2)), (5, POINTS, (0, 2)), (3, POINTS, (0, 2)))
    assert ways(game) == [
        {"b": 1, "c": 2},
        {"b": 1, "c": 1, "d": 1},
        {"c": 3},
        {"c": 2, "d": 1},
        {"b": 1, "c": 1},
        {"b": 1, "d": 1},
        {"b": 1},
        {"c": 1, "d": 1},
        {"d": 1},
    ]


def test_the_default_is_the_first_in_the_list() -> None:
    game = loading(3, PILOT, WIDE, WIDE)
    assert game.default_action(game.decisions[0].id) == Load((("b", 3),))


def test_where_there_is_one_way_only_the_engine_takes_it_and_says_so() -> None:
    step = choose(lay(rooms={0: good(3)}, docks=(PILOT, WIDE), stack=()), (1, 1), (2, 2))
    loaded = [event for event in step.events if event.type == "loaded"]
    assert [event.forced for event in loaded] == [True]
    assert loaded[0].data == {"seat": 0, "worker": "big", "warehouse": "w1", "room": "upper", "ships": {"b": 3}}


def test_a_chosen_load_is_not_called_forced() -> None:
    step = load(loading(2, PILOT, WIDE, WIDE), b=1, c=1)
    loaded = [event for event in step.events if event.type == "loaded"]
    assert [(event.forced, event.data["ships"]) for event in loaded] == [(False, {"b": 1, "c": 1})]


def test_who_puts_the_last_barrel_on_a_ship_gets_a_point_at_once_and_the_ship_is_paid() -> None:
    step = load(loading(2, PILOT, (6, POINTS, (1, 3)), WIDE, WIDE), b=2)
    # 3 and 3 barrels: ceil((7 + 4) / 2) = 6 each, and 1 for seat 0.
    assert step.game.points == (7, 6)
    assert happened(step.events, "ship_sailed")[0] == {"ship": "b", "paid": [6, 6], "filled_by": 0}


def test_when_a_ship_sails_its_barrels_go_back_to_their_owners() -> None:
    game = loading(2, PILOT, (6, POINTS, (1, 3)), WIDE, WIDE)
    assert supplies(game) == (15, 13)
    assert supplies(load(game, b=2).game) == (16, 16)


def test_when_a_ship_sails_those_behind_it_move_forward_and_the_top_ship_takes_the_last_dock() -> None:
    step = load(loading(3, PILOT, (3, POINTS, (0, 2)), WIDE, (5, POINTS, (0, 1))), b=1)
    assert docked(step.game) == {"pilot": (0, 0), "c": (0, 0), "d": (0, 1), "t1": (0, 0)}
    assert happened(step.events, "ship_drawn") == [{"ship": "t1", "last_six": False}]


def test_what_is_left_in_hand_is_a_new_decision_and_may_use_the_new_ship() -> None:
    step = load(loading(3, PILOT, (3, POINTS, (0, 2)), WIDE, WIDE), b=1)
    assert [decision.id for decision in step.game.decisions] == ["3.load.0.1"]
    assert step.game.decisions[0].barrels == 2
    assert {"t1": 2} in ways(step.game)
    assert docked(load(step.game, t1=2).game)["t1"] == (2, 0)


def test_a_ship_filled_in_the_middle_of_a_load_sails_before_the_next_gets_its_share() -> None:
    step = load(loading(3, PILOT, (3, POINTS, (0, 2)), WIDE, WIDE), b=1, c=2)
    assert docked(step.game) == {"c": (2, 0), "d": (0, 0), "t1": (0, 0), "t2": (0, 0)}
    assert [event.type for event in step.events][:3] == ["loaded", "ship_sailed", "ship_drawn"]
    assert step.game.round == 4


def test_two_ships_filled_by_one_load_sail_one_after_the_other_front_first() -> None:
    step = load(loading(3, PILOT, (3, POINTS, (0, 2)), WIDE, (4, POINTS, (0, 2))), b=1, d=2)
    sailed = happened(step.events, "ship_sailed")[:2]
    # b: 2 against 1; d: 2 against 2. And 1 for each of them.
    assert sailed == [
        {"ship": "b", "paid": [4, 7], "filled_by": 0},
        {"ship": "d", "paid": [6, 6], "filled_by": 0},
    ]
    assert step.game.points == (4 + 1 + 6 + 1, 7 + 6)
    assert [drawn["ship"] for drawn in happened(step.events, "ship_drawn")] == ["t1", "t2", "t3"]
    # The pilot boat sailed at the round's end.
    assert list(docked(step.game)) == ["c", "t1", "t2", "t3"]


def test_barrels_of_the_first_ship_are_home_before_the_second_is_paid() -> None:
    # Two ships of capacity 3, each with one place left for one barrel.
    step = load(loading(2, PILOT, (3, POINTS, (2, 0)), (3, POINTS, (0, 2)), WIDE), b=1, c=1)
    assert step.game.points == (7 + 1 + 4 + 1, 7)
    assert supplies(step.game) == (16, 16)


def test_if_no_docked_ship_has_room_what_is_left_in_hand_goes_back_to_the_supply() -> None:
    docks = (PILOT, (3, POINTS, (0, 2)), (3, POINTS, (0, 2)))
    game = loading(4, *docks)
    step = load(game, b=1, c=1)
    assert step.game.outcome is not None
    assert supplies(step.game) == (16, 16)
    assert len(happened(step.events, "loaded")) == 1


def test_a_load_that_fills_the_only_ship_is_forced_and_the_rest_goes_home() -> None:
    game = lay(rooms={0: good(4)}, docks=(PILOT, (3, POINTS, (0, 2))), stack=())
    step = choose(game, (1, 1), (2, 2))
    assert [event.data["ships"] for event in step.events if event.type == "loaded"] == [{"b": 1}]
    assert step.game.points == (4 + 1, 7)
    assert supplies(step.game) == (16, 16)


def test_with_no_room_at_the_docks_there_is_no_decision() -> None:
    step = choose(lay(rooms={0: good(4)}, docks=(PILOT,), stack=()), (1, 1), (2, 2))
    assert happened(step.events, "loaded") == []


def test_the_pilot_boat_takes_no_barrels() -> None:
    game = loading(2, PILOT, WIDE, WIDE)
    with pytest.raises(NotLegal, match="the pilot boat takes no barrels"):
        load(game, pilot=2)


@pytest.mark.parametrize(
    ("ships", "why"),
    [
        ((("x", 2),), "there is no ship x"),
        ((("t1", 2),), "t1 is not docked"),
        ((("b", 1), ("b", 1)), "b is named twice"),
        ((("b", 3),), "2 barrels are in hand, not 3"),
        ((("b", 17),), "b has room for 16 barrels, not 17"),
        ((("b", 3), ("c", -1)), "c has room for 16 barrels, not -1"),
        ((), "all 2 barrels in hand must be loaded, not 0"),
    ],
)
def test_an_illegal_load_is_refused_with_the_reason(ships: tuple[tuple[str, int], ...], why: str) -> None:
    game = loading(2, PILOT, WIDE, WIDE, WIDE)
    with pytest.raises(NotLegal, match=why) as refused:
        answer(game, Load(ships))
    assert refused.value.legal == game.legal_actions(game.decisions[0].id)


def test_a_load_is_judged_by_its_content() -> None:
    game = loading(2, PILOT, WIDE, WIDE)
    same: list[Action] = [Load((("b", 1), ("c", 1))), Load((("c", 1), ("d", 0), ("b", 1)))]
    assert same[0] == same[1]
    assert hash(same[0]) == hash(same[1])
    assert answer(game, same[0]) == answer(game, same[1])
