"""Random games through the engine and through the literal implementation: the same at every step.

`MONTEGO_DIFFERENTIAL_GAMES` in the environment says how many games each kind of deal gets (default: 10, and 40 in
`make test-all`).
"""

import json
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from service.engine.actions import Action, action_to_json
from service.engine.components import ComponentSet, components_to_json
from service.engine.core.layout import STACK
from service.engine.game import Game
from service.engine.observation import GameHeader, observe
from service.engine.setup import LAST_PLACES, TALLIES, Reshuffles, Variants, draw_setup
from tests.engine.odd_sets import SETS
from tests.literal.rules import LiteralGame

GAMES = int(os.environ.get("MONTEGO_DIFFERENTIAL_GAMES", "10"))
View = dict[str, Any]


class Pair:
    """One deal in both implementations."""

    def __init__(self, players: int, variants: Variants, components: ComponentSet, seed: str) -> None:
        setup = draw_setup(components, players, seed)
        reshuffles = Reshuffles(seed)
        self.game = Game.deal(players, variants, components, setup, reshuffles).game
        tiles: View = components_to_json(components)
        ships = {ship["id"]: ship for ship in tiles["ships"]}
        houses = {house["id"]: house for house in tiles["warehouses"]}
        self.literal = LiteralGame(
            players,
            variants.to_json(),
            [ships[ship] for ship in setup.ships],
            [houses[house] for house in setup.warehouses],
            list(setup.order),
            lambda number: list(reshuffles.order_for(number, players)),
        )
        self.compare()

    def compare(self) -> None:
        assert state_of(self.game) == self.literal.public_state()
        assert [decision.to_json() for decision in self.game.decisions] == self.literal.open_decisions()
        assert (self.game.outcome is not None) == self.literal.over
        for decision in self.game.decisions:
            mine = [action_to_json(action) for action in self.game.legal_actions(decision.id)]
            # As text, since the order of a load's ships is fixed too.
            assert json.dumps(mine) == json.dumps(self.literal.legal_actions(decision.seat))

    def settle(self, decision: str, action: Action) -> None:
        seat = self.game.decision(decision).seat
        self.game = self.game.apply(decision, action).game
        self.literal.act(seat, action_to_json(action))
        self._play_owed()
        self.compare()

    def resign(self, seat: int) -> None:
        """Of a seat that owes a decision."""
        self.game = self.game.resign([seat], "resigned").game
        self.literal.resign(seat)
        self._play_owed()
        self.compare()

    def _play_owed(self) -> None:
        """The literal game plays the defaults of who has resigned by itself."""
        while self.game.open_defaults:
            owed = self.game.open_defaults[0].id
            self.game = self.game.apply(owed, self.game.default_action(owed)).game


def state_of(game: Game) -> View:
    """What the literal game shows, read off the engine."""
    seen: View = observe(game, None, GameHeader("", 0, "running", (None,) * game.players, "", ""))
    names = ("round", "phase", "workers", "order", "docks", "bank", "jack", "last_six", "reshuffle", "places")
    return {
        **{name: seen[name] for name in names},
        "stack": [game.config.ships[ship] for ship in reversed(game.core[STACK:])],
        "seats": [{name: seat[name] for name in ("points", "coins", "supply", "aboard")} for seat in seen["seats"]],
    }


def play_out(pair: Pair, draw: random.Random) -> int:
    """Plays a random game to its end; how many decisions it took."""
    decisions = 0
    while pair.game.decisions:
        decision = draw.choice(pair.game.decisions).id
        pair.settle(decision, draw.choice(pair.game.legal_actions(decision)))
        decisions += 1
    return decisions


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("components", SETS, ids=lambda components: components.__name__)
def test_a_random_game_is_the_same_in_both(components: Callable[[int], ComponentSet], players: int) -> None:
    for number in range(GAMES):
        seed = f"{components.__name__}-{players}-{number}"
        draw = random.Random(seed)
        variants = Variants(draw.choice(TALLIES), draw.choice(LAST_PLACES), draw.randrange(4))
        pair = Pair(players, variants, components(players), seed)
        assert play_out(pair, draw) >= 2 * players
        assert pair.literal.ended == "played"


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("starting_coins", [0, 1, 2, 3])
@pytest.mark.parametrize("last_place", LAST_PLACES)
@pytest.mark.parametrize("tally", TALLIES)
def test_every_variant_is_the_same_in_both(tally: str, last_place: str, starting_coins: int, players: int) -> None:
    seed = f"{tally}-{last_place}-{starting_coins}-{players}"
    pair = Pair(players, Variants(tally, last_place, starting_coins), SETS[0](players), seed)
    play_out(pair, random.Random(seed))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_with_resignations_are_the_same_in_both(players: int) -> None:
    for number in range(5 * GAMES):
        draw = random.Random(f"resign-{players}-{number}")
        pair = Pair(players, Variants(starting_coins=draw.randrange(4)), SETS[0](players), f"resign-{players}-{number}")
        while pair.game.decisions:
            decision = draw.choice(pair.game.decisions)
            if draw.random() < 0.02:
                pair.resign(decision.seat)
            else:
                pair.settle(decision.id, draw.choice(pair.game.legal_actions(decision.id)))
        assert pair.game.outcome is not None
        assert pair.literal.ended == pair.game.outcome.ended
