"""The rollout policy: it finishes rounds quickly where a search does not look.

Cards are drawn at random. Loads and unloads are those that gain most at once by the evaluation, whatever the others may
do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from bots.search.evaluation import PAID_NOW, Evaluation, Row, stage_of
from service.engine.core import flow
from service.engine.core.layout import (
    ABOARD,
    BERTH,
    DIGIT,
    DOCK,
    FREE,
    HAND,
    KEY,
    LAST_DOCK,
    LOAD,
    LOWEST,
    NO_SHIP,
    PHASE,
    ROUND,
    SEAT,
    SHUFFLE,
    State,
)
from service.engine.core.lookup_tables import MAX_GOOD

LEFTOVER: Final = 1.0
"""The value in points of a barrel that is still in hand when a ship has been filled."""

Splits = list[tuple[int, int, int, int, int]]
"""By option: the barrels for each dock, and those that stay in hand."""

NO_GAINS: Final = (0.0,) * (MAX_GOOD + 1)
"""The gains at an empty dock."""


@cache
def all_splits() -> dict[int, Splits]:
    """The splits by the key of the options, as far as they have come up in this process."""
    return {}


def split(code: int, hand: int) -> tuple[int, int, int, int, int]:
    """The split of the barrels in hand by the code of a load or unload."""
    a, b, c, d = code & LOWEST, code >> DIGIT & LOWEST, code >> 2 * DIGIT & LOWEST, code >> 3 * DIGIT & LOWEST
    return a, b, c, d, hand - a - b - c - d


class Rollout:
    """Finishes rounds that began in the same position."""

    def __init__(self, evaluation: Evaluation, s: State, random: Callable[[], float]) -> None:
        self._evaluation = evaluation
        self._tables = evaluation.tables
        self._random = random
        self._round: int = s[ROUND]
        self._stage = stage_of(s)
        self._point = evaluation.points(self._stage)
        self._left = LEFTOVER * self._point
        self._rivals = evaluation.tables.players - 1
        self._splits = all_splits()
        self._best: dict[tuple[int, ...], int] = {}
        self._known = evaluation.gains(self._stage)

    def finish(self, s: State) -> None:
        """Plays the round on to the start of the next one, to a shuffle of the order, or to the end of the game."""
        t, random, now = self._tables, self._random, self._round
        while s[ROUND] == now:
            phase = s[PHASE]
            if phase >= LOAD:
                if phase >= SHUFFLE:
                    return
                code = self.best(s)
            else:
                codes = t.options[s[KEY]]
                code = codes[int(random() * len(codes))]
            flow.apply(s, t, code, None)

    def best(self, s: State) -> int:
        """The load or unload that gains most at once."""
        # All that it depends on, from the docks to the key, is one slice of the state.
        question = tuple(s[DOCK : KEY + 1])
        code = self._best.get(question)
        if code is None:
            gains = self.gains(s)
            code = self._best[question] = self._tables.options[s[KEY]][gains.index(max(gains))]
        return code

    def gains(self, s: State) -> list[float]:
        """The gain of each legal load or unload in values of the evaluation: the own gain less the others' mean."""
        key = s[KEY]
        splits = self._splits.get(key)
        if splits is None:
            hand = s[HAND]
            splits = self._splits[key] = [split(code, hand) for code in self._tables.options[key]]
        front, second, third, back = self._gain(s, 0), self._gain(s, 1), self._gain(s, 2), self._gain(s, 3)
        left = self._left
        return [front[a] + second[b] + third[c] + back[d] + left * rest for a, b, c, d, rest in splits]

    def _gain(self, s: State, dock: int) -> Row:
        """By number of barrels: what the seat to act gains by putting them on a ship, or taking them back.

        The row is at least as long as is needed for the barrels in hand.
        """
        field = DOCK + BERTH * dock
        ship = s[field]
        if ship == NO_SHIP:
            return NO_GAINS
        # In the last round every ship is paid at its end; otherwise the front ship is paid, and the rest move up.
        berth = PAID_NOW if dock == 0 or s[LAST_DOCK] == NO_SHIP else dock - 1
        seat, row, hand = s[SEAT], s[field + ABOARD], s[HAND]
        key = (row << 7 | ship) << 5 | berth << 3 | seat << 1 | (1 if s[PHASE] == LOAD else 0)
        found = self._known.get(key)
        if found is None or len(found) <= hand:
            if s[PHASE] == LOAD:
                found = self._by_loading(ship, row, berth, seat, s[FREE] >> DIGIT * dock & LOWEST, hand)
            else:
                found = self._by_unloading(ship, row, berth, seat, hand)
            self._known[key] = found
        return found

    def _by_loading(self, ship: int, row: int, berth: int, seat: int, free: int, hand: int) -> Row:
        evaluation, stage, one, all_ = self._evaluation, self._stage, 1 << DIGIT * seat, self._rivals + 1
        before = evaluation.ship(stage, berth, ship, row)
        gains = [0.0] * (hand + 1)
        for count in range(1, (free if free < hand else hand) + 1):
            full = count == free
            after = evaluation.ship(stage, PAID_NOW if full else berth, ship, row + count * one)
            own = after[seat] - before[seat]
            others = after[all_] - before[all_] - own
            gains[count] = own + (self._point if full else 0.0) - others / self._rivals
        return tuple(gains)

    def _by_unloading(self, ship: int, row: int, berth: int, seat: int, hand: int) -> Row:
        evaluation, stage, one, all_ = self._evaluation, self._stage, 1 << DIGIT * seat, self._rivals + 1
        before = evaluation.ship(stage, berth, ship, row)
        aboard = row >> DIGIT * seat & LOWEST
        gains = [0.0] * (hand + 1)
        for count in range(1, (aboard if aboard < hand else hand) + 1):
            after = evaluation.ship(stage, berth, ship, row - count * one)
            own = after[seat] - before[seat]
            gains[count] = own - (after[all_] - before[all_] - own) / self._rivals
        return tuple(gains)
