"""The game for PettingZoo: `env()` gives an AEC environment, in which one seat acts after another."""

from __future__ import annotations

import random
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from bots.environments.actions import ACTIONS, Mask, mask_of
from bots.environments.episode import Episode
from bots.environments.features import Features, Vector
from service.engine.components import parse_components, standard_components
from service.engine.setup import parse_seed, parse_variants

Observation: TypeAlias = dict[str, Vector | Mask]
"""`observation`, the vector of `features.Features`, and `action_mask`."""


def observation_space(features: Features) -> spaces.Dict:
    """The space of what a seat sees."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (features.size,), np.float32),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
        }
    )


def env(
    players: int = 4,
    variants: dict[str, Any] | None = None,
    components: dict[str, Any] | None = None,
    json_info: bool = True,
) -> AECEnv[str, Observation, int]:
    """The environment with PettingZoo's usual checks. `raw_env` takes the same and explains it.

    An action that the mask rules out ends the game: its seat gets the reward -1, and the others 0.
    """
    checked: AECEnv[str, Observation, int] = raw_env(players, variants, components, json_info)
    checked = wrappers.TerminateIllegalWrapper(checked, illegal_reward=-1)
    checked = wrappers.AssertOutOfBoundsWrapper(checked)
    return wrappers.OrderEnforcingWrapper(checked)


class raw_env(AECEnv[str, Observation, int], EzPickle):  # noqa: N801  (PettingZoo's name for it)
    """The agents are `seat_0` to `seat_3`. Rewards come at the end, see `Episode.rewards`; before that they are 0.

    `features.names` says what the numbers of an observation are. With `json_info`, `info["observation"]` of the
    agent to act is what the service would show it; that takes most of the time of a step, so turn it off for speed.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "montego_bay_v1", "render_modes": [], "is_parallelizable": False}
    render_mode = None

    def __init__(
        self,
        players: int = 4,
        variants: dict[str, Any] | None = None,
        components: dict[str, Any] | None = None,
        json_info: bool = True,
    ) -> None:
        """`variants` and `components` are as in the service's JSON (PROTOCOL "A game"). Raises InvalidInput."""
        EzPickle.__init__(self, players, variants, components, json_info)
        super().__init__()
        self._components = standard_components(players) if components is None else parse_components(components, players)
        self._variants = parse_variants(variants or {})
        self._json_info = json_info
        self._chance = random.Random()
        self.features = Features(players, self._components)
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space = observation_space(self.features)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new game. `seed` fixes all games from now on; `options={"seed": "…"}` deals the game to which the
        service gives this seed."""
        if seed is not None:
            self._chance = random.Random(seed)
        drawn = f"{self._chance.getrandbits(128):032x}"
        given = (options or {}).get("seed")
        dealt = drawn if given is None else parse_seed(given)
        self.episode = Episode(len(self.possible_agents), self._variants, self._components, dealt)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()

    def observe(self, agent: str) -> Observation:
        """What a seat sees. The mask of a seat that is not to act is 0 everywhere."""
        seat, episode = self._seats[agent], self.episode
        acts = agent == self.agent_selection and not episode.over
        mask = mask_of(episode.key).copy() if acts else np.zeros(ACTIONS, np.int8)
        return {"observation": self.features.encode(episode.config, episode.state, seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays the action of `agent_selection`; None for an agent whose game is over.

        Raises MaskedActionError for an action that the mask rules out.
        """
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("None is only for agents whose game is over")
        self.episode.step(int(action))
        if self.episode.over:
            for seat, reward in enumerate(self.episode.rewards()):
                self.rewards[self.possible_agents[seat]] = reward
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        self._select()

    def state(self) -> npt.NDArray[np.float32]:
        """What all seats see, one after the other: nothing that is hidden from all of them is in it."""
        episode = self.episode
        return np.concatenate(
            [self.features.encode(episode.config, episode.state, seat) for seat in range(len(self.possible_agents))]
        )

    def render(self) -> None:
        """There is nothing to render here: the service's pages show games."""

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self.episode.seat]
        if self._json_info:
            seen = self.agents if self.episode.over else [self.agent_selection]
            self.infos = {
                agent: {"observation": self.episode.observation(self._seats[agent])} if agent in seen else {}
                for agent in self.agents
            }
