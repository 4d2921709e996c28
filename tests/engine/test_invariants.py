"""A state of the core that cannot occur in a game is refused."""

from __future__ import annotations

import pytest

from service.engine.components import standard_components
from service.engine.core.layout import CARD, COINS, HAND, JACK, KEY, OFFERED, POINTS, RESHUFFLE, ROUND, SUPPLY
from service.engine.errors import InvalidInput
from service.engine.game import Game
from service.engine.invariants import check_core
from service.engine.setup import Reshuffles, Variants, draw_setup
from tests.engine.positions import PILOT, broken, choose, lay

PLAYERS = 3


@pytest.fixture
def dealt() -> Game:
    """A game of three at its start: everybody chooses cards, and nobody has hired Jack."""
    components = standard_components(PLAYERS)
    setup = draw_setup(components, PLAYERS, "invariants")
    return Game.deal(PLAYERS, Variants(), components, setup, Reshuffles("invariants")).game


def test_a_game_as_it_is_dealt_is_possible(dealt: Game) -> None:
    check_core(dealt.config, list(dealt.core))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param(CARD + JACK, 3, id="a card for Jack, whom nobody has hired"),
        pytest.param(CARD + 3, 3, id="a little card without a big one"),
        pytest.param(CARD + 2, 3, id="a big card without a little one"),
        pytest.param(POINTS + PLAYERS, 5, id="points of a seat that is not played"),
        pytest.param(COINS + PLAYERS, 1, id="coins of a seat that is not played"),
        pytest.param(SUPPLY + PLAYERS, 1, id="barrels of a seat that is not played"),
        pytest.param(POINTS, -1, id="less than no points"),
        pytest.param(ROUND, 0, id="a round before the first"),
        pytest.param(RESHUFFLE, 2, id="a reshuffle flag that is neither 0 nor 1"),
        pytest.param(OFFERED, 1 << PLAYERS, id="Jack offered to a seat that is not played"),
    ],
)
def test_a_state_with_one_impossible_field_is_refused(dealt: Game, field: int, value: int) -> None:
    core = list(dealt.core)
    core[field] = value
    with pytest.raises(InvalidInput):
        check_core(dealt.config, core)


@pytest.mark.parametrize(("field", "value"), [(HAND, 1), (KEY, 0)], ids=["too few barrels", "other options"])
def test_a_decision_to_unload_that_does_not_fit_the_room_is_refused(field: int, value: int) -> None:
    docks = (PILOT, (6, (7, 4, 3), (2, 1)), (6, (7, 4, 3), (1, 3)), (6, (7, 4, 3), (0, 2)))
    game = choose(lay(rooms={0: broken(2)}, docks=docks), (1, 1), (2, 2)).game
    assert game.decisions[0].type == "unload"
    check_core(game.config, list(game.core))
    core = list(game.core)
    assert core[field] != value
    core[field] = value
    with pytest.raises(InvalidInput):
        check_core(game.config, core)
