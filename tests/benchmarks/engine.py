"""`python -m tests.benchmarks.engine`: how fast the rules are, on one core.

A decision is one unforced action, drawn uniformly from the complete list of the legal ones; forced ones do not count.
The core plays in two ways: step by step, where a caller takes the list of legal actions and applies one, and by
`playout`, where it draws from the same lists itself. The checked interface plays step by step. All play the same games
and must agree on them. Times are CPU seconds of this process.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

from service.engine.components import standard_components
from service.engine.core import flow
from service.engine.core.layout import OVER, PHASE, ROUND, SHUFFLE, Draw, State
from service.engine.game import Game
from service.engine.observation import GameHeader, observe
from service.engine.playthrough import Playthrough
from service.engine.record import build_record, replay
from service.engine.setup import Reshuffles, Variants, draw_setup

PLAYERS = 4
GAMES = 100
RUNS = 5
MOST_ROUNDS = 20
SEED = 1
PASSES = 10

T = TypeVar("T")


class Deal(NamedTuple):
    """A game at its first decision, and the orders that its seed gives for reshuffles, by round."""

    game: Game
    orders: list[list[int]]


def dealt(number: int) -> Game:
    """One of the games that all of this plays, at its first decision."""
    seed = f"bench-{number}"
    components = standard_components(PLAYERS)
    setup = draw_setup(components, PLAYERS, seed)
    return Game.deal(PLAYERS, Variants(), components, setup, Reshuffles(seed)).game


def with_orders(game: Game) -> Deal:
    """A game with all orders that it could need."""
    orders = [
        [game.config.number(*token) for token in game.reshuffles.order_for(number, PLAYERS)]
        for number in range(1, MOST_ROUNDS)
    ]
    # No order is shuffled before round 0.
    return Deal(game, [[], *orders])


def step_by_step(deal: Deal, draw: Draw, *, orders_drawn: bool = False) -> tuple[int, State]:
    """One game on the bare core, driven from outside: how many decisions that took, and the end.

    Reshuffles come from the deal's seed, or are drawn as `playout` draws them.
    """
    s, t = list(deal.game.core), deal.game.config.tables
    decisions = 0
    while (phase := s[PHASE]) != OVER:
        if phase == SHUFFLE:
            order = flow.any_order(t, draw) if orders_drawn else deal.orders[s[ROUND] + 1]
            flow.reshuffle(s, t, order, None)
            continue
        codes = flow.legal(s, t)
        flow.apply(s, t, codes[int(draw() * len(codes))], None)
        decisions += 1
    return decisions, s


def playout(deal: Deal, draw: Draw) -> State:
    """One game on the bare core, which draws actions and shuffles itself: the end."""
    s = list(deal.game.core)
    flow.playout(s, deal.game.config.tables, draw)
    return s


def through_the_interface(deal: Deal, draw: Draw) -> tuple[int, State]:
    """One game through the checked interface: how many decisions that took, and the end."""
    game = deal.game
    decisions = 0
    while game.decisions:
        decision = game.decisions[0].id
        legal = game.legal_actions(decision)
        game = game.apply(decision, legal[int(draw() * len(legal))]).game
        decisions += 1
    return decisions, list(game.core)


def cpu_s(act: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    begun = time.process_time()
    act()
    return time.process_time() - begun


class Playouts:
    """The same random games in all ways, after a check that all ways agree on them.

    One generator serves all games of a pass, as in the measurements of other libraries: to seed one takes as long as
    some ten decisions.
    """

    def __init__(self, games: int = GAMES) -> None:
        self.deals = [with_orders(dealt(number)) for number in range(games)]
        steps = self._pass(step_by_step)
        if self._pass(through_the_interface) != steps:
            raise AssertionError("core and interface disagree on a game")
        drawn = self._pass(partial(step_by_step, orders_drawn=True))
        if self._pass(playout) != [end for _, end in drawn]:
            raise AssertionError("the core's playout disagrees with its steps on a game")
        self.decisions = sum(decisions for decisions, _ in steps)
        self.drawn = sum(decisions for decisions, _ in drawn)

    def _pass(self, play: Callable[[Deal, Draw], T]) -> list[T]:
        draw = random.Random(SEED).random
        return [play(deal, draw) for deal in self.deals]

    def core(self) -> float:
        """Decisions a CPU second by the core's own playout."""
        return PASSES * self.drawn / cpu_s(lambda: [self._pass(playout) for _ in range(PASSES)])

    def steps(self) -> float:
        """Decisions a CPU second on the core step by step."""
        return PASSES * self.decisions / cpu_s(lambda: [self._pass(step_by_step) for _ in range(PASSES)])

    def interface(self) -> float:
        """Decisions a CPU second through the checked interface."""
        return self.decisions / cpu_s(lambda: self._pass(through_the_interface))


def playouts() -> dict[str, float]:
    """Random playouts: decisions and games a second, medians of several runs, in turn."""
    all_games = Playouts()
    rates = [(all_games.core(), all_games.steps(), all_games.interface()) for _ in range(RUNS)]
    core, steps, interface = (statistics.median(column) for column in zip(*rates, strict=True))
    return {
        "engine core: decisions a second": core,
        "engine core: games a second": core / all_games.drawn * GAMES,
        "engine core, step by step: decisions a second": steps,
        "engine core, step by step: games a second": steps / all_games.decisions * GAMES,
        "engine interface: decisions a second": interface,
        "engine interface: games a second": interface / all_games.decisions * GAMES,
    }


def _recorded(number: int) -> dict[str, object]:
    seed = f"bench-{number}"
    chance = random.Random(number)
    components = standard_components(PLAYERS)
    setup = draw_setup(components, PLAYERS, seed)
    play = Playthrough.start(PLAYERS, Variants(), components, setup, Reshuffles(seed))
    while play.game.outcome is None:
        decision = play.game.decisions[0]
        play.settle(decision.id, chance.choice(play.game.legal_actions(decision.id)), "player", None)
    seats = [{"name": f"seat {seat}", "version": None} for seat in range(PLAYERS)]
    return build_record(
        play, game="bench", deal="seeded", commitment="0" * 64, seed=seed, nonce=None, block_seed=None, seats=seats
    )


def costs() -> dict[str, float]:
    """Microseconds of a copy of the core's state, of an observation with its JSON, and of replaying a record."""
    game = dealt(0)
    view = GameHeader("bench", 1, "running", ("a", "b", "c", "d"), "0" * 64, "seeded")
    record = _recorded(1)
    state = list(game.core)

    def median_us(act: Callable[[], object], times: int) -> float:
        return statistics.median(
            cpu_s(lambda: deque((act() for _ in range(times)), maxlen=0)) / times * 1e6 for _ in range(RUNS)
        )

    return {
        "engine: copy of a core state, us": median_us(state.copy, 20_000),
        "engine: observation with JSON, us": median_us(lambda: json.dumps(observe(game, 0, view)), 300),
        "engine: replay of a record, us": median_us(lambda: replay(record), 10),
    }


def measure() -> dict[str, float]:
    """All figures, name to value."""
    return {**playouts(), **costs()}


if __name__ == "__main__":
    for name, value in measure().items():
        sys.stdout.write(f"{name}: {value:,.1f}\n")
