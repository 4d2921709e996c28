"""The lines of play from fixed positions are those that are known."""

from typing import Any

import pytest

from tests.engine.known_counts import POSITIONS, Position, counted, known


def test_every_position_is_in_the_file() -> None:
    assert tuple(at for at, _ in known()) == POSITIONS


@pytest.mark.parametrize(("at", "entry"), known(), ids=lambda value: value.name if isinstance(value, Position) else "")
def test_lines_and_states_are_those_that_are_known(at: Position, entry: dict[str, Any]) -> None:
    assert counted(at) == entry
