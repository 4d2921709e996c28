"""`python -m tests.benchmarks.search`: iterations a second of `duct`, on one core.

The questions are those for cards and for loads that come up in games of 4 players, as many of either as come up.
"""

from __future__ import annotations

import random
import statistics
import time

from bots.inprocess import question
from bots.sdk import read_ask
from bots.search import Thinking
from bots.search.duct import duct
from bots.search.evaluation import Evaluation, tuned_weights
from bots.search.root import Root, read_root
from tests.benchmarks.engine import PLAYERS, dealt

ITERATIONS = 300
QUESTIONS = 24
RUNS = 5


def roots() -> list[Root]:
    """Questions of one game that is played at random, evenly spread over it."""
    game, chance = dealt(3), random.Random(3)
    found = []
    while game.outcome is None:
        decision = game.decisions[0]
        found.append(read_root(read_ask(question(game, decision)), "bench")[0])
        game = game.apply(decision.id, chance.choice(game.legal_actions(decision.id))).game
    return found[:: max(1, len(found) // QUESTIONS)]


def measure() -> dict[str, float]:
    """All figures, name to value."""
    questions = roots()
    rates = []
    for _ in range(RUNS):
        begun = time.process_time()
        for root in questions:
            clock = Thinking(ITERATIONS).clock(None, None, time.monotonic)
            duct(root, Evaluation(root.tables, tuned_weights(PLAYERS)), random.Random(1), clock)
        rates.append(ITERATIONS * len(questions) / (time.process_time() - begun))
    return {"duct: iterations a second": statistics.median(rates)}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value:,.0f}")
