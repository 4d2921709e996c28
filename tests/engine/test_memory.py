"""Playing on and on costs no memory."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import gc, random, resource, sys

from service.engine.components import standard_components
from service.engine.core import flow
from service.engine.game import Game
from service.engine.setup import Reshuffles, draw_setup
from service.engine.setup import Variants


def resident():
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def play(first, number, step):
    for i in range(first, first + number):
        players = 2 + i % 3
        seed = str(i)
        components = standard_components(players)
        game = Game.deal(
            players, Variants(), components, draw_setup(components, players, seed), Reshuffles(seed)
        ).game
        draw = random.Random(i)
        if i % step:
            flow.playout(list(game.core), game.config.tables, draw.random)
        while not i % step and game.decisions:
            decision = game.decisions[0].id
            game = game.apply(decision, draw.choice(game.legal_actions(decision))).game


play(0, 100, 1)
before = resident()
play(100, 10_000, 20)
print(resident() - before)
"""


def test_10000_games_leave_a_process_no_larger_than_100_did() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    # What a Python process needs for a while may stay with it; a leak of 100 bytes a game would show.
    assert int(done.stdout) < 1_000_000
