"""`python -m tests.bots.search_choices`: what the rungs that search choose in a few games. No build may change it."""

from __future__ import annotations

import json

from bots.inprocess import play
from bots.reference import make_bot
from bots.search import SearchLimits
from montego_bot import Action, Ask, Bot
from service.engine.setup import Variants

ITERATIONS = {"lookahead": 2, "montecarlo": 90, "duct": 90}
GAMES = (
    (("duct", "montecarlo"), Variants("circuit", "unpaid", 3)),
    (("lookahead", "duct", "montecarlo"), Variants()),
    (("duct", "lookahead", "duct", "montecarlo"), Variants(starting_coins=2)),
)


class Writing(Bot):
    """A rung that prints what it chooses."""

    def __init__(self, rung: str, number: int) -> None:
        self._bot = make_bot(f"{rung}-{number}", limits=SearchLimits(ITERATIONS[rung]))
        self.name = self._bot.name

    def act(self, ask: Ask) -> Action:
        chosen = self._bot.act(ask)
        assert isinstance(chosen, Action)
        print(self.name, json.dumps(chosen.to_json()))
        return chosen


if __name__ == "__main__":
    for rungs, variants in GAMES:
        print(play([Writing(rung, number) for number, rung in enumerate(rungs, 1)], "choices", variants))
