"""The question that a search is asked, on the engine's core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from montego_bot import Action, Ask
from montego_bot import Room as SeenRoom
from service.engine.action_codes import code_of
from service.engine.actions import parse_action
from service.engine.components import ComponentSet, Room, Ship, Warehouse
from service.engine.core.layout import STACK, State
from service.engine.core.lookup_tables import LookupTables
from service.engine.decisions import Decision
from service.engine.determinize import determinize
from service.engine.errors import InvalidInput
from service.engine.game import Game
from service.engine.game_config import GameConfig

DRAWN = 6
"""Ships that are dealt anew for each try. More are hardly ever drawn in one round."""


@dataclass(frozen=True, slots=True)
class Root:
    """A position in which a seat has to choose one of `codes`, the core's codes of the legal actions.

    `state` has the hidden ships in some order. `resigned`: seats for which the first legal action is played.
    """

    tables: LookupTables
    state: State
    seat: int
    codes: tuple[int, ...]
    resigned: frozenset[int] = frozenset()

    def redealt(self, random: Callable[[], float]) -> State:
        """A copy of the state in which the next ships are drawn at random from those that nobody sees."""
        s = self.state.copy()
        top = len(s) - 1
        for place in range(top, max(STACK, top - DRAWN), -1):
            other = STACK + int(random() * (place - STACK + 1))
            s[place], s[other] = s[other], s[place]
        return s


def read_root(ask: Ask, seed: str) -> tuple[Root, GameConfig]:
    """The position of an ask, in which hidden parts are drawn from a seed, and the config of its game.

    The codes are in the order of the legal actions. Raises InvalidInput if the observation is not that of a game.
    """
    view: dict[str, Any] = dict(ask.raw["observation"])
    game = determinize(view, _components(ask), seed)
    decision = game.decisions[[open_one.seat for open_one in game.decisions].index(ask.seat)]
    codes = tuple(_code(game, decision, action) for action in ask.legal_actions)
    return Root(game.config.tables, list(game.core), ask.seat, codes, game.resigned), game.config


def _code(game: Game, decision: Decision, action: Action) -> int:
    code = code_of(game.config, game.core, decision, parse_action(action.to_json()))
    if code is None:
        raise InvalidInput(("legal_actions",), f"{action.to_json()} is not legal in the position of the observation")
    return code


def _components(ask: Ask) -> ComponentSet:
    """The component set without the ships that have sailed, which do not matter any more."""
    seen = ask.observation
    ships = [Ship(docked.ship, docked.capacity, docked.points) for docked in seen.docks if docked.capacity]
    ships += [Ship(hidden.ship, hidden.capacity, hidden.points) for hidden in seen.unseen]
    houses = [Warehouse(tile.warehouse, _room(tile.upper), _room(tile.lower)) for tile in seen.board]
    return ComponentSet(tuple(sorted(ships, key=lambda ship: ship.id)), tuple(houses))


def _room(room: SeenRoom) -> Room:
    return Room(room.good, room.broken, room.coin)
