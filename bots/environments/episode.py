"""One game on the engine's core, from the deal to the end, one decision at a time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bots.environments.actions import codes_by_number
from service.engine.components import ComponentSet
from service.engine.core import flow
from service.engine.core.layout import KEY, LOAD, OVER, PHASE, ROUND, SEAT, SEATS, SHUFFLE, UNLOAD, State
from service.engine.decisions import NONE_ASKED
from service.engine.game import Game, Outcome, placing
from service.engine.game_config import GameConfig
from service.engine.observation import GameHeader, observe
from service.engine.setup import Reshuffles, Variants, draw_setup


class MaskedActionError(ValueError):
    """An action that is not legal in this position; the text names its number."""


@lru_cache(maxsize=256)
def _config(players: int, variants: Variants, components: ComponentSet, board: tuple[str, ...]) -> GameConfig:
    return GameConfig(players, variants, components, board)


class Episode:
    """A game that is being played. `state` is the core's and changes with each step; `seat` is the seat to act.

    Cards are chosen one seat after another. What a seat sees does not show the cards of the others, so this is the
    same as choosing at the same time.
    """

    def __init__(self, players: int, variants: Variants, components: ComponentSet, seed: str) -> None:
        """Deals the game of a seed, the same that the service deals (RULES "Chance")."""
        setup = draw_setup(components, players, seed)
        self.config = _config(players, variants, components, setup.warehouses)
        self.reshuffles = Reshuffles(seed)
        self._tables = self.config.tables
        self._asked = list(NONE_ASKED)
        ships = [self.config.ships.index(ship) for ship in setup.ships]
        order = [self.config.number(*token) for token in setup.order]
        self.state: State = flow.deal(self._tables, ships, order, variants.starting_coins, None)

    @property
    def seat(self) -> int:
        """The seat to act."""
        return self.state[SEAT]

    @property
    def key(self) -> int:
        """The key of the options of the open decision; `actions.mask_of` and `codes_by_number` take it."""
        return self.state[KEY]

    @property
    def over(self) -> bool:
        return self.state[PHASE] == OVER

    def step(self, number: int) -> None:
        """Plays an action of the seat to act and runs on to the next decision. Raises MaskedActionError."""
        s = self.state
        code = codes_by_number(s[KEY]).get(number)
        if code is None:
            raise MaskedActionError(f"action {number} is not legal here: the mask has a 0 for it")
        phase, seat, round_number = s[PHASE], s[SEAT], s[ROUND]
        flow.apply(s, self._tables, code, None)
        if s[PHASE] == SHUFFLE:
            order = self.reshuffles.order_for(round_number + 1, self.config.players)
            flow.reshuffle(s, self._tables, [self.config.number(*token) for token in order], None)
        if s[ROUND] != round_number:
            self._asked = list(NONE_ASKED)
        elif phase == LOAD:
            self._asked[seat] += 1
        elif phase == UNLOAD:
            self._asked[SEATS + seat] += 1

    def game(self) -> Game:
        """The position as the checked interface of the rules has it."""
        core = tuple(self.state)
        game = Game(self.config, self.reshuffles, core, tuple(self._asked))
        if not self.over:
            return game
        outcome = Outcome(game.points, placing(game.points, frozenset()), game.round, "played")
        return Game(self.config, self.reshuffles, core, tuple(self._asked), outcome=outcome)

    def observation(self, seat: int) -> dict[str, Any]:
        """What the seat may see, as the service's JSON (PROTOCOL "Observation")."""
        status = "finished" if self.over else "running"
        return observe(
            self.game(), seat, GameHeader("environment", 0, status, (None,) * self.config.players, "", "seeded")
        )

    def rewards(self) -> list[float]:
        """By seat, once the game is over: the share of opponents with fewer points less the share of those with more.

        So a sole winner gets 1, a sole last seat -1, equal seats the same, and all rewards add up to 0.
        """
        points = self.game().points
        rivals = len(points) - 1
        return [sum((own > other) - (own < other) for other in points) / rivals for own in points]
