"""Rulings of the literal implementation, worked out by hand, so that it can be trusted as a measure of the engine."""

import random
from typing import Any

import pytest

from . import chance, components
from .paying import payments
from .pieces import Path, Player, Ship, Warehouse
from .rules import LiteralGame
from .tables import asked, board, docked, fleet, lay, load, of_each_seat, play, stops

B, L = "big", "little"


def test_a_deal_is_the_one_of_the_protocols_example() -> None:
    ids = [[tile["id"] for tile in tiles] for tiles in (components.warehouses(2), components.ships(2))]
    dealt = chance.deal(2, ids[0], ids[1], "kill-1")
    assert dealt.warehouses == ["w4", "w7", "w2", "w5", "w3", "w6", "w1"]
    assert dealt.ships[:3] == ["s02", "s14", "s03"]
    assert dealt.ships[3:] == ["s08", "s01", "s10", "s09", "s11", "s05", "s06", "s04", "s15", "s12", "s13", "s07"]
    assert dealt.order == [(1, B), (1, L), (0, L), (0, B)]


def test_tournament_seeds_and_the_commitment_are_those_of_the_protocols_example() -> None:
    block = chance.block_seed("kill-1", 0)
    assert block == "460f0bd6c3d49b04489c68331a5d56738f1625726b8909c5eb1dd83465823df1"
    match = chance.match_seed(block, seating=0, attempt=0)
    assert match == "c4ca20aa20a25e72d55b65bb59dd2a85ea718f7290c3c8325f3f6430a04d126e"
    committed = chance.commitment(bytes(16), "kill-1")
    assert committed == "38c2d59a2f62156236802c8b1b2fd6ae0a1ece063b134ce7c83e9b4bf0b67dd2"


def test_matches_of_a_block_share_what_is_visible_and_nothing_else() -> None:
    ids = [[tile["id"] for tile in tiles] for tiles in (components.warehouses(4), components.ships(4))]
    one, other = (chance.deal(4, ids[0], ids[1], seed, block_seed="block") for seed in ("m1", "m2"))
    assert (one.warehouses, one.ships[:3], one.order) == (other.warehouses, other.ships[:3], other.order)
    assert sorted(one.ships) == sorted(other.ships)
    assert one.ships[3:] != other.ships[3:]
    assert one.reshuffle(5) != other.reshuffle(5)


def test_the_first_step_is_onto_stop_0_for_a_big_and_onto_stop_w_for_a_little() -> None:
    game = lay()
    assert stops(game) == {"0 big": None, "0 little": None, "1 big": None, "1 little": None}
    play(game, (3, 3), (1, 5))
    assert stops(game) == {"0 big": 2, "0 little": 9, "1 big": 0, "1 little": 11}


def test_a_worker_on_the_stop_reached_is_pushed_to_the_opposite_stop() -> None:
    game = lay()
    play(game, (2, 1), (2, 2))
    assert stops(game) == {"0 big": 12, "0 little": 7, "1 big": 1, "1 little": 8}


def test_a_blocked_worker_falls_back_to_the_first_empty_stop() -> None:
    game = lay(order=[(0, L), (0, B), (1, B), (1, L)])
    play(game, (3, 5), (3, 1))  # 0 big on 2, 0 little opposite on 11
    assert stops(game) == {"0 big": 2, "0 little": 11, "1 big": 1, "1 little": 7}


def test_a_worker_blocked_all_the_way_stands_where_it_stood() -> None:
    game = lay(order=[(0, L), (0, B), (1, B), (1, L)])
    play(game, (1, 3), (3, 1))
    assert stops(game) == {"0 big": 0, "0 little": 9, "1 big": 2, "1 little": 7}
    play(game, (3, 1), (1, 1))  # 1 big: 3 and its opposite 10 are taken
    assert stops(game) == {"0 big": 3, "0 little": 10, "1 big": 2, "1 little": 8}


def test_a_worker_blocked_out_of_its_tavern_stays_there() -> None:
    game = lay(4, order=[(0, B), (1, B), (2, B), (3, B), (0, L), (1, L), (2, L), (3, L)])
    play(game, (2, 1), (2, 2), (1, 3), (2, 4))
    bigs = {name: stop for name, stop in stops(game).items() if name.endswith(B)}
    assert bigs == {"0 big": 14, "1 big": 1, "2 big": 0, "3 big": None}


def test_a_worker_can_be_pushed_onto_the_stop_just_left() -> None:
    game = lay(order=[(0, L), (1, B), (0, B), (1, L)])
    play(game, (5, 5), (3, 1))
    assert stops(game) == {"0 big": 4, "0 little": 11, "1 big": 2, "1 little": 7}
    play(game, (1, 5), (1, 1))  # 0 little goes from 11 to 2, 1 big is pushed to 11 and then takes its step
    assert stops(game) == {"0 big": 5, "0 little": 2, "1 big": 12, "1 little": 8}


def test_the_last_token_moves_to_the_front() -> None:
    game = lay()
    play(game, (1, 1), (2, 2))
    order = [(token["seat"], token["worker"]) for token in game.public_state()["order"]]
    assert order == [(1, L), (0, B), (0, L), (1, B)]


def test_jack_is_offered_to_equals_by_their_first_token_and_to_nobody_after_the_first_to_accept() -> None:
    order = [(2, L), (1, B), (0, B), (0, L), (1, L), (2, B)]
    game = lay(3, variants={"starting_coins": 3}, order=order)
    assert asked(game) == ["1.hire.2.0"]
    assert game.legal_actions(0) == []
    game.act(2, {"type": "decline"})
    assert asked(game) == ["1.hire.1.0"]
    game.act(1, {"type": "hire", "worker": L})
    assert asked(game) == ["1.play.0.0", "1.play.1.0", "1.play.2.0"]
    assert of_each_seat(game, "coins") == [3, 0, 3]
    assert game.public_state()["bank"] == 9
    assert game.public_state()["jack"] == {"seat": 1, "companion": L}
    assert stops(game)["1 jack"] is None


def test_jacks_card_differs_from_his_companions() -> None:
    game = lay(variants={"starting_coins": 3})
    game.act(0, {"type": "hire", "worker": L})
    assert len(game.legal_actions(1)) == 25
    actions = [(action["big"], action["little"], action["jack"]) for action in game.legal_actions(0)]
    assert len(actions) == 100
    assert actions[:5] == [(1, 1, 2), (1, 1, 3), (1, 1, 4), (1, 1, 5), (1, 2, 1)]
    assert actions == sorted(actions)
    assert all(little != jack for _, little, jack in actions)


def test_jack_falls_back_past_his_companion_and_his_owner_loads() -> None:
    game = lay(variants={"starting_coins": 3}, rooms={1: components.room(good=1)})
    game.act(0, {"type": "decline"})
    game.act(1, {"type": "decline"})
    play(game, (3, 1), (4, 4))
    assert stops(game) == {"0 big": 2, "0 little": 7, "1 big": 3, "1 little": 10}
    assert asked(game) == ["2.hire.1.0"]  # 1 little moved to the front
    game.act(1, {"type": "decline"})
    game.act(0, {"type": "hire", "worker": B})
    assert stops(game)["0 jack"] == 2
    game.act(0, {"type": "play", "big": 2, "little": 1, "jack": 1})
    game.act(1, {"type": "play", "big": 2, "little": 1})
    assert stops(game)["0 jack"] == 1
    room = {"worker": "jack", "warehouse": "w2", "room": "upper", "barrels": 1}
    assert game.open_decisions() == [{"id": "2.load.0.0", "seat": 0, "type": "load", **room}]
    load(game, 0, c=1)
    assert "0 jack" not in stops(game)
    assert game.public_state()["jack"] is None


def test_jack_takes_a_coin_and_unloads_nothing() -> None:
    rooms = {0: components.room(good=1), 2: components.room(broken=1, coin=1)}
    game = lay(variants={"starting_coins": 3}, rooms=rooms)
    game.act(0, {"type": "decline"})
    game.act(1, {"type": "decline"})
    play(game, (1, 1), (4, 5))
    load(game, 0, c=1)
    game.act(1, {"type": "decline"})
    game.act(0, {"type": "hire", "worker": B})
    game.act(0, {"type": "play", "big": 4, "little": 1, "jack": 2})
    game.act(1, {"type": "play", "big": 5, "little": 1})
    assert of_each_seat(game, "coins") == [1, 3]
    assert of_each_seat(game, "aboard") == [1, 0]


@pytest.mark.parametrize(("tally", "coins"), [("warehouses", [4, 4, 4, 3]), ("circuit", [4, 3, 4, 4])])
def test_an_empty_bank_gives_no_coin_and_the_tally_says_who_comes_first(tally: str, coins: list[int]) -> None:
    game = lay(
        4,
        variants={"starting_coins": 3, "tally": tally},
        rooms={stop: components.room(coin=1) for stop in range(16)},
        order=[(0, B), (1, B), (2, B), (3, B), (0, L), (1, L), (2, L), (3, L)],
    )
    for seat in range(4):
        game.act(seat, {"type": "decline"})
    play(game, (2, 1), (2, 2), (1, 3), (2, 4))  # on stops 14, 1, 0, tavern; 8, 9, 10, 11
    assert of_each_seat(game, "coins") == coins
    assert game.public_state()["bank"] == 0


def test_loads_are_listed_whole_ones_first_and_more_on_the_front_ship_first() -> None:
    game = lay(rooms={0: components.room(good=4)}, ships=fleet(3, 3, 3, 5, 5))
    play(game, (1, 1), (5, 5))
    listed = [action["ships"] for action in game.legal_actions(0)]
    whole = [(3, 1, 0), (3, 0, 1), (2, 2, 0), (2, 1, 1), (2, 0, 2), (1, 3, 0), (1, 2, 1), (1, 1, 2), (1, 0, 3)]
    whole += [(0, 3, 1), (0, 2, 2), (0, 1, 3)]
    expected = [*whole, (3, 0, 0), (0, 3, 0), (0, 0, 3)]
    assert listed == [{name: n for name, n in zip("abc", way, strict=True) if n} for way in expected]
    assert game.default_action(0) == {"type": "load", "ships": {"a": 3, "b": 1}}


def test_a_ship_filled_in_the_middle_of_a_load_sails_and_the_new_one_may_be_used() -> None:
    game = lay(rooms={0: components.room(good=4)}, ships=fleet(3, 3, 3, 5, 5))
    play(game, (1, 1), (5, 5))
    load(game, 0, a=3)
    assert of_each_seat(game, "points") == [1 + 3, 0]
    assert of_each_seat(game, "supply") == [16, 16]
    assert docked(game) == {"pilot": [0, 0], "b": [0, 0], "c": [0, 0], "d": [0, 0]}
    assert [action["ships"] for action in game.legal_actions(0)] == [{"b": 1}, {"c": 1}, {"d": 1}]
    assert game.open_decisions()[0]["barrels"] == 1
    assert asked(game) == ["1.load.0.1"]
    load(game, 0, d=1)
    assert docked(game) == {"b": [0, 0], "c": [0, 0], "d": [1, 0], "e": [0, 0]}


def test_one_load_can_fill_two_ships() -> None:
    rooms = {0: components.room(good=4), 1: components.room(good=4)}
    game = lay(rooms=rooms, ships=fleet(3, 3, 5, 5, 5, 5, 5, 5))
    play(game, (1, 1), (5, 5))
    load(game, 0, a=2, b=2)
    play(game, (1, 1), (1, 1))
    load(game, 0, c=2, b=1, a=1)
    # 2 x (1 for the last barrel + 3 for the ship), and c, at the front after that, is paid at the end of the round
    assert of_each_seat(game, "points") == [8 + 3, 0]
    assert list(docked(game)) == ["d", "e", "f", "g"]


def test_a_loader_whose_supply_is_short_loads_what_is_there() -> None:
    rooms = {stop: components.room(good=4) for stop in (0, 1, 2)} | {
        stop: components.room(good=3) for stop in (7, 8, 9)
    }
    game = lay(rooms=rooms, ships=fleet(*[16] * 8))
    play(game, (1, 1), (5, 5))
    load(game, 0, c=4)
    load(game, 0, c=3)
    play(game, (1, 1), (1, 1))
    load(game, 0, d=4)
    load(game, 0, d=3)
    play(game, (1, 1), (1, 1))
    assert game.open_decisions()[0]["barrels"] == 16 - 14


def test_barrels_for_which_no_ship_has_room_go_back_to_the_supply_and_the_game_ends_at_three_ships() -> None:
    rooms = {stop: components.room(good=4) for stop in range(14)}
    game = lay(rooms=rooms, ships=fleet(3, 3, 3, 3))
    play(game, (1, 1), (2, 2))  # cleared in this order: 0 big, 1 big, 1 little, 0 little
    load(game, 0, a=3, b=1)
    load(game, 1, b=2, c=2)
    load(game, 1, c=1, d=3)
    assert game.over
    assert game.ended == "played"
    assert game.open_decisions() == []
    state = game.public_state()
    assert (state["round"], state["phase"], state["places"]) == (1, "over", [2, 1])
    assert docked(game) == {"pilot": [0, 0]}
    assert of_each_seat(game, "points") == [(1 + 3) + 2, (1 + 3) + (1 + 3) + (1 + 3)]
    assert of_each_seat(game, "supply") == [16, 16]


def test_what_must_be_unloaded_comes_from_ships_of_the_owners_choice() -> None:
    rooms = {0: components.room(good=3), 1: components.room(broken=2)}
    game = lay(rooms=rooms)
    play(game, (1, 1), (5, 5))
    load(game, 0, a=1, b=2)
    play(game, (1, 1), (1, 1))
    assert game.legal_actions(0) == [
        {"type": "unload", "ships": {"a": 1, "b": 1}},
        {"type": "unload", "ships": {"b": 2}},
    ]
    room = {"worker": B, "warehouse": "w2", "room": "upper", "barrels": 2}
    assert game.open_decisions() == [{"id": "2.unload.0.0", "seat": 0, "type": "unload", **room}]
    game.act(0, {"type": "unload", "ships": {"b": 2}})
    assert of_each_seat(game, "supply") == [16, 16]
    assert of_each_seat(game, "points") == [3, 0]


def test_fewer_barrels_aboard_than_must_be_unloaded_are_all_unloaded() -> None:
    game = lay(rooms={0: components.room(good=1), 1: components.room(broken=2)})
    play(game, (1, 1), (5, 5))
    load(game, 0, b=1)
    play(game, (1, 1), (1, 1))
    assert asked(game) == ["3.play.0.0", "3.play.1.0"]
    assert of_each_seat(game, "aboard") == [0, 0]


@pytest.mark.parametrize(
    ("points", "barrels", "last_place", "paid"),
    [
        ([7, 4, 3], [4, 4, 2, 1], "paid", [6, 6, 3, 0]),
        ([5, 3, 2], [3, 3], "paid", [4, 4]),
        ([5, 3, 2], [3, 1], "paid", [5, 3]),
        ([5, 3, 2], [3, 1], "unpaid", [5, 0]),
        ([5, 3, 2], [3, 2, 1], "paid", [5, 3, 2]),
        ([5, 3, 2], [3, 2, 1], "unpaid", [5, 3, 0]),
        ([5, 3, 2], [3, 2, 0], "unpaid", [5, 3, 0]),
        ([5, 3, 2], [3, 1, 1], "unpaid", [5, 3, 3]),
        ([7, 4, 3], [1, 1, 1, 1], "paid", [4, 4, 4, 4]),
        ([7, 4, 3], [2, 1, 1, 1], "paid", [7, 3, 3, 3]),
        ([7, 4, 3], [3, 2, 1, 1], "paid", [7, 4, 2, 2]),
    ],
)
def test_a_ship_is_paid(points: list[int], barrels: list[int], last_place: str, paid: list[int]) -> None:
    path = Path([Warehouse(tile) for tile in board(2, {})])
    players = [Player(seat, 0, path) for seat in range(len(barrels))]
    ship = Ship("s", 16, points)
    ship.barrels = [player for player, count in zip(players, barrels, strict=True) for _ in range(count)]
    assert [payments(ship, players, last_place).get(player.seat, 0) for player in players] == paid


def test_the_order_is_shuffled_after_each_draw_from_the_last_six_and_the_round_after_the_stack_is_played() -> None:
    calls: list[int] = []
    reversed_order = list(reversed(chance.tokens(2)))

    def reshuffle(round_number: int) -> list[tuple[int, str]]:
        calls.append(round_number)
        return reversed_order

    game = lay(reshuffle=reshuffle)
    last_six = []
    while not game.over:
        last_six.append(game.public_state()["last_six"])
        play(game, (1, 1), (1, 1))
    # 12 ships in the stack, one drawn a round: the 7th to the 12th are the last six
    assert calls == [8, 9, 10, 11, 12, 13]
    assert last_six == [False] * 6 + [True] * 6 + [False] * 2
    assert game.public_state()["round"] == 14
    assert game.public_state()["places"] == [1, 1]


def test_an_action_is_judged_by_its_content_and_an_illegal_one_changes_nothing() -> None:
    game = lay(rooms={0: components.room(good=2)})
    before = game.public_state()
    wrong: list[Any] = [{"type": "play", "big": 6, "little": 1}, {"type": "play", "big": True, "little": 1}, None]
    wrong += [{"type": "decline"}, {"type": "play", "big": 1}, {"type": "play", "big": 1, "little": 1, "jack": 2}]
    for action in wrong:
        with pytest.raises(ValueError, match=r"1\.play\.0\.0"):
            game.act(0, action)
    assert game.public_state() == before
    assert asked(game) == ["1.play.0.0", "1.play.1.0"]
    play(game, (1, 1), (5, 5))
    with pytest.raises(ValueError, match="not a legal action"):
        load(game, 0, a=1)
    with pytest.raises(ValueError, match="seat 1 owes no decision"):
        load(game, 1, a=2)
    load(game, 0, c=1, b=0, a=1)
    assert docked(game) == {"a": [1, 0], "b": [0, 0], "c": [1, 0], "d": [0, 0]}


def test_a_sole_survivor_of_resignations_is_first_at_once() -> None:
    game = lay(3)
    game.resign(0)
    assert asked(game) == ["1.play.1.0", "1.play.2.0"]
    game.resign(2)
    assert game.over
    assert game.ended == "resigned"
    assert game.public_state()["places"] == [2, 1, 2]


def test_a_resignation_after_the_card_is_settled_waits_for_the_reveal() -> None:
    game = lay(2)
    game.act(0, {"type": "play", "big": 3, "little": 1})
    game.resign(0)
    assert game.public_state()["places"] is None
    game.act(1, {"type": "play", "big": 1, "little": 3})
    assert game.over
    assert game.public_state()["places"] == [2, 1]
    assert game.public_state()["round"] == 2
    assert stops(game)["0 big"] == 2


def random_set(rng: random.Random, players: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Ships and warehouses: the standard ones, or odd ones."""
    if rng.random() < 0.3:
        ships, warehouses = components.ships(players), components.warehouses(players)
        rng.shuffle(ships)
        rng.shuffle(warehouses)
        return ships, warehouses
    capacities = [rng.choice([3, 3, 4, rng.randint(3, 16)]) for _ in range(rng.randint(4, 20))]
    kinds = [components.room(good=4), components.room(broken=2), components.room(good=rng.randint(0, 4), coin=1)]
    return fleet(*capacities), board(players, {stop: rng.choice(kinds) for stop in range(16)})


@pytest.mark.parametrize("number", range(60))
def test_random_games_end_and_barrels_coins_and_stops_are_kept(number: int) -> None:
    rng = random.Random(number)
    players = 2 + number % 3
    ships, warehouses = random_set(rng, players)
    variants = {
        "tally": rng.choice(["warehouses", "circuit"]),
        "last_place": rng.choice(["paid", "unpaid"]),
        "starting_coins": rng.randint(0, 3),
    }
    order = rng.sample(chance.tokens(players), 2 * players)
    game = LiteralGame(
        players, variants, ships, warehouses, order, lambda _: rng.sample(chance.tokens(players), 2 * players)
    )
    ids: list[str] = []
    while not game.over:
        decision = rng.choice(game.open_decisions())
        legal = game.legal_actions(decision["seat"])
        assert len(legal) > 1
        assert all(legal.count(action) == 1 for action in legal[:3])
        ids.append(decision["id"])
        game.act(decision["seat"], rng.choice(legal))
        check(game.public_state())
    assert len(set(ids)) == len(ids)
    assert min(game.public_state()["places"]) == 1
    assert game.public_state()["stack"] == []


def check(state: dict[str, Any]) -> None:
    """Barrels, coins, capacities and stops of one state."""
    for seat, player in enumerate(state["seats"]):
        assert player["supply"] + player["aboard"] == 16
        assert player["aboard"] == sum(ship["barrels"][seat] for ship in state["docks"])
    assert state["bank"] + sum(player["coins"] for player in state["seats"]) == 15
    assert all(sum(ship["barrels"]) < max(ship["capacity"], 1) for ship in state["docks"])
    standing = [worker["stop"] for worker in state["workers"] if worker["stop"] is not None]
    shared = 1 if state["jack"] and state["phase"] == "play" else 0
    assert len(set(standing)) >= len(standing) - shared
