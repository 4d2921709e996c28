"""A search as a bot: from the ask to the engine's core, and back to an action."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from bots.search.evaluation import Evaluation, tuned_weights
from bots.search.limits import Clock, SearchLimits
from bots.search.root import Root, read_root
from montego_bot import Action, Ask, Bot, generator
from service.engine.game_config import GameConfig

Search: TypeAlias = Callable[[Root, Evaluation, random.Random, Clock], int]
"""Chooses one of the codes of a root."""


class SearchBot(Bot):
    """Answers with what a search finds. Deterministic as long as its limit is a number of iterations and time is
    enough.

    Nothing that it keeps from one question to the next changes an answer.
    """

    version = "1"
    author = "Montego Bay contributors"

    def __init__(
        self, search: Search, limits: SearchLimits, name: str, seed: str, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`now` gives the seconds of a monotonic clock."""
        self.name, self.seed, self.limits = name, seed, limits
        self._search, self._now = search, now

    def act(self, ask: Ask) -> Action:
        """The action that the search finds best."""
        clock = self.limits.clock(ask.budget_ms, ask.bank_ms, self._now)
        dice = generator(self.seed, ask)
        root, config = read_root(ask, f"{dice.getrandbits(64):016x}")
        code = self._search(root, _evaluation(config), dice, clock)
        return ask.legal_actions[root.codes.index(code)]


@lru_cache(maxsize=64)
def _evaluation(config: GameConfig) -> Evaluation:
    """The evaluation for a config. What it keeps is valid for all questions about the same config."""
    return Evaluation(config.tables, tuned_weights(config.players))
