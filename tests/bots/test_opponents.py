"""What a search expects of the others, and what it makes of few tries."""

from __future__ import annotations

import math
import random
import time

import pytest

from bots.search.bandit import Arms
from bots.search.duct import Tree
from bots.search.evaluation import Evaluation, tuned_weights
from bots.search.limits import Clock
from bots.search.lookahead import lookahead
from bots.search.opponents import estimates, hasty
from bots.search.root import Root, read_root
from montego_bot import read_ask
from tests.bots.test_search import first_ask
from tests.bots.test_search_positions import UNSEEN, hiring

CODES = [big | little << 3 for big in range(1, 6) for little in range(1, 6)]


def worth(code: int) -> float:
    return 0.02 * (code & 7) - 0.03 * (code >> 3)


def grown(root: Root, tries: int, looking: bool = False) -> Tree:
    players = root.tables.players
    tree = Tree(root, Evaluation(root.tables, tuned_weights(players)), random.Random(1))
    tree.looking = looking
    for _ in range(tries):
        tree.iterate()
    return tree


def test_a_choice_that_was_not_tried_is_worth_what_its_cards_bring() -> None:
    tries = [0 if code == CODES[-1] else 200 for code in CODES]
    found = estimates(CODES, [worth(code) if count else 0.0 for code, count in zip(CODES, tries, strict=True)], tries)
    assert found == pytest.approx([worth(code) for code in CODES], abs=0.02)


def test_a_lucky_try_counts_for_little_and_many_of_them_for_much() -> None:
    means = [1.0 if code == CODES[0] else 0.2 for code in CODES]
    lucky = estimates(CODES, means, [1] * len(CODES))
    proven = estimates(CODES, means, [1000] * len(CODES))
    assert lucky[0] < 0.4
    assert proven[0] > 0.9


def test_estimates_of_few_tries_are_closer_to_the_truth_than_their_means() -> None:
    dice = random.Random(7)
    means = [worth(code) + dice.gauss(0, 0.05) for code in CODES]

    def off(values: list[float]) -> float:
        middle = sum(values) / len(values) - sum(map(worth, CODES)) / len(CODES)
        return sum((value - middle - worth(code)) ** 2 for value, code in zip(values, CODES, strict=True))

    assert off(estimates(CODES, means, [4] * len(CODES))) < 0.6 * off(means)


def test_nothing_tried_is_no_difference() -> None:
    assert estimates(CODES, [0.0] * len(CODES), [0] * len(CODES)) == [0.0] * len(CODES)


def test_a_hasty_rival_takes_the_best_the_surer_the_less_luck_there_is() -> None:
    values = [0.3 if code == CODES[4] else 0.25 for code in CODES]
    calm, wild = (hasty(CODES, values, spread, 1000).count(CODES[4]) for spread in (0.03, 0.5))
    assert calm > 900
    assert 40 < wild < 150
    assert len(hasty(CODES, values, 0.5, 1000)) == pytest.approx(1000, abs=len(CODES))


def test_what_is_expected_of_a_rival_is_what_lookahead_does_more_often_than_by_chance() -> None:
    root, _ = read_root(first_ask(4), "seed")
    seen = grown(root, 400, looking=True).seen()
    evaluation = Evaluation(root.tables, tuned_weights(4))
    dice = random.Random(3)
    hits = 0.0
    for seat, (values, spread) in enumerate(seen):
        rival = Root(root.tables, root.state, seat, root.codes)
        expected = hasty(list(root.codes), values, spread, 1000)
        for _ in range(10):
            code = lookahead(rival, evaluation, dice, Clock(8, 0.0, math.inf, time.monotonic))
            hits += expected.count(code) / len(expected)
    assert hits / 40 > 2 / 25


def test_half_of_what_is_expected_is_what_the_tree_chose() -> None:
    root, _ = read_root(first_ask(3), "seed")
    tree = grown(root, 100, looking=True)
    seen = tree.seen()
    expected = tree.expected(seen)
    assert sorted(expected) == [0, 1, 2]
    assert all(len(codes) == pytest.approx(200, abs=13) for codes in expected.values())


def test_a_look_around_tries_every_choice_before_any_twice() -> None:
    arms = Arms([0.0] * 25, list(range(25)))
    assert sorted(arms.any(0.99) for _ in range(25)) == list(range(25))
    assert [arms.any(draw) for draw in (0.0, 0.5, 0.99)] == [0, 12, 24]


def test_both_ways_to_hire_and_to_decline_are_compared_with_cards_of_their_own() -> None:
    question = hiring(coins=6, stack=8, unseen=UNSEEN)
    seats = question["observation"]["seats"]
    seats[0]["coins"] = seats[1]["coins"] = 3
    root, _ = read_root(read_ask(question), "seed")
    plans, chosen = grown(root, 300).hiring()
    assert {plan.code for plan in plans} == set(root.codes)
    assert all((plan.cards >= 64) == (plan.code != root.codes[0]) for plan in plans)
    # Whoever hires Jack afterwards chooses another kind of cards: these are not among what is expected.
    assert all(code < 64 for codes in chosen.values() for code in codes)


def test_answers_that_were_hardly_looked_at_are_not_compared() -> None:
    root, _ = read_root(read_ask(hiring(stack=8, unseen=UNSEEN)), "seed")
    assert grown(root, 2).hiring() == ([], {})
