"""Asks as types: what is read, what is ignored, what is refused and in which words."""

from __future__ import annotations

from typing import Any

import pytest

from montego_bot import Action, BadMessage, read_ask, read_end, read_start
from tests.bots.positions import ask, cards, observation

LOAD = {"type": "load", "worker": "big", "warehouse": "w3", "room": "upper", "barrels": 2}


def test_an_ask_is_read_with_all_its_parts() -> None:
    read = read_ask(ask(LOAD, [{"type": "load", "ships": {"s01": 2}}, {"type": "load", "ships": {"s04": 2}}]))
    assert read.decision.barrels == 2
    assert read.legal_actions[1] == Action("load", ships={"s04": 2})
    assert read.observation.docks[3].points == (5, 3, 2)
    assert read.observation.docks[0].free == 3
    assert read.me.supply == 16


def test_an_action_goes_back_as_it_came() -> None:
    given: list[dict[str, Any]] = [
        {"type": "decline"},
        {"type": "hire", "worker": "big"},
        {"type": "play", "big": 3, "little": 5, "jack": 1},
        {"type": "unload", "ships": {"s03": 1}},
    ]
    assert [action.to_json() for action in read_ask(ask(LOAD, given)).legal_actions] == given


def test_members_of_a_later_service_are_ignored() -> None:
    seen = observation() | {"weather": "fair"}
    seen["docks"][0]["paint"] = "red"
    assert read_ask(cards(seen, mood="good", raw=7)).observation.docks[0].ship == "s01"


def test_an_ask_without_limits_is_read() -> None:
    assert read_ask(cards(budget_ms=None, deadline=None)).budget_ms is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"protocol": "montego-bay/2"}, "montego-bay/2"),
        ({"legal_actions": []}, "no legal actions"),
        ({"budget_ms": True}, "budget_ms"),
        ({"decision": {"id": "1.play.0.0", "seat": "0", "type": "play"}}, "decision.seat"),
        ({"decision": {"id": "1.play.1.0", "seat": 1, "type": "play"}}, "seat 1"),
    ],
)
def test_a_bad_ask_is_refused_with_the_member_at_fault(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadMessage, match=said):
        read_ask(cards() | change)


@pytest.mark.parametrize("value", [None, [], "ask", 7, {}])
def test_what_is_no_ask_at_all_is_refused(value: object) -> None:
    with pytest.raises(BadMessage, match="protocol"):
        read_ask(value)


def test_a_missing_member_deep_inside_is_named() -> None:
    bad = cards()
    del bad["observation"]["docks"][2]["capacity"]
    with pytest.raises(BadMessage, match=r"capacity.*docks"):
        read_ask(bad)


def test_the_path_runs_along_the_upper_rooms_and_back_along_the_lower_ones() -> None:
    seen = read_ask(cards()).observation
    assert (seen.room_at(0).good, seen.room_at(6).coin) == (4, 1)
    assert (seen.room_at(7).good, seen.room_at(13).broken) == (3, 2)
    assert [seen.opposite(stop) for stop in (0, 6, 7, 13)] == [13, 7, 6, 0]


def test_where_a_worker_stands() -> None:
    view = observation(workers=[{"seat": 1, "worker": "little", "stop": 5}, {"seat": 0, "worker": "big", "stop": None}])
    seen = read_ask(cards(view)).observation
    assert seen.stop_of(1, "little") == 5
    assert seen.stop_of(0, "big") is None
    with pytest.raises(LookupError, match="jack"):
        seen.stop_of(0, "jack")


def test_the_words_at_the_start_and_the_end_of_a_game() -> None:
    start: dict[str, Any] = {
        "protocol": "montego-bay/1",
        "game": "g1",
        "match": None,
        "tournament": None,
        "seat": 1,
        "players": 2,
        "variants": {},
        "components": {"ships": [], "warehouses": []},
        "seats": ["a", "b"],
        "move_ms": 10000,
        "bank_ms": 0,
        "max_faults": None,
    }
    assert read_start(start).seats == ("a", "b")
    end = {"game": "g1", "match": None, "places": [1, 2], "points": [9, 8], "ended": "played", "faults": {"late": 1}}
    assert read_end(end | {"record": "/v1/games/g1/record"}).faults == {"late": 1}
    with pytest.raises(BadMessage, match="record"):
        read_end(end)
