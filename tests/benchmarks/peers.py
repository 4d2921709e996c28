"""`make bench-peers`: random playouts of other libraries' games, and of ours, in turn on one core, and ratios.

What a decision is, is the same for all: one unforced action, drawn uniformly from the complete list of the legal ones.
Chance nodes of OpenSpiel's games are played as its own examples do it, from `chance_outcomes()`; for hearts it is
measured too what a caller gains who knows that its deals are uniform and takes them from `legal_actions()`.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pyspiel
from open_spiel.python.games import tic_tac_toe as python_game
from pettingzoo.classic import connect_four_v3

from bots.environments import montego_bay_v1
from bots.environments.vector import VectorEnv
from tests.benchmarks import compiled
from tests.benchmarks.engine import Playouts

RUNS = 9
SECONDS = 0.4
SEED = 1
GAMES = 50

Draw = Callable[[], float]


def open_spiel(name: str, *, quick_deal: bool = False) -> Callable[[Draw], int]:
    """Plays one game of OpenSpiel's; how many decisions that took."""
    game = pyspiel.load_game(name)

    def play(draw: Draw) -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_simultaneous_node():
                joint = []
                for player in range(state.num_players()):
                    actions = state.legal_actions(player)
                    decisions += len(actions) > 1
                    joint.append(actions[int(draw() * len(actions))])
                state.apply_actions(joint)
                continue
            if state.is_chance_node() and not quick_deal:
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(draw() * len(outcomes))][0])
                continue
            actions = state.legal_actions()
            decisions += len(actions) > 1 and not state.is_chance_node()
            state.apply_action(actions[int(draw() * len(actions))])
        return decisions

    return play


def python_chess(draw: Draw) -> int:
    """Plays one game of chess; how many decisions that took."""
    board = chess.Board()
    decisions = 0
    while not board.is_game_over():
        moves = list(board.legal_moves)
        decisions += len(moves) > 1
        board.push(moves[int(draw() * len(moves))])
    return decisions


def pettingzoo_connect_four() -> Callable[[Draw], int]:
    """Plays one game of connect four through PettingZoo's `env()`; how many decisions that took."""
    env: Any = connect_four_v3.env()

    def play(draw: Draw) -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                env.step(None)
                continue
            columns = [column for column, free in enumerate(observation["action_mask"]) if free]
            decisions += len(columns) > 1
            env.step(columns[int(draw() * len(columns))])
        return decisions

    return play


def own_environment(*, checked: bool, json_info: bool) -> Callable[[Draw], int]:
    """Plays one game of ours through PettingZoo's interface; how many decisions that took."""
    make = montego_bay_v1.env if checked else montego_bay_v1.raw_env
    env: Any = make(4, json_info=json_info)

    def play(draw: Draw) -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(draw() * len(legal))])
            decisions += 1
        return decisions

    return play


class OwnGamesAtOnce:
    """Plays one decision in each of many games at each call; how many decisions that were."""

    def __init__(self, games: int = 1024) -> None:
        self._env = VectorEnv(games)
        self._open = self._env.reset(SEED)

    def __call__(self, draw: Draw) -> int:
        masks = self._open.masks
        noise = np.random.default_rng(int(draw() * 2**32)).random(masks.shape, np.float32)
        self._open = self._env.step((noise * masks).argmax(1))
        return len(masks)


def rate(play: Callable[[Draw], int], seed: int) -> float:
    """Decisions a CPU second."""
    draw = random.Random(seed).random
    decisions = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < SECONDS:
        decisions += play(draw)
    return decisions / spent


def measure() -> dict[str, float]:
    """All figures, name to value: medians, and ratios of ours to theirs taken run by run."""
    with compiled.build() as copy:
        return _measured(copy)


def _measured(copy: Path | None) -> dict[str, float]:
    ours = Playouts(GAMES)
    environments: dict[str, Callable[[Draw], int]] = {
        "environment": own_environment(checked=True, json_info=True),
        "environment, without JSON": own_environment(checked=True, json_info=False),
        "environment, without JSON and PettingZoo's checks": own_environment(checked=False, json_info=False),
        "environment of 1,024 games": OwnGamesAtOnce(),
    }
    own: dict[str, Callable[[], float]] = {
        "core": ours.core,
        "core, step by step": ours.steps,
        "interface": ours.interface,
        **{name: partial(rate, play, SEED) for name, play in environments.items()},
    }
    peers = {
        "OpenSpiel hearts": open_spiel("hearts"),
        "OpenSpiel hearts, dealt by legal_actions": open_spiel("hearts", quick_deal=True),
        "OpenSpiel oh_hell": open_spiel("oh_hell"),
        "OpenSpiel goofspiel of 4": open_spiel("goofspiel(players=4)"),
        f"OpenSpiel {python_game.__name__.rsplit('.', 1)[1]} in Python": open_spiel("python_tic_tac_toe"),
        "PettingZoo connect_four": pettingzoo_connect_four(),
        "python-chess": python_chess,
    }
    runs: dict[str, list[float]] = {name: [] for name in (*own, *(compiled.WAYS if copy else ()), *peers)}
    for run in range(RUNS):
        for name, play in peers.items():
            runs[name].append(rate(play, run))
        for name, measured in own.items():
            runs[name].append(measured())
        if copy is not None:
            for name, value in zip(compiled.WAYS, compiled.rates(copy, 1, GAMES)[0], strict=True):
                runs[name].append(value)
    return _figures(runs, list(peers))


def _figures(runs: dict[str, list[float]], peers: list[str]) -> dict[str, float]:
    figures = {f"peers: {name}, decisions a second": statistics.median(rates) for name, rates in runs.items()}
    for mine in runs:
        for name in peers if mine not in peers else ():
            ratios = [one / other for one, other in zip(runs[mine], runs[name], strict=True)]
            figures[f"peers: {mine} to {name}"] = statistics.median(ratios)
    return figures
