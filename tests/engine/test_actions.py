"""Actions from outside and back."""

import pickle

import pytest

from service.engine.actions import Action, Decline, Hire, Load, Play, Unload, action_to_json, parse_action
from service.engine.errors import InvalidInput

ACTIONS: list[tuple[Action, dict[str, object]]] = [
    (Decline(), {"type": "decline"}),
    (Hire("big"), {"type": "hire", "worker": "big"}),
    (Play(3, 5), {"type": "play", "big": 3, "little": 5}),
    (Play(3, 5, 1), {"type": "play", "big": 3, "little": 5, "jack": 1}),
    (Load((("s03", 2), ("s01", 1))), {"type": "load", "ships": {"s03": 2, "s01": 1}}),
    (Unload((("s03", 1),)), {"type": "unload", "ships": {"s03": 1}}),
    (Load(()), {"type": "load", "ships": {}}),
]


@pytest.mark.parametrize(("action", "value"), ACTIONS)
def test_an_action_survives_json_and_pickle(action: Action, value: dict[str, object]) -> None:
    assert action_to_json(action) == value
    assert parse_action(value) == action
    assert pickle.loads(pickle.dumps(action)) == action
    assert len({action, parse_action(value)}) == 1


def test_counts_of_0_are_left_out() -> None:
    assert action_to_json(parse_action({"type": "load", "ships": {"s01": 0, "s02": 3}})) == {
        "type": "load",
        "ships": {"s02": 3},
    }


def test_an_action_does_not_change() -> None:
    action = Load((("s03", 2),))
    with pytest.raises(AttributeError):
        action.ships = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del action.ships


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (None, ()),
        ([], ()),
        ("play", ()),
        ({}, ("type",)),
        ({"type": "pass"}, ("type",)),
        ({"type": ["play"]}, ("type",)),
        ({"type": "decline", "worker": "big"}, ("worker",)),
        ({"type": "hire"}, ("worker",)),
        ({"type": "hire", "worker": "jack"}, ("worker",)),
        ({"type": "play", "big": 1}, ("little",)),
        ({"type": "play", "big": True, "little": 1}, ("big",)),
        ({"type": "play", "big": 1.0, "little": 1}, ("big",)),
        ({"type": "play", "big": "1", "little": 1}, ("big",)),
        ({"type": "play", "big": 1, "little": 1, "jack": None}, ("jack",)),
        ({"type": "play", "big": 1, "little": 1, "joker": 1}, ("joker",)),
        ({"type": "load"}, ("ships",)),
        ({"type": "load", "ships": []}, ("ships",)),
        ({"type": "load", "ships": {"s01": -1}}, ("ships", "s01")),
        ({"type": "load", "ships": {"s01": True}}, ("ships", "s01")),
        ({"type": "unload", "ships": {"s01": 1.5}}, ("ships", "s01")),
        ({"type": "unload", "ships": {}, "index": 1}, ("index",)),
    ],
)
def test_what_is_no_action_is_refused_with_the_place(value: object, path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_action(value)
    assert refused.value.path == path


def test_a_huge_number_is_refused_in_few_words() -> None:
    with pytest.raises(InvalidInput, match="not a huge number"):
        parse_action({"type": "load", "ships": {"s01": -(10**5000)}})
