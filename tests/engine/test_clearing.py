"""Rulings on step 4, "Clear the warehouses": the order of rooms, coins, and how many barrels are in hand."""

from service.engine.setup import Variants
from tests.engine.positions import (
    COIN,
    PILOT,
    WIDE,
    choose,
    coins,
    decline,
    good,
    happened,
    hire,
    lay,
    load,
    supplies,
    tokens,
)

ZERO_FIRST = tokens("0 big", "0 little", "1 big", "1 little")


def test_warehouses_are_cleared_from_left_to_right_the_upper_room_before_the_lower() -> None:
    rooms = dict.fromkeys(range(14), COIN)
    step = choose(lay(at={"0 big": 5, "1 big": 10}, rooms=rooms), (1, 3), (2, 1))
    # 0 big on 6 (w7 upper), 0 little on 9 (w5 lower), 1 big on 12 (w2 lower), 1 little on 7 (w7 lower)
    assert [(at["warehouse"], at["room"]) for at in happened(step.events, "coin_taken")] == [
        ("w2", "lower"),
        ("w5", "lower"),
        ("w7", "upper"),
        ("w7", "lower"),
    ]


def test_by_circuit_rooms_are_cleared_from_the_last_stop_down_to_stop_0() -> None:
    rooms = dict.fromkeys(range(14), COIN)
    circuit = Variants(tally="circuit")
    step = choose(lay(at={"0 big": 5, "1 big": 10}, rooms=rooms, variants=circuit), (1, 3), (2, 1))
    assert [(at["seat"], at["worker"]) for at in happened(step.events, "coin_taken")] == [
        (1, "big"),  # 12
        (0, "little"),  # 9
        (1, "little"),  # 7
        (0, "big"),  # 6
    ]


def test_a_room_that_shows_a_coin_gives_its_owner_one_from_the_bank() -> None:
    step = choose(lay(rooms={0: COIN}), (1, 1), (2, 2))
    assert happened(step.events, "coin_taken") == [{"seat": 0, "worker": "big", "warehouse": "w1", "room": "upper"}]
    assert coins(step.game) == (1, 0)


def test_a_room_without_anybody_gives_nothing() -> None:
    step = choose(lay(rooms={3: COIN, 4: good(4)}), (1, 1), (2, 2))
    assert happened(step.events, "coin_taken") == []
    assert supplies(step.game) == (16, 16)


def test_there_is_no_coin_when_the_bank_is_empty() -> None:
    game = decline(decline(lay(rooms={0: COIN, 1: COIN}, coins=(8, 7))))
    step = choose(game, (1, 1), (2, 2))
    assert happened(step.events, "coin_taken") == []
    assert coins(step.game) == (8, 7)


def test_the_banks_last_coin_goes_to_the_room_that_is_cleared_first() -> None:
    game = decline(decline(lay(rooms={0: COIN, 1: COIN}, coins=(7, 7))))
    # 1 big on stop 0, 0 big on stop 1
    assert coins(choose(game, (2, 1), (1, 2)).game) == (7, 8)


def test_jack_takes_coins_for_who_hired_him() -> None:
    game = hire(lay(rooms={4: COIN}, at={"1 big": 2}, coins=(0, 3), order=ZERO_FIRST), "big")
    step = choose(game, (1, 1), (3, 1, 2))
    assert happened(step.events, "coin_taken") == [{"seat": 1, "worker": "jack", "warehouse": "w5", "room": "upper"}]
    assert coins(step.game) == (0, 1)


def test_jack_loads_barrels_of_who_hired_him() -> None:
    game = hire(lay(rooms={4: good(2)}, at={"1 big": 2}, coins=(0, 3), order=ZERO_FIRST), "big")
    step = choose(game, (1, 1), (3, 1, 2))
    decision = step.game.decisions[0]
    assert (decision.seat, decision.worker, decision.barrels) == (1, "jack", 2)
    assert (decision.warehouse, decision.room) == ("w5", "upper")
    assert supplies(load(step.game, b=2).game) == (16, 14)


def test_coins_are_taken_before_barrels_are_loaded() -> None:
    step = choose(lay(rooms={0: good(1, coin=1)}), (1, 1), (2, 2))
    assert coins(step.game) == (1, 0)
    assert step.game.decisions[0].type == "load"


def test_as_many_barrels_are_loaded_as_are_good() -> None:
    game = choose(lay(rooms={0: good(3)}), (1, 1), (2, 2)).game
    assert game.decisions[0].barrels == 3


def test_no_more_barrels_are_loaded_than_are_in_the_supply() -> None:
    docks = (PILOT, (16, (7, 4, 3), (14, 0)), WIDE, WIDE)
    game = choose(lay(rooms={0: good(4)}, docks=docks), (1, 1), (2, 2)).game
    assert game.decisions[0].barrels == 2


def test_with_no_supply_nothing_is_loaded() -> None:
    docks = (PILOT, (16, (7, 4, 3), (15, 0)), (16, (7, 4, 3), (1, 0)), WIDE)
    step = choose(lay(rooms={0: good(4)}, docks=docks), (1, 1), (2, 2))
    assert happened(step.events, "loaded") == []
    assert step.game.round == 3


def test_barrels_are_counted_when_the_room_is_reached_and_what_comes_home_meanwhile_does_not_add_to_it() -> None:
    # 14 of seat 0's barrels are aboard, so 2 of the 4 good ones are loaded. They fill c, whose 4 come home.
    docks = (PILOT, (16, (7, 4, 3), (12, 0)), (4, (7, 4, 3), (2, 0)), WIDE)
    game = choose(lay(rooms={0: good(4)}, docks=docks), (1, 1), (2, 2)).game
    step = load(game, c=2)
    assert step.game.round == 3
    assert supplies(step.game) == (4, 16)


def test_what_came_home_can_be_loaded_in_the_next_room() -> None:
    docks = (PILOT, (16, (7, 4, 3), (12, 0)), (4, (7, 4, 3), (2, 0)), WIDE)
    game = choose(lay(rooms={0: good(4), 7: good(4)}, docks=docks), (1, 1), (2, 2)).game
    # Stop 0 is cleared first; stop 7, where the little stands, is opposite of 6.
    game = load(game, c=2).game
    assert (game.decisions[0].worker, game.decisions[0].barrels) == ("little", 4)


def test_a_decision_tells_worker_room_and_barrels() -> None:
    game = choose(lay(rooms={8: good(3)}), (1, 2), (2, 5)).game
    assert game.decisions[0].to_json() == {
        "id": "2.load.0.0",
        "seat": 0,
        "type": "load",
        "worker": "little",
        "warehouse": "w6",
        "room": "lower",
        "barrels": 3,
    }
