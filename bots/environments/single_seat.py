"""The game for Gymnasium: one seat acts, and bots play the others. Registered as `MontegoBay-v1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from bots.environments.actions import ACTIONS, Mask, codes_by_number, mask_of, number_of
from bots.environments.episode import Episode
from bots.environments.features import Features
from bots.environments.montego_bay_v1 import Observation, observation_space
from bots.inprocess import question
from bots.reference import make_bot
from montego_bot import Bot, answer, read_ask
from service.engine.action_codes import code_of
from service.engine.actions import parse_action
from service.engine.components import standard_components
from service.engine.setup import parse_variants


class SingleSeatEnv(gymnasium.Env[Observation, int]):
    """One seat against 1 to 3 opponents, with the standard set.

    Observations, masks and rewards are those of `montego_bay_v1`. The seat is drawn anew for each game unless
    it is given. An action that the mask rules out ends the game with the reward -1; `info["masked_action"]` names it.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        opponents: Sequence[str | Bot] = ("greedy", "greedy", "greedy"),
        seat: int | None = None,
        variants: dict[str, Any] | None = None,
        json_info: bool = True,
    ) -> None:
        """`opponents` are names of reference bots or bots of the kit, in the order of the seats.

        Raises ValueError for a seat or a number of opponents that does not exist, UnknownBotError and InvalidInput.
        """
        self._players = len(opponents) + 1
        self._components = standard_components(self._players)
        self._variants = parse_variants(variants or {})
        if seat is not None and seat not in range(self._players):
            raise ValueError(f"a game of {self._players} has no seat {seat}")
        self._given_seat, self._json_info = seat, json_info
        self._opponents = [make_bot(bot) if isinstance(bot, str) else bot for bot in opponents]
        self.features = Features(self._players, self._components)
        self.observation_space = observation_space(self.features)
        self.action_space: spaces.Space[int] = spaces.Discrete(ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deals a new game and plays on to the first decision of the seat."""
        super().reset(seed=seed)
        drawn = self.np_random.bytes(16).hex()
        self.seat = int(self.np_random.integers(self._players)) if self._given_seat is None else self._given_seat
        self.episode = Episode(self._players, self._variants, self._components, drawn)
        self._play_opponents()
        return self._seen(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the opponents up to the seat's next decision or the end of the game."""
        if action not in codes_by_number(self.episode.key):
            return self._seen(), -1.0, True, False, {**self._info(), "masked_action": int(action)}
        self.episode.step(int(action))
        self._play_opponents()
        reward = self.episode.rewards()[self.seat] if self.episode.over else 0.0
        return self._seen(), reward, self.episode.over, False, self._info()

    def action_masks(self) -> Mask:
        """The mask of the open decision, under the name that libraries for masked actions look for."""
        if self.episode.over:
            return np.zeros(ACTIONS, np.int8)
        return mask_of(self.episode.key).copy()

    def _play_opponents(self) -> None:
        """Plays up to the seat's next decision. Raises BadChoice for a bot that answers what is not legal."""
        episode = self.episode
        while not episode.over and episode.seat != self.seat:
            game = episode.game()
            decision = game.decisions[0]
            bot = self._opponents[decision.seat - (decision.seat > self.seat)]
            chosen = parse_action(answer(bot, read_ask(question(game, decision)))["action"])
            code = code_of(game.config, game.core, decision, chosen)
            assert code is not None, "the kit lets only legal actions through"
            episode.step(number_of(episode.key, code))

    def _seen(self) -> Observation:
        episode = self.episode
        vector = self.features.encode(episode.config, episode.state, self.seat)
        return {"observation": vector, "action_mask": self.action_masks()}

    def _info(self) -> dict[str, Any]:
        return {"observation": self.episode.observation(self.seat)} if self._json_info else {}


if "MontegoBay-v1" not in gymnasium.registry:
    gymnasium.register("MontegoBay-v1", entry_point="bots.environments.single_seat:SingleSeatEnv")
