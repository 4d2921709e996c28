"""Rulings on step 4: broken barrels."""

import pytest

from service.engine.actions import Load, NotLegal, Unload, action_to_json
from service.engine.game import Game, Step
from tests.engine.positions import (
    PILOT,
    WIDE,
    Dock,
    answer,
    broken,
    choose,
    coins,
    docked,
    happened,
    hire,
    lay,
    supplies,
    tokens,
    unload,
)

POINTS = (7, 4, 3)


def beside(barrels: int, *docks: Dock) -> Step:
    """Seat 0's big stands at a room with so many broken barrels; nobody else has anything to do."""
    return choose(lay(rooms={0: broken(barrels)}, docks=docks), (1, 1), (2, 2))


def ways(game: Game) -> list[object]:
    return [action_to_json(action)["ships"] for action in game.legal_actions(game.decisions[0].id)]


def test_as_many_own_barrels_are_unloaded_as_are_broken_from_ships_of_the_owners_choice() -> None:
    game = beside(2, PILOT, (6, POINTS, (2, 1)), (6, POINTS, (1, 3)), (6, POINTS, (0, 2))).game
    assert game.decisions[0].to_json() == {
        "id": "2.unload.0.0",
        "seat": 0,
        "type": "unload",
        "worker": "big",
        "warehouse": "w1",
        "room": "upper",
        "barrels": 2,
    }
    assert ways(game) == [{"b": 2}, {"b": 1, "c": 1}]
    step = unload(game, b=1, c=1)
    assert supplies(step.game) == (15, 10)
    assert happened(step.events, "unloaded") == [
        {"seat": 0, "worker": "big", "warehouse": "w1", "room": "upper", "ships": {"b": 1, "c": 1}}
    ]


def test_unloading_lists_more_from_the_front_ship_first() -> None:
    game = beside(2, PILOT, (6, POINTS, (1, 0)), (6, POINTS, (2, 0)), (6, POINTS, (3, 0))).game
    assert ways(game) == [{"b": 1, "c": 1}, {"b": 1, "d": 1}, {"c": 2}, {"c": 1, "d": 1}, {"d": 2}]
    game = beside(1, PILOT, (6, POINTS, (1, 0)), (6, POINTS, (2, 0)), (6, POINTS, (3, 0))).game
    assert ways(game) == [{"b": 1}, {"c": 1}, {"d": 1}]


def test_unloaded_barrels_leave_room_on_the_ship() -> None:
    step = beside(2, PILOT, (6, POINTS, (4, 2)), WIDE, WIDE)
    assert [(event.type, event.forced) for event in step.events if event.type == "unloaded"] == [("unloaded", True)]
    assert docked(step.game)["b"] == (2, 2)
    assert supplies(step.game) == (14, 14)


def test_no_more_is_unloaded_than_is_aboard() -> None:
    step = beside(2, PILOT, (6, POINTS, (1, 3)), WIDE, WIDE)
    assert happened(step.events, "unloaded")[0]["ships"] == {"b": 1}
    assert supplies(step.game) == (16, 13)


def test_with_nothing_aboard_there_is_nothing_to_unload() -> None:
    step = beside(2, PILOT, (6, POINTS, (0, 3)), WIDE, WIDE)
    assert happened(step.events, "unloaded") == []
    assert step.game.round == 3


def test_a_room_cleared_by_jack_unloads_nothing() -> None:
    docks = (PILOT, (6, POINTS, (3, 2)), WIDE, WIDE)
    order = tokens("0 big", "0 little", "1 big", "1 little")
    game = hire(lay(rooms={4: broken(2, coin=1)}, at={"1 big": 2}, coins=(0, 3), docks=docks, order=order), "big")
    step = choose(game, (1, 1), (3, 1, 2))
    # Jack stands at the room and takes its coin all the same.
    assert happened(step.events, "unloaded") == []
    assert docked(step.game)["b"] == (3, 2)
    assert coins(step.game) == (0, 1)


def test_exactly_the_required_number_is_unloaded() -> None:
    game = beside(2, PILOT, (6, POINTS, (2, 1)), (6, POINTS, (1, 3)), WIDE).game
    with pytest.raises(NotLegal, match="exactly 2 barrels must be unloaded, not 1"):
        unload(game, b=1)
    with pytest.raises(NotLegal, match="exactly 2 barrels must be unloaded, not 3"):
        unload(game, b=2, c=1)


def test_only_own_barrels_are_unloaded() -> None:
    game = beside(2, PILOT, (6, POINTS, (2, 1)), (6, POINTS, (1, 3)), (6, POINTS, (0, 3))).game
    with pytest.raises(NotLegal, match="c holds 1 barrels of seat 0, not 2"):
        unload(game, c=2)
    with pytest.raises(NotLegal, match="d holds 0 barrels of seat 0, not 1"):
        unload(game, b=1, d=1)


def test_an_unload_is_judged_by_its_content() -> None:
    game = beside(2, PILOT, (6, POINTS, (2, 1)), (6, POINTS, (1, 3)), WIDE).game
    assert answer(game, Unload((("c", 1), ("d", 0), ("b", 1)))) == unload(game, b=1, c=1)


def test_a_load_is_no_unload() -> None:
    game = beside(2, PILOT, (6, POINTS, (2, 1)), (6, POINTS, (1, 3)), WIDE).game
    assert Load((("b", 2),)) != Unload((("b", 2),))
    with pytest.raises(NotLegal, match="about unload, not load"):
        answer(game, Load((("b", 2),)))


def test_each_question_to_unload_counts_by_itself() -> None:
    docks = (PILOT, (9, POINTS, (3, 0)), (9, POINTS, (3, 0)), WIDE)
    game = choose(lay(rooms={0: broken(2), 7: broken(1)}, docks=docks), (1, 1), (2, 2)).game
    game = unload(game, b=2).game
    assert game.decisions[0].id == "2.unload.0.1"
    assert (game.decisions[0].worker, game.decisions[0].barrels) == ("little", 1)
