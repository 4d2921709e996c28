"""Component sets and variants from outside: what is good is taken, what is bad is named by tile and field."""

import copy
from typing import Any

import pytest

from service.engine.components import components_to_json, parse_components, parse_players, standard_components
from service.engine.errors import InvalidInput
from service.engine.setup import Variants, parse_variants
from tests.engine.odd_sets import SETS

Json = dict[str, Any]


def good_set(players: int = 3) -> Json:
    return components_to_json(standard_components(players))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_set_survives_json(players: int) -> None:
    for components in SETS:
        assert parse_components(components_to_json(components(players)), players) == components(players)


def test_the_limits_themselves_are_allowed() -> None:
    value = good_set()
    value["ships"] = [
        {"id": "a", "capacity": 3, "points": [0, 0, 0]},
        {"id": "z" * 16, "capacity": 16, "points": [20, 20, 20]},
        {"id": "a-_9", "capacity": 16, "points": [20, 0, 0]},
        {"id": "0", "capacity": 4, "points": [3, 3, 2]},
    ]
    assert len(parse_components(value, 3).ships) == 4


def ship(**fields: object) -> Json:
    return {"ships": {4: fields}}


def room(**fields: object) -> Json:
    return {"warehouses": {1: {"upper": {"good": 0, "broken": 0, "coin": 0, **fields}}}}


BAD: list[tuple[Json, str]] = [
    (ship(capacity=2), r"ships\[4\].capacity: ship s05: capacity must be 3 to 16, not 2"),
    (ship(capacity=17), "ship s05: capacity must be 3 to 16, not 17"),
    (ship(capacity=True), r"ships\[4\].capacity: must be an integer, not True"),
    (ship(capacity=4.0), r"ships\[4\].capacity: must be an integer, not 4.0"),
    (ship(points=[4, 2]), r"ships\[4\].points: ship s05: points must be three integers"),
    (ship(points=[4, 2, 3]), "ship s05: points must not rise"),
    (ship(points=[21, 2, 1]), r"ships\[4\].points\[0\]: ship s05: points must be 0 to 20, not 21"),
    (ship(points=[2, 1, -1]), r"ships\[4\].points\[2\]: ship s05: points must be 0 to 20, not -1"),
    (ship(points=None), r"ships\[4\].points: must be a list"),
    (ship(id="s01"), r"ships\[4\].id: s01 is used twice"),
    (ship(id="pilot"), r"ships\[4\].id: pilot is the pilot boat"),
    (ship(id="S05"), r"ships\[4\].id: must be 1 to 16 of a-z"),
    (ship(id=""), r"ships\[4\].id: must be 1 to 16 of a-z"),
    (ship(id="s" * 17), r"ships\[4\].id: must be 1 to 16 of a-z"),
    (ship(id=5), r"ships\[4\].id: must be 1 to 16 of a-z"),
    (ship(colour="red"), r"ships\[4\].colour: is not known"),
    (room(good=5), r"warehouses\[1\].upper.good: warehouse w2, upper room: good must be 0 to 4, not 5"),
    (room(broken=3), "warehouse w2, upper room: broken must be 0 to 2, not 3"),
    (room(coin=2), "warehouse w2, upper room: coin must be 0 to 1, not 2"),
    (room(good=1, broken=1), "warehouse w2, upper room: has good or broken barrels, never both"),
    (room(good=None), r"warehouses\[1\].upper.good: must be an integer"),
    (room(gold=1), r"warehouses\[1\].upper.gold: is not known"),
    ({"warehouses": {1: {"id": "s03"}}}, r"warehouses\[1\].id: s03 is used twice"),
    ({"warehouses": {1: {"lower": []}}}, r"warehouses\[1\].lower: must be an object"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=lambda value: value[:60] if isinstance(value, str) else "")
def test_a_bad_tile_is_named_with_its_field(change: Json, message: str) -> None:
    value = copy.deepcopy(good_set())
    for kind, tiles in change.items():
        for i, fields in tiles.items():
            value[kind][i].update(fields)
    with pytest.raises(InvalidInput, match=message):
        parse_components(value, 3)


@pytest.mark.parametrize("field", ["id", "capacity", "points"])
def test_a_missing_field_of_a_ship_is_named(field: str) -> None:
    value = good_set()
    del value["ships"][2][field]
    with pytest.raises(InvalidInput, match=rf"ships\[2\].{field}: is missing"):
        parse_components(value, 3)


def test_a_set_lists_exactly_what_is_used() -> None:
    with pytest.raises(InvalidInput, match="warehouses: must be 8 warehouses with 4 players, not 7"):
        parse_components(good_set(3), 4)
    with pytest.raises(InvalidInput, match="warehouses: must be 7 warehouses with 2 players, not 8"):
        parse_components(good_set(4), 2)


@pytest.mark.parametrize("number", [0, 3, 61])
def test_there_are_4_to_60_cargo_ships(number: int) -> None:
    value = good_set()
    value["ships"] = [{"id": f"x{i}", "capacity": 3, "points": [1, 1, 1]} for i in range(number)]
    with pytest.raises(InvalidInput, match=f"ships: must be 4 to 60 cargo ships, not {number}"):
        parse_components(value, 3)


@pytest.mark.parametrize("value", [None, [], "set", {}, {"ships": []}, {"ships": [], "warehouses": [], "coins": 3}])
def test_what_is_no_set_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        parse_components(value, 2)


@pytest.mark.parametrize("players", [0, 1, 5, "4", 3.0, None, True])
def test_there_are_2_to_4_players(players: object) -> None:
    with pytest.raises(InvalidInput, match="players: must be"):
        parse_players(players)


def test_variants_have_defaults_and_survive_json() -> None:
    assert parse_variants({}) == Variants("warehouses", "paid", 0)
    every = Variants("circuit", "unpaid", 3)
    assert parse_variants(every.to_json()) == every


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"tally": "zigzag"}, "tally: must be one of warehouses, circuit, not 'zigzag'"),
        ({"last_place": True}, "last_place: must be one of paid, unpaid, not True"),
        ({"starting_coins": 4}, "starting_coins: must be 0 to 3, not 4"),
        ({"starting_coins": -1}, "starting_coins: must be 0 to 3"),
        ({"starting_coins": "1"}, "starting_coins: must be an integer"),
        ({"lazy_jack": False}, "lazy_jack: is not known"),
        ([], "must be an object"),
        (None, "must be an object"),
    ],
)
def test_a_bad_variant_is_named(value: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_variants(value)
