"""`python -m tests.benchmarks.search_peers`: `duct` next to OpenSpiel's ISMCTS, in Python and in C++, on hearts.

An iteration of theirs is a walk down the tree and one random playout to the end of the game, as their bots do it; one
of ours is a walk, the rest of the round, and the evaluation. All on one core, in turn, medians of several runs, in
seconds of the processor; `duct` plain and compiled, whichever is installed.
"""

from __future__ import annotations

import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from tests.benchmarks.builds import builds
from tests.benchmarks.search import figure, rate_there

SIMULATIONS = 300
QUESTIONS = 6
RUNS = 5
EXPLORE = 2.0


def _questions() -> list[Any]:
    """Positions of one game of hearts that is played at random, where there is something to choose."""
    chance, state = random.Random(1), pyspiel.load_game("hearts").new_initial_state()
    found = []
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(actions, weights)[0])
            continue
        if len(state.legal_actions()) > 1:
            found.append(state.clone())
        state.apply_action(chance.choice(state.legal_actions()))
    return found[:: max(1, len(found) // QUESTIONS)]


def _rate(step: Callable[[Any], object], questions: list[Any]) -> float:
    begun = time.process_time()
    for state in questions:
        step(state)
    return SIMULATIONS * len(questions) / (time.process_time() - begun)


PYTHON = "OpenSpiel ISMCTS in Python, hearts: iterations a second"
CPP = "OpenSpiel ISMCTS in C++, hearts: iterations a second"


def measure() -> dict[str, float]:
    """All figures, name to value; ratios say how many times as fast `duct` is."""
    game, questions = pyspiel.load_game("hearts"), _questions()
    in_python = ismcts.ISMCTSBot(
        game=game,
        uct_c=EXPLORE,
        evaluator=mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(1)),
        max_simulations=SIMULATIONS,
        random_state=np.random.RandomState(1),
    )
    in_cpp = pyspiel.ISMCTSBot(
        seed=1, evaluator=pyspiel.RandomRolloutEvaluator(1, 1), uct_c=EXPLORE, max_simulations=SIMULATIONS
    )
    rates: dict[str, list[float]] = defaultdict(list)
    with builds() as places:
        for _ in range(RUNS):
            for build, place in places.items():
                rates[figure(build)].append(rate_there(place))
            rates[PYTHON].append(_rate(in_python.step, questions))
            rates[CPP].append(_rate(in_cpp.step, questions))
        figures = {name: statistics.median(found) for name, found in rates.items()}
        for build in places:
            figures[f"duct, {build}, over ISMCTS in Python"] = figures[figure(build)] / figures[PYTHON]
            figures[f"duct, {build}, over ISMCTS in C++"] = figures[figure(build)] / figures[CPP]
    return figures


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value:,.2f}")
