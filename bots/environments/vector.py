"""Many games at once: each call plays one action in every game."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bots.environments.actions import ACTIONS, Mask, mask_of
from bots.environments.episode import Episode
from bots.environments.features import Batch, Features
from service.engine.components import parse_components, standard_components
from service.engine.setup import parse_variants


class OpenDecisions(NamedTuple):
    """What waits in each game, a row a game.

    `observations` (games × features) and `masks` (games × actions) are those of `seats`, the seats to act. Where the
    last step ended a game, `over` is true, `rewards` (games × players) has that game's, and a new game has been dealt.
    Elsewhere rewards are 0.
    """

    observations: Batch
    masks: Mask
    seats: npt.NDArray[np.intp]
    over: npt.NDArray[np.bool_]
    rewards: Batch


class VectorEnv:
    """Games with one number of players, played by whoever gives the actions: all seats of all games.

    A game that ends is replaced by a new one within the same call.
    """

    def __init__(
        self,
        games: int = 1024,
        players: int = 4,
        variants: dict[str, Any] | None = None,
        components: dict[str, Any] | None = None,
    ) -> None:
        """`variants` and `components` are as in the service's JSON (PROTOCOL "A game"). Raises InvalidInput."""
        self.games, self.players = games, players
        self._components = standard_components(players) if components is None else parse_components(components, players)
        self._variants = parse_variants(variants or {})
        self._chance = random.Random()
        self.features = Features(players, self._components)
        self._boards: Batch = np.zeros((games, 0), np.float32)
        self.episodes: list[Episode] = []

    def reset(self, seed: int | None = None) -> OpenDecisions:
        """Deals all games anew. `seed` fixes them and all that follow."""
        if seed is not None:
            self._chance = random.Random(seed)
        self.episodes = [self._dealt() for _ in range(self.games)]
        self._boards = np.array([self.features.board(episode.config) for episode in self.episodes])
        return self._turn(np.zeros(self.games, np.bool_), np.zeros((self.games, self.players), np.float32))

    def step(self, actions: npt.NDArray[np.integer[Any]]) -> OpenDecisions:
        """Plays one action in each game. Raises MaskedActionError, and ValueError for another number of actions."""
        if len(actions) != len(self.episodes):
            raise ValueError(f"{len(self.episodes)} games take as many actions, not {len(actions)}")
        over = np.zeros(self.games, np.bool_)
        rewards: Batch = np.zeros((self.games, self.players), np.float32)
        for number, (episode, action) in enumerate(zip(self.episodes, actions.tolist(), strict=True)):
            episode.step(action)
            if episode.over:
                over[number] = True
                rewards[number] = episode.rewards()
                self.episodes[number] = self._dealt()
                self._boards[number] = self.features.board(self.episodes[number].config)
        return self._turn(over, rewards)

    def _dealt(self) -> Episode:
        return Episode(self.players, self._variants, self._components, f"{self._chance.getrandbits(128):032x}")

    def _turn(self, over: npt.NDArray[np.bool_], rewards: Batch) -> OpenDecisions:
        states = [episode.state for episode in self.episodes]
        seats = np.array([episode.seat for episode in self.episodes], np.intp)
        masks = np.empty((self.games, ACTIONS), np.int8)
        for row, episode in zip(masks, self.episodes, strict=True):
            row[:] = mask_of(episode.key)
        return OpenDecisions(self.features.encode_all(self._boards, states, seats), masks, seats, over, rewards)
