"""The game for OpenSpiel, under the name `python_montego_bay`; importing this module registers it.

Chance nodes deal the board, the ships and the order, one item each, and every reshuffle. Cards are chosen one seat
after another, and no seat is told what the others have chosen: the same game as one with simultaneous choices, in the
form that CFR and MCTS take. What is dealt but hidden (the stack) is in no information state.

An information state is all that a player knows: the board, the ships that have been drawn, the orders that chance
dealt, and the actions in sequence, the player's own unrevealed cards last. All else follows from these by the rules.
"""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import accumulate
from typing import Any, Final

import numpy as np
import pyspiel

from bots.environments.actions import (
    ACTIONS,
    FIRST_LOAD,
    FIRST_PLAY,
    FIRST_PLAY_WITH_JACK,
    FIRST_UNLOAD,
    LOADS,
    UNLOADS,
    codes_by_number,
)
from bots.environments.features import Features
from service.engine.components import standard_components
from service.engine.core import flow
from service.engine.core.layout import (
    KEY,
    LAST_SIX,
    OVER,
    PHASE,
    PLAY,
    POINTS,
    ROUND,
    SEAT,
    SHUFFLE,
    STACK,
    State,
)
from service.engine.core.lookup_tables import CARDS
from service.engine.game_config import GameConfig
from service.engine.setup import Variants

MAX_DECISIONS: Final = 1500
"""More than any game has: 14 rounds, 16 rooms in each, at most 4 loads in a room."""

ACTION_BITS: Final = (ACTIONS - 1).bit_length()
"""An action's number in the information-state tensor, lowest bit first."""

_PARAMETERS: Final = {"players": 2, "seed": -1, "cards": CARDS, "rounds": 0}

GAME_TYPE: Final = pyspiel.GameType(
    short_name="python_montego_bay",
    long_name="Montego Bay",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_PARAMETERS,
)


@cache
def _features(players: int) -> Features:
    return Features(players, standard_components(players))


@cache
def _config(players: int, board: tuple[str, ...]) -> GameConfig:
    return GameConfig(players, Variants(), standard_components(players), board)


class MontegoBayGame(pyspiel.Game):
    """Parameters: `players` (2 to 4); `seed` (-1: chance nodes deal; from 0 on: one fixed deal, without chance nodes at
    the start); `cards` (1 to 5: only cards up to this one may be chosen) and `rounds` (0: to the end; otherwise points
    are compared after so many rounds). The last two make small games for exact algorithms.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_PARAMETERS, **(params or {})}
        self.players, self.seed, self.cards, self.rounds = (given[name] for name in _PARAMETERS)
        if self.players not in (2, 3, 4) or not 1 <= self.cards <= CARDS or self.rounds < 0:
            raise ValueError(f"players must be 2 to 4, cards 1 to {CARDS}, rounds 0 or more, not {given}")
        components = standard_components(self.players)
        self.deal_sizes = (len(components.warehouses), len(components.ships), 2 * self.players)
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=max(self.deal_sizes),
            num_players=self.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_DECISIONS,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> MontegoBayState:
        return MontegoBayState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        if params:
            raise ValueError(f"there are no parameters of observations, such as {params}")
        return _Observer(self, iig_obs_type)


class MontegoBayState(pyspiel.State):
    """A state. It holds plain numbers only, since OpenSpiel copies states often."""

    def __init__(self, game: MontegoBayGame) -> None:
        super().__init__(game)
        self._players, self._cards, self._rounds = game.players, game.cards, game.rounds
        self._sizes = game.deal_sizes
        self._drawn: list[int] = []
        """Items of the deal, or of the reshuffle that is going on, as far as chance has drawn them."""
        self.core: State = []
        """The core's state; empty until all is dealt."""
        self.board: tuple[str, ...] = ()
        self.houses: list[int] = []
        """The warehouses of the board, by number; empty until all is dealt."""
        self._ships: list[int] = []
        """All ships, in the sequence in which they are drawn. `ships` are those that the players have seen."""
        self.orders: list[list[int]] = []
        """The movement orders that chance dealt: the first one, and one for each reshuffle."""
        self._actions: list[tuple[int, int]] = []
        self._hidden: dict[int, int] = {}
        if game.seed >= 0:
            chance = random.Random(game.seed)
            self._drawn = [item for size in self._sizes for item in chance.sample(range(size), size)]
            self._deal()

    @property
    def config(self) -> GameConfig:
        return _config(self._players, self.board)

    @property
    def ships(self) -> list[int]:
        """The ships that have been drawn, by number, first to last."""
        return self._ships[: len(self._ships) - len(self.core[STACK:])]

    def known_actions(self, player: int) -> list[tuple[int, int]]:
        """Seat and number of each action that a player knows of, first to last. Cards are known once they are revealed,
        a player's own cards at once."""
        own = [(player, self._hidden[player])] if player in self._hidden else []
        return [*self._actions, *own]

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if not self.core or self.core[PHASE] == SHUFFLE:
            return int(pyspiel.PlayerId.CHANCE)
        return self.core[SEAT]

    def is_terminal(self) -> bool:
        return bool(self.core) and (
            self.core[PHASE] == OVER or (0 < self._rounds < self.core[ROUND] and self.core[PHASE] != SHUFFLE)
        )

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = self._left()
        return [(item, 1 / len(left)) for item in left]

    def returns(self) -> list[float]:
        """As `Episode.rewards`; 0 before the end."""
        if not self.is_terminal():
            return [0.0] * self._players
        points = self.core[POINTS : POINTS + self._players]
        return [sum((own > other) - (own < other) for other in points) / (self._players - 1) for own in points]

    def information_state(self, player: int) -> str:
        """All that a player knows, as text."""
        actions = " ".join(f"{seat}:{action}" for seat, action in self.known_actions(player))
        return f"seat {player}; board {list(self.board)}; ships {self.ships}; orders {self.orders}; actions {actions}"

    def __str__(self) -> str:
        return (
            f"board {list(self.board)}; orders {self.orders}; actions {self._actions}; chosen {self._hidden}; "
            f"drawn {self._drawn}; core {self.core}"
        )

    def _legal_actions(self, player: int) -> list[int]:
        codes = codes_by_number(self.core[KEY])
        if self.core[PHASE] != PLAY or self._cards == CARDS:
            return sorted(codes)
        return sorted(
            number for number, code in codes.items() if max(code & 7, code >> 3 & 7, code >> 6) <= self._cards
        )

    def _apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self._drawn.append(action)
            if not self.core and len(self._drawn) == sum(self._sizes):
                self._deal()
            elif self.core and len(self._drawn) == self._sizes[2]:
                self.orders.append(self._drawn)
                flow.reshuffle(self.core, self.config.tables, self._drawn, None)
                self._drawn = []
            return
        seat, phase = self.core[SEAT], self.core[PHASE]
        if phase == PLAY:
            self._hidden[seat] = action
        else:
            self._actions.append((seat, action))
        flow.apply(self.core, self.config.tables, codes_by_number(self.core[KEY])[action], None)
        if len(self._hidden) == self._players:
            self._actions += sorted(self._hidden.items())
            self._hidden = {}

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        if action < FIRST_PLAY:
            return ("decline", "hire with big", "hire with little")[action]
        if action < FIRST_PLAY_WITH_JACK:
            big, little = divmod(action - FIRST_PLAY, CARDS)
            return f"big {big + 1}, little {little + 1}"
        if action < FIRST_LOAD:
            big, rest = divmod(action - FIRST_PLAY_WITH_JACK, CARDS**2)
            return f"big {big + 1}, little {rest // CARDS + 1}, jack {rest % CARDS + 1}"
        if action < FIRST_UNLOAD:
            return f"load {list(LOADS[action - FIRST_LOAD])}"
        return f"unload {list(UNLOADS[action - FIRST_UNLOAD])}"

    def _left(self) -> list[int]:
        """What chance may draw now."""
        begun, drawn = 0, self._drawn
        if self.core:
            return [item for item in range(self._sizes[2]) if item not in drawn]
        for size in self._sizes:
            if len(drawn) < begun + size:
                return [item for item in range(size) if item not in drawn[begun:]]
            begun += size
        raise ValueError("all is dealt")

    def _deal(self) -> None:
        houses, ships, _ = self._sizes
        components = standard_components(self._players)
        self.houses, self._ships = self._drawn[:houses], self._drawn[houses : houses + ships]
        order = self._drawn[houses + ships :]
        self.board = tuple(components.warehouses[item].id for item in self.houses)
        self.core = flow.deal(self.config.tables, self._ships, order, 0, None)
        self.orders = [order]
        self._drawn = []


class _Observer:
    """What a player observes, as a tensor and as text: the vector of `features`, or, with perfect recall, all that it
    knows."""

    def __init__(self, game: MontegoBayGame, iig_obs_type: Any) -> None:
        self._recalls = iig_obs_type is not None and iig_obs_type.perfect_recall
        self._features = _features(game.players)
        houses, ships, workers = game.deal_sizes
        shapes: dict[str, tuple[int, ...]] = {"observation": (self._features.size,)}
        if self._recalls:
            shapes = {
                "player": (game.players,),
                "board": (houses, houses),
                "ships": (ships, ships),
                # A ship drawn from the last six shuffles the order.
                "orders": (1 + LAST_SIX, workers, workers),
                "actions": (MAX_DECISIONS, game.players + ACTION_BITS),
            }
        sizes = [math.prod(shape) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, list(accumulate(sizes))[:-1])
        self.dict = {name: part.reshape(shapes[name]) for name, part in zip(shapes, parts, strict=True)}

    def set_from(self, state: MontegoBayState, player: int) -> None:
        self.tensor.fill(0)
        if not self._recalls:
            if state.core:
                self.tensor[:] = self._features.encode(state.config, state.core, player)
            return
        self.dict["player"][player] = 1
        for name, items in (("board", state.houses), ("ships", state.ships)):
            self.dict[name][range(len(items)), items] = 1
        for index, order in enumerate(state.orders):
            self.dict["orders"][index, range(len(order)), order] = 1
        for index, (seat, action) in enumerate(state.known_actions(player)):
            self.dict["actions"][index, seat] = 1
            self.dict["actions"][index, -ACTION_BITS:] = [action >> bit & 1 for bit in range(ACTION_BITS)]

    def string_from(self, state: MontegoBayState, player: int) -> str:
        if self._recalls:
            return state.information_state(player)
        if not state.core:
            return "nothing is dealt yet"
        seen = self._features.encode(state.config, state.core, player)
        return "; ".join(
            f"{name} {value:.3g}" for name, value in zip(self._features.names, seen.tolist(), strict=True) if value
        )


pyspiel.register_game(GAME_TYPE, MontegoBayGame)
