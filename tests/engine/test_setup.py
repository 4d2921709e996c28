"""Rulings on "Setup" and "Components"; the drawing of lots."""

import pytest

from service.chance import shuffled
from service.engine.components import standard_components
from service.engine.errors import InvalidInput, NoOrder
from service.engine.game import Game, Step
from service.engine.observation import GameHeader, observe
from service.engine.setup import (
    Reshuffles,
    Variants,
    all_tokens,
    block_seed,
    commitment,
    draw_setup,
    match_seed,
    order_to_json,
    parse_orders,
    parse_seed,
    parse_setup,
    setup_to_json,
)
from tests.engine.positions import coins, docked, lay, stops, supplies


def dealt(players: int, variants: Variants | None = None, seed: str = "seed") -> Step:
    components = standard_components(players)
    setup = draw_setup(components, players, seed)
    return Game.deal(players, variants or Variants(), components, setup, Reshuffles(seed))


def test_the_protocols_example() -> None:
    setup = draw_setup(standard_components(2), 2, "kill-1")
    assert " ".join(setup.warehouses) == "w4 w7 w2 w5 w3 w6 w1"
    assert " ".join(setup.ships[:3]) == "s02 s14 s03"
    assert " ".join(setup.ships[3:]) == "s08 s01 s10 s09 s11 s05 s06 s04 s15 s12 s13 s07"
    assert setup.order == ((1, "big"), (1, "little"), (0, "little"), (0, "big"))
    block = block_seed("kill-1", 0)
    assert block == "460f0bd6c3d49b04489c68331a5d56738f1625726b8909c5eb1dd83465823df1"
    assert match_seed(block, 0, 0) == "c4ca20aa20a25e72d55b65bb59dd2a85ea718f7290c3c8325f3f6430a04d126e"
    committed = commitment(bytes(16), "kill-1")
    assert committed == "38c2d59a2f62156236802c8b1b2fd6ae0a1ece063b134ce7c83e9b4bf0b67dd2"


def test_a_block_fixes_what_can_be_seen_and_the_match_the_rest() -> None:
    components = standard_components(4)
    one, two = (draw_setup(components, 4, seed, block_seed="block") for seed in ("m1", "m2"))
    assert (one.warehouses, one.ships[:3], one.order) == (two.warehouses, two.ships[:3], two.order)
    assert one.ships != two.ships
    assert one.ships[:3] == draw_setup(components, 4, "block").ships[:3]


@pytest.mark.parametrize(("players", "warehouses"), [(2, 7), (3, 7), (4, 8)])
def test_w1_to_w7_are_used_with_2_or_3_players_and_all_8_with_4(players: int, warehouses: int) -> None:
    assert [h.id for h in standard_components(players).warehouses] == [f"w{i}" for i in range(1, warehouses + 1)]
    assert [ship.id for ship in standard_components(players).ships] == [f"s{i:02}" for i in range(1, 16)]


SMALL_SIDE = "3,3/2/1 3,3/2/1 3,4/2/1 4,4/2/1 4,4/2/1 4,4/3/1 5,5/3/1 5,5/3/2 5,5/3/2 6,5/3/2 6,6/3/2 6,6/4/2 7,6/4/2"
LARGE_SIDE = "3,3/2/1 3,4/2/1 4,4/2/1 4,4/3/1 5,5/3/1 5,5/3/2 6,5/3/2 6,6/3/2 7,6/4/2 7,6/4/2 8,7/4/2 8,7/4/3 9,7/5/3"


@pytest.mark.parametrize(
    ("players", "side"),
    [
        (2, SMALL_SIDE + " 7,7/4/2 8,7/4/3"),
        (3, SMALL_SIDE + " 7,7/4/2 8,7/4/3"),
        (4, LARGE_SIDE + " 9,8/5/3 10,8/5/3"),
    ],
)
def test_ships_have_one_side_for_2_or_3_players_and_one_for_4(players: int, side: str) -> None:
    ships = standard_components(players).ships
    assert " ".join(f"{ship.capacity},{'/'.join(str(n) for n in ship.points)}" for ship in ships) == side


def test_the_rooms_of_the_standard_set() -> None:
    rooms = [
        "".join(
            f"{room.good}{'b' + str(room.broken) if room.broken else ''}{'c' if room.coin else ''} "
            for room in (house.upper, house.lower)
        ).strip()
        for house in standard_components(4).warehouses
    ]
    assert rooms == ["4 0b2c", "3 1c", "2c 0b1", "3 0b1c", "2 2", "1c 4", "0c 3", "2 0b2c"]


def test_stops_run_along_the_upper_rooms_and_back_along_the_lower_ones() -> None:
    rooms = dealt(2).game.config.rooms
    board = dealt(2).game.config.board
    assert rooms[:7] == tuple((house, "upper") for house in board)
    assert rooms[7:] == tuple((house, "lower") for house in reversed(board))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_everyone_starts_with_16_barrels_no_coins_and_no_points_in_the_taverns(players: int) -> None:
    game = dealt(players).game
    assert supplies(game) == (16,) * players
    assert coins(game) == (0,) * players
    assert game.points == (0,) * players
    assert set(stops(game).values()) == {None}


def test_the_pilot_boat_takes_dock_0_and_the_first_three_ships_the_others() -> None:
    setup = draw_setup(standard_components(3), 3, "seed")
    assert list(docked(dealt(3).game)) == ["pilot", *setup.ships[:3]]


def test_starting_coins_are_taken_from_the_bank() -> None:
    game = dealt(4, Variants(starting_coins=2)).game
    view = observe(game, None, GameHeader("", 0, "running", (None,) * 4, "", ""))
    assert (coins(game), view["bank"]) == ((2, 2, 2, 2), 7)
    assert game.phase == "play"
    assert dealt(4, Variants(starting_coins=3)).game.phase == "hire"


def test_a_game_begins_with_round_1() -> None:
    step = dealt(2)
    assert [event.type for event in step.events] == ["round_began"]
    assert (step.game.round, step.events[0].round, step.game.phase) == (1, 1, "play")


def test_the_last_six_are_all_of_the_stack_if_it_has_fewer() -> None:
    for left, last_six in ((7, False), (6, True), (1, True)):
        game = lay(stack=((5, (5, 3, 2)),) * left)
        assert observe(game, None, GameHeader("", 0, "running", (None, None), "", ""))["last_six"] is last_six


def test_a_setup_survives_json() -> None:
    components = standard_components(3)
    setup = draw_setup(components, 3, "seed")
    value = {**setup_to_json(setup), "seed": "x", "nonce": None, "block_seed": 7}
    assert parse_setup(value, components, 3) == setup


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"warehouses": ["w1"]}, "warehouses: warehouse 'w2' is missing"),
        ({"warehouses": ["w1", "w1"]}, r"warehouses\[1\]: warehouse 'w1' is named twice"),
        ({"ships": ["s99"]}, r"ships\[0\]: there is no ship 's99'"),
        ({"ships": ["pilot"]}, r"ships\[0\]: there is no ship 'pilot'"),
        ({"ships": "s01"}, "ships: must be a list"),
        ({"order": []}, "order: big of seat 0 is missing"),
        ({"order": [{"seat": 0, "worker": "jack"}]}, r"order\[0\].worker: must be one of big, little"),
        ({"order": [{"seat": 2, "worker": "big"}]}, r"order\[0\].seat: must be 0 to 1, not 2"),
        ({"order": [{"seat": 0, "worker": "big"}] * 2}, r"order\[1\]: big of seat 0 is named twice"),
        ({"order": [{"seat": True, "worker": "big"}]}, r"order\[0\].seat: must be an integer"),
        ({"stack": []}, "stack: is not known"),
    ],
)
def test_a_bad_setup_is_refused_by_name(change: dict[str, object], message: str) -> None:
    components = standard_components(2)
    value = {**setup_to_json(draw_setup(components, 2, "seed")), **change}
    with pytest.raises(InvalidInput, match=message):
        parse_setup(value, components, 2)


def test_reshuffles_come_from_the_given_orders_first_then_from_the_seed() -> None:
    given = (all_tokens(2), tuple(reversed(all_tokens(2))))
    assert Reshuffles("seed", given).order_for(2, 2) == given[1]
    assert Reshuffles("seed", given).order_for(3, 2) == tuple(shuffled("seed", "order.3", all_tokens(2)))
    with pytest.raises(NoOrder, match="shuffled before round 3"):
        Reshuffles(None, given).order_for(3, 2)
    assert parse_orders([order_to_json(order) for order in given], 2) == given


@pytest.mark.parametrize("seed", ["", "x" * 129, "a\nb", "\x00", 7, None])
def test_a_seed_has_1_to_128_printable_characters(seed: object) -> None:
    with pytest.raises(InvalidInput, match="seed: "):
        parse_seed(seed)
    assert parse_seed("ä" * 128) == "ä" * 128
