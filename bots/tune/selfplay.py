"""Games among bots that look one step ahead and sometimes err, and the positions that come up in them.

They are played on the core without asks, since only the positions at the start of rounds and the results are needed.
"""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass

from bots.search.evaluation import Evaluation, Features, Weights, features, stage_of
from bots.search.limits import Clock
from bots.search.lookahead import lookahead
from bots.search.root import Root
from service.engine.components import standard_components
from service.engine.core import flow
from service.engine.core.layout import KEY, OVER, PHASE, PLAY, POINTS, ROUND, SEAT, SHUFFLE, State
from service.engine.core.lookup_tables import LookupTables
from service.engine.core.play import play_key
from service.engine.game import Game
from service.engine.setup import Reshuffles, Variants, draw_setup

SAMPLES = 3
ERRORS = 0.08
"""The part of the choices that are made at random, for a variety of positions."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position at the start of a round: the seed of its game, the stage, the features by seat, and the final points
    by seat."""

    game: str
    stage: int
    features: list[Features]
    points: list[int]


def play_game(players: int, seed: str, weights: Weights) -> list[Position]:
    """Plays one game and returns its positions from round 2 on."""
    dice = random.Random(seed)
    t, s = _deal(players, seed)
    evaluation = Evaluation(t, weights)
    seen: list[tuple[int, list[Features]]] = []
    while s[PHASE] != OVER:
        if s[PHASE] == SHUFFLE:
            order = list(range(t.workers))
            dice.shuffle(order)
            flow.reshuffle(s, t, order, None)
        if s[ROUND] > 1 + len(seen):
            seen.append((stage_of(s), features(s, t)))
        _step(s, t, evaluation, dice)
    points = s[POINTS : POINTS + players]
    return [Position(seed, stage, found, points) for stage, found in seen]


def _deal(players: int, seed: str) -> tuple[LookupTables, State]:
    components = standard_components(players)
    setup = draw_setup(components, players, seed)
    game = Game.deal(players, Variants(), components, setup, Reshuffles(seed)).game
    return game.config.tables, list(game.core)


def _step(s: State, t: LookupTables, evaluation: Evaluation, dice: random.Random) -> None:
    """Settles one decision; in a card phase those of all seats, none of which sees the choice of another."""
    if s[PHASE] != PLAY:
        root = Root(t, s.copy(), s[SEAT], tuple(t.options[s[KEY]]))
        flow.apply(s, t, _choose(root, evaluation, dice), None)
        return
    before = s.copy()
    for seat in range(t.players):
        root = Root(t, before, seat, tuple(t.options[play_key(before, seat)]))
        flow.choose(s, t, seat, _choose(root, evaluation, dice), None)


def _choose(root: Root, evaluation: Evaluation, dice: random.Random) -> int:
    if dice.random() < ERRORS:
        return dice.choice(root.codes)
    return lookahead(root, evaluation, dice, Clock(SAMPLES, 0.0, math.inf, time.monotonic))
