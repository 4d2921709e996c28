"""A quick player for what a search does not look at: it finishes rounds.

Cards are drawn at random. Barrels go where the evaluation gains most at once, without a look at what the others may do;
so do those that must be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from bots.search.evaluation import Evaluation, paid, stage_of
from service.engine.core import flow
from service.engine.core.layout import (
    ABOARD,
    BERTH,
    DIGIT,
    DOCK,
    DOCKS_END,
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
from service.engine.core.options import MOST_BROKEN, MOST_GOOD

LEFTOVER = 1.0
"""Points that a barrel is worth which is still in hand when a ship has been filled."""

D0, D1, D2, D3 = (DOCK + BERTH * dock for dock in range(4))

Splits = list[tuple[int, int, int, int]]


@cache
def split(code: int) -> tuple[int, int, int, int]:
    """The barrels at each dock in the code of a load or unload."""
    return code & LOWEST, code >> DIGIT & LOWEST, code >> 2 * DIGIT & LOWEST, code >> 3 * DIGIT & LOWEST


@cache
def all_splits() -> dict[int, Splits]:
    """The splits by key of the options, as far as they have been met in this process."""
    return {}


class Quick:
    """Finishes the round in which a state is."""

    def __init__(self, evaluation: Evaluation, s: State, random: Callable[[], float]) -> None:
        self._evaluation = evaluation
        self._tables = evaluation.tables
        self._random = random
        self._round = s[ROUND]
        self._stage = stage_of(s)
        self._point = evaluation.points(self._stage)
        self._splits = all_splits()
        self._best: dict[tuple[int, ...], int] = {}
        self._known = evaluation.gains(self._stage)

    def finish(self, s: State) -> None:
        """Plays the root's round on to the start of the next one, to the shuffle of the order, or to the end."""
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
        question = (s[KEY], s[SEAT], *s[DOCK:DOCKS_END])
        code = self._best.get(question)
        if code is None:
            gains = self.gains(s)
            code = self._best[question] = self._tables.options[s[KEY]][gains.index(max(gains))]
        return code

    def gains(self, s: State) -> list[float]:
        """What each legal load or unload gains at once, in the evaluation's values: own gain less the others' mean."""
        key = s[KEY]
        splits = self._splits.get(key)
        if splits is None:
            splits = self._splits[key] = [split(code) for code in self._tables.options[key]]
        front, second, third, back = self._gain(s, D0), self._gain(s, D1), self._gain(s, D2), self._gain(s, D3)
        if s[PHASE] != LOAD:
            return [front[a] + second[b] + third[c] + back[d] for a, b, c, d in splits]
        left = LEFTOVER * self._point
        hand = s[HAND]
        return [front[a] + second[b] + third[c] + back[d] + left * (hand - a - b - c - d) for a, b, c, d in splits]

    def _gain(self, s: State, field: int) -> Sequence[float]:
        """By number of barrels: what the seat that decides gains by putting them on a ship, or taking them back."""
        kind = s[SEAT] << 2 | (s[PHASE] == LOAD) << 1 | (s[LAST_DOCK] == NO_SHIP)
        key = ((s[field + ABOARD] << 7 | s[field]) << 7 | field) << 4 | kind
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._work_out(s, field)
        return found

    def _work_out(self, s: State, field: int) -> Sequence[float]:
        if s[field] == NO_SHIP:
            return [0.0] * (MOST_GOOD + 1)
        t, seat, ship, row = self._tables, s[SEAT], s[field], s[field + ABOARD]
        # In the last round every ship is paid when it ends; else the front one is, and the rest move up.
        dock = 0 if s[LAST_DOCK] == NO_SHIP else (field - DOCK) // BERTH
        free = s[FREE] >> DIGIT * ((field - DOCK) // BERTH) & LOWEST
        if s[PHASE] == LOAD:
            changes = range(1, min(free, MOST_GOOD) + 1)
        else:
            changes = range(-1, -min(row >> DIGIT * seat & LOWEST, MOST_BROKEN) - 1, -1)
        gains = [0.0] * (MOST_GOOD + 1)
        if not changes:
            return gains
        before = self._worth(ship, row, dock)
        own_before, all_before = before[seat], sum(before)
        for change in changes:
            full = change == free and change > 0
            after = self._worth(ship, row + (change << DIGIT * seat), 0 if full else dock)
            own = after[seat] - own_before
            others = sum(after) - all_before - own
            gains[abs(change)] = own + (self._point if full else 0.0) - others / (t.players - 1)
        return gains

    def _worth(self, ship: int, row: int, dock: int) -> Sequence[float]:
        """What a ship with these barrels aboard is worth to each seat, before the front one sails."""
        if dock:
            return self._evaluation.ship(self._stage, dock - 1, ship, row)
        t = self._tables
        return [self._point * points for points in paid(t, ship, row)[: t.players]]
