"""Rung `duct`: decoupled UCT, a search tree for simultaneous choices in which every seat keeps its own statistics.

An iteration walks down the tree from the question, adds one node, finishes the round with the rollout policy, and takes
the evaluation's chances back up: every seat that chose on the way learns what its own choice brought. Where cards are
chosen, no seat knows what the others choose in the same iteration. Loads, unloads and hiring are nodes of one seat;
loads start from the gains that the rollout policy sees in them. Hidden ships are dealt anew in each iteration. In the
end the choice that was tried most is taken.

If the question is which cards to play, the last part of the iterations goes into a run-off between the choices that
were tried most and those that look best by their single cards, all in the same samples. Chances differ by a hundredth
or two and luck by far more, but in the same samples luck is the same for all. Half of the time the others choose there
as often as they did in the tree, half of the time like a player who looks one step ahead (`opponents`); for that, the
tree begins with tries against random choices. Whether to hire Jack is settled by a run-off too: what counts is the best
cards after each answer, and the tree only knows the mean of those that it tries.
"""

from __future__ import annotations

import random
from typing import Final

from bots.search.bandit import Arms, Node, halve
from bots.search.evaluation import Evaluation
from bots.search.flat import FlatSearch, SearchPlan
from bots.search.limits import Clock
from bots.search.opponents import hasty
from bots.search.rollout import Rollout
from bots.search.root import Root
from service.engine.core import flow
from service.engine.core.layout import HIRE, JACK_SEAT, KEY, LOAD, PHASE, PLAY, ROUND, SEAT, SHUFFLE, State
from service.engine.core.play import play_key

ITERATIONS: Final = 3000
"""Iterations by default."""

LOOK: Final = 0.25
"""In a card phase: the part of the iterations in which all seats choose at random."""

TREE: Final = 0.5
"""The part of the iterations after which the run-off begins."""

FINALISTS: Final = 8
"""How many choices are in the run-off."""

HANDS: Final = 6
"""How many choices of cards are in the run-off for each answer, if the question is whether to hire Jack."""


Choice = tuple[Arms, int, int]
"""The arms, the index of the one that was chosen, and the seat."""

ARM: Final = 7
NEXT: Final = 16
"""Bits for an arm (there are at most 100), and for the next question: its key, and two bits for its seat."""


class Tree:
    """The tree of one question."""

    def __init__(self, root: Root, evaluation: Evaluation, dice: random.Random) -> None:
        self._root, self._evaluation, self._dice = root, evaluation, dice
        self._rollout = Rollout(evaluation, root.state, dice.random)
        self._round = root.state[ROUND]
        even = [1.0 / root.tables.players] * root.tables.players
        self._top = self._node(root.state, even)
        self.looking = False
        """Whether cards are chosen at random at the top."""

    def iterate(self) -> None:
        """One iteration."""
        s = self._root.redealt(self._dice.random)
        path: list[Choice] = []
        chances = self._walk(s, path)
        for arms, arm, seat in path:
            arms.learn(arm, chances[seat])

    def _walk(self, s: State, path: list[Choice]) -> list[float]:
        """Walks down the tree and on to the end of the round. Returns the seats' chances there, and adds to the
        path."""
        node = self._top
        while True:
            key = self._cards(node, s, path) if s[PHASE] == PLAY else self._alone(node, s, path)
            if s[ROUND] != self._round or s[PHASE] >= SHUFFLE:
                return self._evaluation.chances(s)
            child = node.children.get(key)
            if child is None:
                # A question becomes a node when it comes up a second time; most never do.
                here = s.copy() if key in node.children else None
                self._rollout.finish(s)
                chances = self._evaluation.chances(s)
                node.children[key] = None if here is None else self._node(here, chances)
                return chances
            node = child

    def best(self) -> int:
        """The code of the choice that was tried most."""
        root = self._root
        arms = self._top.arms
        return root.codes[(arms[root.seat] if len(arms) > 1 else arms[0]).best()]

    def finalists(self) -> list[int]:
        """In a card phase: the numbers of the choices of the root's seat that are worth a closer look."""
        seat = self._root.seat
        return self._top.arms[seat].finalists(self._codes(self._root.state, seat), FINALISTS)

    def seen(self) -> list[tuple[list[float], float]]:
        """In a card phase: the estimated chance of each choice so far, and the spread of the chances, by seat."""
        s = self._root.state
        return [(arms.estimates(self._codes(s, seat)), arms.spread()) for seat, arms in enumerate(self._top.arms)]

    def expected(self, seen: list[tuple[list[float], float]]) -> dict[int, list[int]]:
        """In a card phase: the codes to expect of each seat. Half of them are its choices in the tree, each as often as
        it was tried; half are those of a player who looks one step ahead, by what was seen against random choices."""
        found = {}
        for seat, (values, spread) in enumerate(seen):
            codes = self._codes(self._root.state, seat)
            patient = self._top.arms[seat].tried(codes)
            found[seat] = patient + hasty(codes, values, spread, len(patient))
        return found

    def hiring(self) -> tuple[list[SearchPlan], dict[int, list[int]]]:
        """In a hire phase: each answer with the cards that did well after it, and the codes that each seat without Jack
        chose. There are no plans if an answer was hardly tried."""
        plans: list[SearchPlan] = []
        chosen: dict[int, list[int]] = {}
        for arm, code in enumerate(self._root.codes):
            s = self._root.state.copy()
            node = self._after(s, arm)
            if node is None:
                return [], {}
            for seat, arms in enumerate(node.arms):
                codes = self._codes(s, seat)
                if seat == self._root.seat:
                    plans += [SearchPlan(code, codes[number]) for number in arms.finalists(codes, HANDS)]
                elif s[JACK_SEAT] != seat:
                    chosen[seat] = chosen.get(seat, []) + arms.tried(codes)
        return plans, chosen

    def _after(self, s: State, arm: int) -> Node | None:
        """In a hire phase: the choice of cards after an answer, if the others answer as they mostly did."""
        t = self._root.tables
        node: Node | None = self._top
        while node is not None and s[PHASE] == HIRE:
            flow.apply(s, t, t.options[s[KEY]][arm], None)
            node = node.children.get(arm << NEXT | s[KEY] << 2 | s[SEAT])
            if node is not None and s[PHASE] == HIRE:
                arm = node.arms[0].best()
        return node

    def _codes(self, s: State, seat: int) -> list[int]:
        """The choices of cards that a seat has."""
        codes = self._root.tables.options[play_key(s, seat)]
        return codes[:1] if seat in self._root.resigned else codes

    def _cards(self, node: Node, s: State, path: list[Choice]) -> int:
        """Lets all seats choose cards, none of which sees the choice of another."""
        t = self._root.tables
        looking = self.looking and node is self._top
        chosen = [arms.any(self._dice.random()) if looking else arms.select() for arms in node.arms]
        step = 0
        for seat, arm in enumerate(chosen):
            code = t.options[play_key(s, seat)][arm]
            path.append((node.arms[seat], arm, seat))
            flow.choose(s, t, seat, code, None)
            step = step << ARM | arm
        return step << NEXT | s[KEY] << 2 | s[SEAT]

    def _alone(self, node: Node, s: State, path: list[Choice]) -> int:
        """Lets the seat to act answer an offer of Jack, load or unload."""
        t = self._root.tables
        arms = node.arms[0]
        arm = arms.select()
        path.append((arms, arm, s[SEAT]))
        flow.apply(s, t, t.options[s[KEY]][arm], None)
        return arm << NEXT | s[KEY] << 2 | s[SEAT]

    def _node(self, s: State, chances: list[float]) -> Node:
        t = self._root.tables
        if s[PHASE] == PLAY:
            return Node([self._any_order(seat, len(t.options[play_key(s, seat)])) for seat in range(t.players)])
        seat = s[SEAT]
        if s[PHASE] < LOAD or seat in self._root.resigned:
            return Node([self._any_order(seat, len(t.options[s[KEY]]))])
        gains = self._rollout.gains(s)
        # The choice of the rollout policy gets the chance it has just brought; others get less, by the slope of the
        # softmax.
        highest, slope = max(gains), chances[seat] * (1 - chances[seat])
        return Node([Arms([chances[seat] + slope * (gain - highest) for gain in gains], [])])

    def _any_order(self, seat: int, choices: int) -> Arms:
        if seat in self._root.resigned:
            # Its first legal action is played for it.
            return Arms([0.0], [0])
        order = list(range(choices))
        self._dice.shuffle(order)
        return Arms([0.0] * choices, order)


def duct(root: Root, evaluation: Evaluation, dice: random.Random, clock: Clock) -> int:
    """The code of the best choice. An iteration of the clock is one walk down the tree, or one try in the run-off."""
    tree = Tree(root, evaluation, dice)
    if root.state[PHASE] == PLAY:
        return _cards(tree, root, evaluation, dice, clock)
    if root.state[PHASE] == HIRE:
        return _hire(tree, root, evaluation, dice, clock)
    _grow(tree, clock, 1.0, 0)
    return tree.best()


def _cards(tree: Tree, root: Root, evaluation: Evaluation, dice: random.Random, clock: Clock) -> int:
    tree.looking = True
    done = _grow(tree, clock, LOOK, 0)
    tree.looking = False
    seen = tree.seen()
    done = _grow(tree, clock, TREE, done)
    if clock.out_of_time:
        return tree.best()
    flat = FlatSearch(root, evaluation, dice.random)
    flat.likely = tree.expected(seen)
    return halve(flat, tree.finalists(), clock, done)


def _hire(tree: Tree, root: Root, evaluation: Evaluation, dice: random.Random, clock: Clock) -> int:
    done = _grow(tree, clock, TREE, 0)
    plans, chosen = tree.hiring()
    if clock.out_of_time or not plans:
        return tree.best()
    flat = FlatSearch(root, evaluation, dice.random)
    flat.likely = chosen
    return halve(flat, [flat.plans.index(plan) for plan in plans], clock, done)


def _grow(tree: Tree, clock: Clock, until: float, done: int) -> int:
    """Iterates until a part of the clock is used. Returns the number of iterations so far."""
    while clock.used(done) < until and clock.allows(done):
        tree.iterate()
        done += 1
    return done
