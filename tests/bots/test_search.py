"""What the searching rungs keep to: answers that can be repeated, their time, and the rules."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bots.inprocess import play, question
from bots.reference import NoSearchError, make_bot
from bots.search import SearchBot, SearchLimits
from bots.search.duct import duct
from bots.search.evaluation import FEATURES, Evaluation, features, stage_of, tuned_weights
from bots.search.lookahead import lookahead
from bots.search.montecarlo import montecarlo
from bots.search.root import read_root
from montego_bot import Action, Ask, Bot, read_ask
from service.engine.components import standard_components
from service.engine.core import flow
from service.engine.core.layout import OVER, PHASE, ROUND, SHUFFLE, STACK
from service.engine.game import Game
from service.engine.setup import Reshuffles, Setup, Variants, draw_setup

SEARCHES = {"lookahead": lookahead, "montecarlo": montecarlo, "duct": duct}
LITTLE = {"lookahead": 1, "montecarlo": 40, "duct": 40}


def new_game(players: int, seed: str = "search") -> Game:
    components = standard_components(players)
    return Game.deal(players, Variants(), components, draw_setup(components, players, seed), Reshuffles(seed)).game


def first_ask(players: int = 4, **changes: int | None) -> Ask:
    game = new_game(players)
    return read_ask(question(game, game.decisions[0]) | changes)


class Twice(Bot):
    """A bot that is asked twice, as two objects."""

    def __init__(self, rung: str, seed: str) -> None:
        self.asked = 0
        self._twins = [make_bot(rung, name=name, seed=seed, limits=SearchLimits(LITTLE[rung])) for name in ("a", "b")]

    def act(self, ask: Ask) -> Action:
        self.asked += 1
        one, other = (twin.act(ask) for twin in self._twins)
        assert isinstance(one, Action)
        assert one == other
        return one


@pytest.mark.parametrize("rung", SEARCHES)
@pytest.mark.parametrize(
    ("players", "variants"), [(2, Variants("circuit", "unpaid", 3)), (3, Variants()), (4, Variants())]
)
def test_whole_games_are_played_legally_and_a_question_has_one_answer(
    rung: str, players: int, variants: Variants
) -> None:
    bots = [Twice(rung, str(seat)) for seat in range(players)]
    assert play(bots, "whole", variants).ended == "played"
    assert all(bot.asked > 5 for bot in bots)


def test_the_answers_do_not_hang_on_the_process() -> None:
    code = (
        "from bots.reference import make_bot; from bots.inprocess import play; from bots.search import SearchLimits;"
        "bots = [make_bot(rung, limits=SearchLimits(30)) for rung in ('duct', 'montecarlo')];"
        "print(play(bots, 'processes').points)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": salt}, capture_output=True, text=True, check=True
        )
        for salt in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout


def test_what_a_bot_cannot_see_does_not_change_its_answer() -> None:
    """Two games that differ in the order of the stack only."""
    components = standard_components(4)
    setup = draw_setup(components, 4, "hidden")
    turned = Setup(setup.warehouses, (*setup.ships[:3], *reversed(setup.ships[3:])), setup.order)
    bot = make_bot("duct", limits=SearchLimits(100))
    answers = []
    for dealt in (setup, turned):
        game = Game.deal(4, Variants(), components, dealt, Reshuffles("hidden")).game
        answers.append(bot.act(read_ask(question(game, game.decisions[0]))))
    assert answers[0] == answers[1]


def test_each_try_deals_the_hidden_ships_anew_and_leaves_the_root_alone() -> None:
    root, _ = read_root(first_ask(), "seed")
    before = root.state.copy()
    dice = random.Random(1)
    tops = {root.redealt(dice.random)[-1] for _ in range(300)}
    assert root.state == before
    assert tops == set(before[STACK:])


def ticking(milliseconds: float) -> Iterator[float]:
    return (n * milliseconds / 1000 for n in itertools.count())


@pytest.mark.parametrize("rung", SEARCHES)
@pytest.mark.parametrize("iterations", [None, 1_000_000])
def test_a_search_stops_before_its_budget_is_used_up(rung: str, iterations: int | None) -> None:
    clock = ticking(1.0)
    now = 0.0

    def read() -> float:
        nonlocal now
        now = next(clock)
        return now

    bot = SearchBot(SEARCHES[rung], SearchLimits(iterations), "b", "b", read)
    bot.act(first_ask(budget_ms=300, bank_ms=0))
    # It reads the clock at least once a try, and each reading takes a millisecond: 300 are its limit.
    assert 0.1 < now < 0.25


@pytest.mark.parametrize("rung", SEARCHES)
def test_a_search_without_any_time_left_answers_all_the_same(rung: str) -> None:
    ask = first_ask(budget_ms=1, bank_ms=0)
    bot = SearchBot(SEARCHES[rung], SearchLimits(None), "b", "b", lambda: 5.0)
    assert bot.act(ask) in ask.legal_actions


def test_thinking_by_the_clock_uses_a_part_of_the_bank_only() -> None:
    clock = SearchLimits(None).clock(1000 + 5000, 5000, lambda: 0.0)
    assert 0.9 < clock.seconds < 1.1
    assert SearchLimits(None, seconds=3.0).clock(None, None, lambda: 0.0).seconds == 3.0


def test_fixed_iterations_do_not_hang_on_the_time_that_is_left() -> None:
    clock = SearchLimits(100).clock(60_000, 0, lambda: 0.0)
    assert (clock.used(50), clock.allows(99), clock.allows(100)) == (0.5, True, False)
    assert SearchLimits(100).clock(None, None, lambda: 0.0).seconds == math.inf


def test_no_iterations_are_refused() -> None:
    with pytest.raises(ValueError, match="iterations must be 1 or more, not 0"):
        SearchLimits(0)
    with pytest.raises(NoSearchError, match="greedy does not search"):
        make_bot("greedy", limits=SearchLimits(5))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_fast_evaluation_is_the_sum_of_the_features(players: int) -> None:
    """In a game of random play: `Evaluation`, with all that it keeps, against the features one by one."""
    root, config = read_root(first_ask(players), "seed")
    s, t, dice = root.state, root.tables, random.Random(players)
    weights = tuned_weights(players)
    evaluation = Evaluation(config.tables, weights)
    seen = 1
    while s[PHASE] != OVER:
        if s[PHASE] == SHUFFLE:
            flow.reshuffle(s, t, dice.sample(range(t.workers), t.workers), None)
        elif s[ROUND] > seen:
            seen = s[ROUND]
            row = weights[stage_of(s)]
            slow = [sum(w * f for w, f in zip(row, own, strict=True)) for own in features(s, t)]
            assert evaluation.values(s) == pytest.approx(slow)
            assert sum(evaluation.chances(s)) == pytest.approx(1.0)
            assert all(len(own) == len(FEATURES) for own in features(s, t))
        flow.apply(s, t, dice.choice(flow.legal(s, t)), None)
    assert seen > 3
    assert sum(evaluation.chances(s)) == 1.0
