"""`python -m tests.benchmarks.search`: iterations a second of `duct`, on one core, plain and compiled.

The questions are those for cards, for loads and for hiring that come up in a game of 4 players, as many of each as come
up. Both builds are measured in turn, whichever is installed, each run in a process of its own, in seconds of the
processor.
"""

from __future__ import annotations

import random
import statistics
import time
from pathlib import Path

from bots.inprocess import question
from bots.search import SearchLimits
from bots.search.duct import duct
from bots.search.evaluation import Evaluation, tuned_weights
from bots.search.root import Root, read_root
from montego_bot import read_ask
from tests.benchmarks.builds import builds, run_there
from tests.benchmarks.engine import PLAYERS, dealt

ITERATIONS = 300
QUESTIONS = 24
RUNS = 5
PASSES = 3
PROGRAM = "import bots.search.duct as duct; from tests.benchmarks import search; print(duct.__file__, search.rate())"


def roots() -> list[Root]:
    """Questions of one game that is played at random, evenly spread over it."""
    game, chance = dealt(3), random.Random(3)
    found = []
    while game.outcome is None:
        decision = game.decisions[0]
        found.append(read_root(read_ask(question(game, decision)), "bench")[0])
        game = game.apply(decision.id, chance.choice(game.legal_actions(decision.id))).game
    return found[:: max(1, len(found) // QUESTIONS)]


def rate() -> float:
    """Iterations a second of the build that is in use here: the median of a few passes through the questions."""
    questions = roots()
    rates = []
    for _ in range(PASSES):
        begun = time.process_time()
        for root in questions:
            clock = SearchLimits(ITERATIONS).clock(None, None, time.monotonic)
            duct(root, Evaluation(root.tables, tuned_weights(PLAYERS)), random.Random(1), clock)
        rates.append(ITERATIONS * len(questions) / (time.process_time() - begun))
    return statistics.median(rates)


def rate_there(place: Path) -> float:
    """The rate of the build in a directory of `builds`, which is called by its name."""
    module, found = run_there(place, "-c", PROGRAM).split()
    assert module.endswith(".so") == (place.name == "compiled"), module
    return float(found)


def measure() -> dict[str, float]:
    """All figures, name to value; without a C compiler those of the plain build."""
    with builds() as places:
        rates: dict[str, list[float]] = {build: [] for build in places}
        for _ in range(RUNS):
            for build, place in places.items():
                rates[build].append(rate_there(place))
    return {figure(build): statistics.median(found) for build, found in rates.items()}


def figure(build: str) -> str:
    """What the rate of a build is called."""
    return f"duct, {build}: iterations a second"


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value:,.0f}")
