"""An example of training: a linear value function for games of two, and a bot that looks one decision ahead with it.

    python -m bots.training.linear train weights.json      a few minutes on one core
    python -m bots.training.linear duel weights.json       its games against `greedy`, with a 95 % interval
    python -m bots.training.linear poll weights.json URL   plays for the poll bot with the token MONTEGO_BOT_TOKEN

The function values a position in which cards are chosen: by how many points will the seat gain on the other one from
here to the end? It is fitted by ridge regression to how games went on: first random ones, then games of the bot against
itself.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bots.environments.actions import codes_by_number
from bots.environments.episode import Episode
from bots.inprocess import play
from bots.reference import make_bot
from bots.search.root import read_root
from montego_bot import Action, Ask, Bot, generator, run_poll
from service.engine.components import standard_components
from service.engine.core import flow
from service.engine.core.layout import (
    ABOARD,
    BERTH,
    CARD,
    COINS,
    DOCK,
    DOCKS,
    FREE,
    JACK_SEAT,
    KEY,
    NO_SHIP,
    OVER,
    PHASE,
    PLAY,
    POINTS,
    SEAT,
    SHUFFLE,
    STACK,
    SUPPLY,
    WORKERS,
    State,
    digit,
)
from service.engine.core.lookup_tables import LookupTables
from service.engine.core.play import play_key
from service.engine.setup import Variants

PLAYERS = 2
RIDGE = 10.0
RANDOM_GAMES = 4000
OWN_GAMES = 150
SAMPLES = 16
"""Continuations that are drawn for each action."""

Weights = npt.NDArray[np.float64]


def features(s: State, t: LookupTables, seat: int) -> list[float]:
    """A position as the value function sees it, from one seat's side."""
    other = 1 - seat
    found = [1.0, len(s) - STACK, s[COINS + seat], s[COINS + other], s[SUPPLY + seat], s[SUPPLY + other]]
    found += [s[JACK_SEAT] == seat, s[JACK_SEAT] == other]
    for dock in range(DOCKS):
        ship, row = s[DOCK + BERTH * dock], s[DOCK + BERTH * dock + ABOARD]
        if ship in (NO_SHIP, t.pilot):
            found += [0.0] * 8
            continue
        mine, theirs, capacity = digit(row, seat), digit(row, other), t.capacity[ship]
        filled = 1 - digit(s[FREE], dock) / capacity
        paid = [0, 0]
        for points, _, _, rank in t.rankings[row]:
            paid[points - POINTS] = t.pay[ship][rank]
        lead = paid[seat] - paid[other]
        share = (mine - theirs) * t.points[ship][0] / capacity
        found += [mine, theirs, lead, lead * filled, share, share * filled, filled, t.points[ship][0]]
    return found


def margin(s: State, seat: int) -> int:
    """By how many points a seat is ahead."""
    return s[POINTS + seat] - s[POINTS + 1 - seat]


def next_cards(s: State, t: LookupTables, dice: random.Random) -> None:
    """Goes on to the next choice of cards, or to the end, if the order has to be shuffled."""
    if s[PHASE] == SHUFFLE:
        flow.reshuffle(s, t, flow.any_order(t, dice.random), None, dice.random)


def worth(s: State, t: LookupTables, seat: int, weights: Weights) -> float:
    """The expected final margin of a position in which cards are chosen, or the margin at the end."""
    if s[PHASE] == OVER:
        return float(margin(s, seat))
    return margin(s, seat) + float(weights @ features(s, t, seat))


def choose(state: State, t: LookupTables, seat: int, codes: Sequence[int], weights: Weights, seed: int) -> int:
    """The code whose continuations, drawn at random up to the next choice of cards, are worth most on average."""
    start = state.copy()
    if start[PHASE] == PLAY:
        # What others may have chosen already is not known to the seat.
        start[CARD : CARD + WORKERS] = [0] * WORKERS
        start[SEAT], start[KEY] = 0, play_key(start, 0)
    totals = [0.0] * len(codes)
    for sample in range(SAMPLES):
        stack = start[STACK:]
        random.Random(seed + sample).shuffle(stack)
        for number, code in enumerate(codes):
            # The same numbers for each action, so that they differ by the action and not by luck.
            dice = random.Random(seed + sample)
            s = [*start[:STACK], *stack]
            if s[PHASE] == PLAY:
                for actor in range(PLAYERS):
                    legal = flow.legal(s, t)
                    flow.apply(s, t, code if actor == seat else dice.choice(legal), None, dice.random)
            else:
                flow.apply(s, t, code, None, dice.random)
            next_cards(s, t, dice)
            totals[number] += worth(s, t, seat, weights)
    return codes[totals.index(max(totals))]


class ValueBot(Bot):
    """Plays by the value function, in games of two."""

    name = "value"
    author = "Montego Bay contributors"

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def act(self, ask: Ask) -> Action:
        """The action whose continuations are worth most. Raises ValueError in a game of more than two."""
        if ask.observation.players != PLAYERS:
            raise ValueError("the value function is for games of two")
        seed = generator(self.name, ask).getrandbits(48)
        root, _ = read_root(ask, f"{seed:x}")
        code = choose(root.state, root.tables, root.seat, root.codes, self._weights, seed)
        return ask.legal_actions[root.codes.index(code)]


def train(random_games: int, own_games: int) -> Weights:
    """The weights after a pass over random games and, if there are any, one over games of the bot against itself."""
    weights: Weights | None = None
    for games in (random_games, own_games) if own_games else (random_games,):
        seen: list[list[float]] = []
        gained: list[int] = []
        for number in range(games):
            rows, margins, final = _self_play(f"{weights is None}-{number}", weights)
            seen += rows
            gained += [final * (1 - 2 * (row % 2)) - now for row, now in enumerate(margins)]
        x, y = np.array(seen), np.array(gained)
        prior = np.zeros(x.shape[1]) if weights is None else weights
        # The second pass starts from the first one: with few games, the weights stay near.
        pull = RIDGE if weights is None else RIDGE * 100
        weights = prior + np.linalg.solve(x.T @ x + pull * np.eye(x.shape[1]), x.T @ (y - x @ prior))
    assert weights is not None
    return weights


def _self_play(seed: str, weights: Weights | None) -> tuple[list[list[float]], list[int], int]:
    """One game, random without weights: features and margins at each choice of cards, for seat 0 and seat 1 in turn,
    and the final margin of seat 0."""
    episode = Episode(PLAYERS, Variants(), standard_components(PLAYERS), seed)
    dice = random.Random(seed)
    s, t = episode.state, episode.config.tables
    rows: list[list[float]] = []
    margins: list[int] = []
    while not episode.over:
        if s[PHASE] == PLAY and s[SEAT] == 0:
            for seat in range(PLAYERS):
                rows.append(features(s, t, seat))
                margins.append(margin(s, seat))
        numbers = codes_by_number(episode.key)
        if weights is None:
            episode.step(dice.choice(list(numbers)))
        else:
            codes = list(numbers.values())
            code = choose(s, t, episode.seat, codes, weights, dice.getrandbits(32))
            episode.step(list(numbers)[codes.index(code)])
    return rows, margins, margin(s, 0)


def duel(weights: Weights, games: int) -> tuple[float, float]:
    """The share of games that the bot wins against `greedy`, a tie being half, and half the width of its 95 %
    interval."""
    won = 0.0
    for number in range(games):
        bots: list[Bot] = [ValueBot(weights), make_bot("greedy")]
        outcome = play(bots if number % 2 == 0 else bots[::-1], f"duel-{number // 2}")
        mine, theirs = outcome.points[number % 2], outcome.points[1 - number % 2]
        won += (mine > theirs) + (mine == theirs) / 2
    share = won / games
    return share, 1.96 * math.sqrt(max(share * (1 - share), 1 / games) / games)


def main(arguments: list[str]) -> int:
    """The command line; the exit status is 1 if a duel does not show that the bot is better."""
    parser = argparse.ArgumentParser(prog="python -m bots.training.linear", description=__doc__)
    parser.add_argument("what", choices=("train", "duel", "poll"))
    parser.add_argument("weights", type=Path)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--games", type=int, default=200, help="of a duel")
    parser.add_argument("--random-games", type=int, default=RANDOM_GAMES, help="to train with")
    parser.add_argument("--own-games", type=int, default=OWN_GAMES, help="to train with, after those")
    given = parser.parse_args(arguments)
    if given.what == "train":
        begun = time.monotonic()
        given.weights.write_text(json.dumps(train(given.random_games, given.own_games).tolist()), "utf-8")
        sys.stdout.write(f"trained in {time.monotonic() - begun:.0f} s, written to {given.weights}\n")
        return 0
    weights = np.array(json.loads(given.weights.read_text("utf-8")))
    if given.what == "poll":
        run_poll(ValueBot(weights), url=given.url, token=os.environ.get("MONTEGO_BOT_TOKEN", ""))
        return 0
    share, half = duel(weights, given.games)
    sys.stdout.write(f"{share:.3f} of {given.games} games against greedy, 95 %: ± {half:.3f}\n")
    return 0 if share - half > 0.5 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
