"""`python -m bots.tune` plays games and prints, or writes, the weights that explain them best."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from bots.search.evaluation import FEATURES, tuned_weights
from bots.tune.fit import Fit, fit
from bots.tune.selfplay import Position, play_game

Table = dict[str, dict[str, dict[str, float]]]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bots.tune", description=__doc__)
    parser.add_argument(
        "--games", type=int, default=3000, help="games for each number of players (default: %(default)s)"
    )
    parser.add_argument("--players", type=int, choices=(2, 3, 4), nargs="+", default=[2, 3, 4])
    parser.add_argument("--seed", default="tune", help="fixes the games (default: %(default)s)")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="processes to play in (default: one per core)"
    )
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="write the weights to this file instead of printing them"
    )
    return parser


def main(arguments: Sequence[str]) -> None:
    """Plays the games with the current weights, so tuning again improves on them."""
    given = _parser().parse_args(arguments)
    table: Table = {}
    for players in given.players:
        fits = fit(_positions(players, given.games, given.seed, given.processes))
        table[str(players)] = {str(stage): _named(found) for stage, found in enumerate(fits)}
        for stage, found in enumerate(fits):
            print(
                f"{players} players, stage {stage}: {found.positions} positions, logarithmic loss {found.loss:.3f}"
                f" (by points alone {found.loss_by_points:.3f})",
                file=sys.stderr,
            )
    text = json.dumps(table, indent=1) + "\n"
    if given.write:
        given.write.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


def _positions(players: int, games: int, seed: str, processes: int) -> list[Position]:
    play = partial(play_game, players, weights=tuned_weights(players))
    with ProcessPoolExecutor(processes) as pool:
        played = pool.map(play, [f"{seed}.{players}.{number}" for number in range(games)], chunksize=5)
        return [position for game in played for position in game]


def _named(found: Fit) -> dict[str, float]:
    return {name: round(weight, 4) for name, weight in zip(FEATURES, found.weights, strict=True)}


if __name__ == "__main__":
    main(sys.argv[1:])
