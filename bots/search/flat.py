"""FlatSearch search: every action tried a number of times against others who choose at random, without a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from bots.search.evaluation import Evaluation
from bots.search.rollout import Rollout
from bots.search.root import Root
from service.engine.core import flow
from service.engine.core.layout import HIRE, JACK_SEAT, KEY, PHASE, PLAY, SEAT, State
from service.engine.core.play import play_key

NO_CARDS = 0


class SearchPlan(NamedTuple):
    """What the seat does: the action, and after hiring or declining Jack the cards that follow."""

    code: int
    cards: int


class FlatSearch:
    """Plays the round on from a root for one plan, evaluates the position that results, and keeps the means."""

    def __init__(self, root: Root, evaluation: Evaluation, random: Callable[[], float]) -> None:
        self._root, self._evaluation, self._random = root, evaluation, random
        self._rollout = Rollout(evaluation, root.state, random)
        self.plans = self._plans()
        self._totals = [0.0] * len(self.plans)
        self._tries = [0] * len(self.plans)
        self.likely: dict[int, list[int]] = {}
        """By seat: the choices of cards that are expected of it. A seat that is not listed may choose any."""

    def sample(self) -> State:
        """The root with the hidden ships dealt anew and, in a card phase, random cards of all other seats."""
        s = self._root.redealt(self._random)
        if s[PHASE] == PLAY:
            self._others_choose(s)
        return s

    def learn(self, number: int, sample: State) -> None:
        """Tries a plan in a sample, which does not change."""
        self._totals[number] += self._chance(self.plans[number], sample.copy())
        self._tries[number] += 1

    def look(self) -> list[tuple[int, float]]:
        """In a card phase: tries random cards of all seats at once. By seat: the code that it chose and its chance to
        win."""
        root, t = self._root, self._root.tables
        s = root.redealt(self._random)
        codes = [self._any(seat, t.options[play_key(s, seat)]) for seat in range(t.players)]
        for seat, code in enumerate(codes):
            flow.choose(s, t, seat, code, None)
        self._rollout.finish(s)
        chances = self._evaluation.chances(s)
        return list(zip(codes, chances, strict=True))

    def mean(self, number: int) -> float:
        """The mean chance to win with a plan; -1 if it has not been tried."""
        return self._totals[number] / self._tries[number] if self._tries[number] else -1.0

    def heads(self) -> list[int]:
        """The best plan of each action (in a hire phase an action has several plans), the best action first.

        The plans are to be compared in new tries, so all means are reset: the best of many plans owes more to luck than
        the best of few, and hiring has more plans than declining.
        """
        codes = dict.fromkeys(plan.code for plan in self.plans)
        numbers = range(len(self.plans))
        heads = [max((n for n in numbers if self.plans[n].code == code), key=self.mean) for code in codes]
        heads.sort(key=self.mean, reverse=True)
        self._totals = [0.0] * len(self.plans)
        self._tries = [0] * len(self.plans)
        return heads

    def best(self, numbers: Iterable[int]) -> int:
        """The code of the best of some plans; among equals, the first."""
        return self.plans[max(numbers, key=self.mean)].code

    def _plans(self) -> list[SearchPlan]:
        root = self._root
        if root.state[PHASE] != HIRE:
            return [SearchPlan(code, NO_CARDS) for code in root.codes]
        plans = []
        for code in root.codes:
            s = root.state.copy()
            flow.apply(s, root.tables, code, None)
            plans += [SearchPlan(code, cards) for cards in root.tables.options[play_key(s, root.seat)]]
        return plans

    def _chance(self, plan: SearchPlan, s: State) -> float:
        root, t = self._root, self._root.tables
        if s[PHASE] == PLAY:
            flow.choose(s, t, root.seat, plan.code, None)
        elif s[PHASE] != HIRE:
            flow.apply(s, t, plan.code, None)
        else:
            flow.apply(s, t, plan.code, None)
            while s[PHASE] == HIRE:
                flow.apply(s, t, self._any(s[SEAT], t.options[s[KEY]]), None)
            self._others_choose(s)
            flow.choose(s, t, root.seat, plan.cards, None)
        self._rollout.finish(s)
        return self._evaluation.chances(s)[root.seat]

    def _others_choose(self, s: State) -> None:
        t = self._root.tables
        for seat in range(t.players):
            if seat != self._root.seat:
                codes = t.options[play_key(s, seat)]
                if s[JACK_SEAT] != seat or self._root.state[PHASE] == PLAY:
                    codes = self.likely.get(seat) or codes
                flow.choose(s, t, seat, self._any(seat, codes), None)

    def _any(self, seat: int, codes: list[int]) -> int:
        return codes[0] if seat in self._root.resigned else codes[int(self._random() * len(codes))]
