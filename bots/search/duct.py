"""Rung `duct`: decoupled UCT, a search tree in which all who choose at the same time learn for themselves.

An iteration walks down the tree from the question, adds one node, lets the quick player finish the round, and takes the
evaluation's chances back up: every seat that chose on the way learns what its choice brought itself. Where cards are
chosen, each seat has its own statistics, and no seat knows what the others choose in the same iteration. Loads, unloads
and hiring are nodes of one seat; loads start from what the quick player thinks of them. Hidden ships are dealt anew in
each iteration. In the end the choice that was tried most is taken.

Where the question is which cards to play, the last part of the iterations goes into a run-off: the choices that were
tried most, one against the other in the same samples, in which the others choose as often as they did in the tree.
Chances differ by a hundredth or two, and luck by far more; in the same samples it strikes all alike.
"""

from __future__ import annotations

import random
from math import inf, log, sqrt
from typing import Final

from bots.search.clock import Clock
from bots.search.evaluation import Evaluation
from bots.search.flat import Flat
from bots.search.halving import halve
from bots.search.quick import Quick
from bots.search.root import Root
from service.engine.core import flow
from service.engine.core.layout import KEY, LOAD, PHASE, PLAY, ROUND, SEAT, SHUFFLE, State
from service.engine.core.play import play_key

ITERATIONS: Final = 3000
"""Iterations, where the number is fixed."""

EXPLORE: Final = 0.15
"""How much a choice that was tried less often gets a chance: chances to win differ by a few hundredths mostly."""

TREE: Final = 0.6
"""The part of the iterations that goes into the tree where cards are chosen; the rest is for the run-off."""

FINALISTS: Final = 8
"""How many choices are in the run-off."""


class Arms:
    """The choices of one seat at one node: how often each was tried, and what it brought the seat on average."""

    __slots__ = ("_untried", "_widths", "means", "total", "tries")

    def __init__(self, means: list[float], untried: list[int]) -> None:
        """`untried`: choices that are tried before all others, the last one first. If there are none, the means given
        count as one try each."""
        first = 0 if untried else 1
        self.means = means
        self.tries = [first] * len(means)
        self.total = first * len(means)
        self._widths = [1.0] * len(means)
        self._untried = untried

    def select(self) -> int:
        """The choice to try next: the highest upper bound (UCB1)."""
        if self._untried:
            return self._untried.pop()
        wide = EXPLORE * sqrt(log(self.total + 1))
        widths = self._widths
        best, highest = 0, -inf
        for arm, mean in enumerate(self.means):
            bound = mean + wide * widths[arm]
            if bound > highest:
                best, highest = arm, bound
        return best

    def learn(self, arm: int, chance: float) -> None:
        """A try of a choice has brought this chance to win."""
        tries = self.tries[arm] + 1
        self.tries[arm] = tries
        self.total += 1
        self.means[arm] += (chance - self.means[arm]) / tries
        self._widths[arm] = 1 / sqrt(tries)

    def best(self) -> int:
        """The choice that was tried most; of equal ones, the better."""
        return max(range(len(self.means)), key=lambda arm: (self.tries[arm], self.means[arm]))


class Node:
    """A question in the tree: the arms of each seat that answers it, and what follows, by choices and next question,
    both in one number (ARM, NEXT). A child that is None has come up once."""

    __slots__ = ("arms", "children")

    def __init__(self, arms: list[Arms]) -> None:
        self.arms = arms
        self.children: dict[int, Node | None] = {}


Choice = tuple[Arms, int, int]
"""Arms, which of them, and whose."""

ARM: Final = 7
NEXT: Final = 16
"""Bits for an arm, of which there are 100 at most; and for the next question: its key, and two of them for its seat."""


class Tree:
    """The tree of one question."""

    def __init__(self, root: Root, evaluation: Evaluation, dice: random.Random) -> None:
        self._root, self._evaluation, self._dice = root, evaluation, dice
        self._quick = Quick(evaluation, root.state, dice.random)
        self._round = root.state[ROUND]
        even = [1.0 / root.tables.players] * root.tables.players
        self._top = self._node(root.state, even)

    def iterate(self) -> None:
        """One iteration."""
        s = self._root.redealt(self._dice.random)
        path: list[Choice] = []
        chances = self._walk(s, path)
        for arms, arm, seat in path:
            arms.learn(arm, chances[seat])

    def _walk(self, s: State, path: list[Choice]) -> list[float]:
        """Down the tree and on to the end of the round: the seats' chances there. The choices made go on the path."""
        node = self._top
        while True:
            key = self._cards(node, s, path) if s[PHASE] == PLAY else self._alone(node, s, path)
            if s[ROUND] != self._round or s[PHASE] >= SHUFFLE:
                return self._evaluation.chances(s)
            child = node.children.get(key)
            if child is None:
                # A question becomes a node when it comes up again: most never do.
                here = s.copy() if key in node.children else None
                self._quick.finish(s)
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
        """In a card phase: the numbers of the choices of the root's seat that were tried most."""
        arms = self._top.arms[self._root.seat]
        ranked = sorted(range(len(arms.tries)), key=lambda arm: (arms.tries[arm], arms.means[arm]), reverse=True)
        return ranked[:FINALISTS]

    def chosen(self) -> dict[int, list[int]]:
        """In a card phase: the codes that each seat chose, each as often as it did."""
        t, s = self._root.tables, self._root.state
        found = {}
        for seat, arms in enumerate(self._top.arms):
            codes = t.options[play_key(s, seat)]
            found[seat] = [code for code, tries in zip(codes, arms.tries, strict=False) for _ in range(tries)]
        return found

    def _cards(self, node: Node, s: State, path: list[Choice]) -> int:
        """All seats choose cards; none sees what another one does."""
        t = self._root.tables
        chosen = [arms.select() for arms in node.arms]
        step = 0
        for seat, arm in enumerate(chosen):
            code = t.options[play_key(s, seat)][arm]
            path.append((node.arms[seat], arm, seat))
            flow.choose(s, t, seat, code, None)
            step = step << ARM | arm
        return step << NEXT | s[KEY] << 2 | s[SEAT]

    def _alone(self, node: Node, s: State, path: list[Choice]) -> int:
        """The seat whose turn it is hires, loads or unloads."""
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
        gains = self._quick.gains(s)
        # What the quick player would do brings what it has just brought; the rest is worse by the slope of the softmax.
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
    """The code of the choice that is best. An iteration of the clock is one walk down the tree, or one try after it."""
    tree = Tree(root, evaluation, dice)
    part = TREE if root.state[PHASE] == PLAY else 1.0
    done = 0
    while clock.used(done) < part and clock.allows(done):
        tree.iterate()
        done += 1
    if part == 1.0 or clock.out_of_time:
        return tree.best()
    flat = Flat(root, evaluation, dice.random)
    flat.likely = tree.chosen()
    return halve(flat, tree.finalists(), clock, done)
