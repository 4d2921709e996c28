"""`python -m tests.benchmarks.search_peers`: `duct` next to OpenSpiel's ISMCTS, in Python and in C++, on hearts.

An iteration of theirs is a walk down the tree and one random playout to the end of the game, as their bots do it; one
of ours is a walk, the rest of the round, and the evaluation. All on one core, in turn, medians of several runs.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from tests.benchmarks import search

SIMULATIONS = 300
QUESTIONS = 6
RUNS = 3
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
    ours, python, cpp = [], [], []
    for _ in range(RUNS):
        ours.append(search.measure()["duct: iterations a second"])
        python.append(_rate(in_python.step, questions))
        cpp.append(_rate(in_cpp.step, questions))
    duct = statistics.median(ours)
    return {
        "duct: iterations a second": duct,
        "OpenSpiel ISMCTS in Python, hearts: iterations a second": statistics.median(python),
        "OpenSpiel ISMCTS in C++, hearts: iterations a second": statistics.median(cpp),
        "duct over ISMCTS in Python": duct / statistics.median(python),
        "duct over ISMCTS in C++": duct / statistics.median(cpp),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value:,.2f}")
