"""Who plays next on a ladder: a pure function of all that has happened on it so far.

Everything is counted in whole numbers and all chance is drawn from the season's seed, so that anybody who has the log
of a season can compute each of its choices again, on any machine. docs/tournament-math.md says why the rule is as it
is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from service.chance import Draws, shuffled

START_RATING = 1500
"""Pairing rating of an entrant that has not played."""
NEWCOMER_BLOCKS = 60
"""An entrant with fewer finished blocks is a newcomer, and"""
NEWCOMER_WEIGHT = 3
"""its waiting counts so many times."""
MIN_NEAR = 12
"""So many of the others are near however small the field is: ratings that were lucky would support each other."""
REMEMBERED_BLOCKS = 8
"""How many of its latest blocks tell whom an entrant has met recently."""

# In thousandths of a turn: the number of starts after which, on average, it is an entrant's turn again.
_TURN = 1000
_MAX_AGE = 1500
_NOISE = 1350
_MEETING = 1700

# The pairing rating moves by a gain times the difference between score and expectation. Among equals an expected score
# rises by 1 in about 700 points. The gain begins with twice that, since newcomers may be far from where they belong, is
# divided by the number of blocks, and ends at a floor, since opponents move too.
_FIRST_GAIN = 1400
_MIN_GAIN = 20


@dataclass(frozen=True, slots=True)
class EntrantHistory:
    """What matchmaking knows of one entrant.

    number     counts the entrants in the order in which they first entered
    reference  whether it is one of the ladder's reference entrants: they fill up blocks and never lead one
    present    whether it takes part now
    rating     pairing rating: whole points, moved after each block. Only whom one meets depends on it
    finished   blocks that count
    last       number of the block that it last sat in, or of the next one when it entered; None: it leads as soon as it
               can
    recent     its opponents in its latest blocks, newest first
    playing    whether it sits in a block that is not finished
    """

    number: int
    reference: bool = False
    present: bool = True
    rating: int = START_RATING
    finished: int = 0
    last: int | None = None
    recent: tuple[tuple[str, ...], ...] = ()
    playing: bool = False


@dataclass(frozen=True, slots=True)
class LadderState:
    """All that the next block depends on, but for the seed. Each step gives a new state.

    players   seats of a match
    entrants  everybody who ever entered, by name
    open      blocks that are not finished: their members by number
    started   how many blocks have started; the number of the next one
    """

    players: int
    entrants: Mapping[str, EntrantHistory] = field(default_factory=dict)
    open: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    started: int = 0

    def enter(self, name: str, *, reference: bool = False) -> LadderState:
        """An entrant takes part from now on, for the first time or again. Raises ValueError if it does already."""
        known = self.entrants.get(name)
        if known is None:
            return self._with({name: EntrantHistory(len(self.entrants), reference)})
        if known.present:
            raise ValueError(f"{name!r} takes part already")
        # It starts to wait now: who was away for a week is not the one who has waited longest.
        last = None if known.last is None else max(known.last, self.started)
        return self._with({name: replace(known, present=True, last=last)})

    def leave(self, name: str) -> LadderState:
        """An entrant gets no new blocks. One that it sits in goes on. Raises ValueError if it does not take part."""
        known = self.entrants.get(name)
        if known is None or not known.present:
            raise ValueError(f"{name!r} does not take part")
        return self._with({name: replace(known, present=False)})

    def start(self, members: Sequence[str]) -> LadderState:
        """The next block begins. Raises ValueError for members that cannot play it."""
        if len(members) != self.players or len(set(members)) != self.players:
            raise ValueError(f"a block has {self.players} different entrants, not {list(members)}")
        changed: dict[str, EntrantHistory] = {}
        for name in members:
            known = self.entrants.get(name)
            if known is None or not known.present or known.playing:
                raise ValueError(f"{name!r} cannot play now")
            others = tuple(other for other in members if other != name)
            recent = (others, *known.recent[: REMEMBERED_BLOCKS - 1])
            changed[name] = replace(known, last=self.started, recent=recent, playing=True)
        opened = {**self.open, self.started: tuple(members)}
        return replace(self._with(changed), open=opened, started=self.started + 1)

    def finish(self, number: int, halves: Mapping[str, int] | None) -> LadderState:
        """A block is over.

        halves  by name: how many opponents were placed below it in the matches of the block, counted twice, and once
                those that shared its place. None: the block does not count

        Raises ValueError if there is no such open block.
        """
        members = self.open.get(number)
        if members is None:
            raise ValueError(f"block {number} is not open")
        left = {block: seated for block, seated in self.open.items() if block != number}
        changed = {name: replace(self.entrants[name], playing=False) for name in members}
        if halves is not None:
            changed = {
                name: replace(
                    known,
                    finished=known.finished + 1,
                    rating=known.rating + self._gained(known, halves[name], [changed[one] for one in members]),
                )
                for name, known in changed.items()
            }
        return replace(self._with(changed), open=left)

    def _with(self, changed: Mapping[str, EntrantHistory]) -> LadderState:
        return replace(self, entrants={**self.entrants, **changed})

    def _gained(self, own: EntrantHistory, halves: int, members: Sequence[EntrantHistory]) -> int:
        """Points that the pairing rating gains: in proportion to the share of pairs won beyond the expected one."""
        expected = sum(_expected(own.rating - one.rating) for one in members if one.number != own.number)
        gain = max(_MIN_GAIN, _FIRST_GAIN // (own.finished + 4))
        # A block has as many matches as seats, in thousandths as the expected shares are.
        difference = 1000 * halves - 2 * self.players * expected
        return _rounded(gain * difference, 2000 * self.players * (self.players - 1))


def next_block(state: LadderState, seed: str, busy: Collection[str] = frozenset()) -> tuple[str, ...] | None:
    """The members of the next block, in their order around the table. None: nobody can lead one, or too few are free.

    busy  entrants that have no time for another game now

    An entrant is free if it takes part, sits in no open block and is not busy.

    1. The one that has waited longest leads. Newcomers' waiting counts three times, unless somebody has waited for one
       and a half turns; an entrant that has never played leads before all others.
    2. The others come from the half of the field that is nearest to the leader by rating, or the nearest 12 if these
       are more; if too few of those are free, from the nearest beyond. One after another, the one is taken for whom
       this is smallest: a draw, less its waiting, plus its recent meetings with those who are in. As long as others
       play, the leader does not meet exactly the same again: else entrants that come free together would never meet
       anybody else.
    3. Their order around the table is drawn.
    """
    present = {name: known for name, known in state.entrants.items() if known.present}
    free = {name for name, known in present.items() if not known.playing and name not in busy}
    leaders = [name for name in free if not present[name].reference]
    if not leaders or len(free) < state.players:
        return None
    ages = {name: _age(present[name], state.started, state.players, len(present)) for name in free}
    lead = max(leaders, key=lambda name: (_urgency(present[name], ages[name]), -present[name].number))
    chosen = [lead]
    pool = _near(lead, present, free, state.players)
    draws = Draws(seed, f"ladder.{state.started}")
    costs = {name: draws.below(_NOISE) - ages[name] for name in pool}
    while len(chosen) < state.players:
        for place, opponents in enumerate(present[chosen[-1]].recent):
            for name in opponents:
                if name in costs:
                    costs[name] += _MEETING * (REMEMBERED_BLOCKS - place) // REMEMBERED_BLOCKS
        same = _last_missing(present[lead], chosen, state)
        open_to = [name for name in costs if name != same]
        if not open_to:
            return None
        taken = min(open_to, key=lambda name: (costs[name], present[name].number))
        del costs[taken]
        chosen.append(taken)
    return tuple(shuffled(seed, f"seats.{state.started}", chosen))


def _last_missing(lead: EntrantHistory, chosen: Sequence[str], state: LadderState) -> str | None:
    """Who would make the block the same as the leader's last one, which it must not be while others play."""
    if not state.open or not lead.recent or len(chosen) < state.players - 1:
        return None
    missing = set(lead.recent[0]).difference(chosen)
    return missing.pop() if len(missing) == 1 else None


def _age(known: EntrantHistory, started: int, players: int, present: int) -> int:
    """How long an entrant has waited, in thousandths of a turn."""
    if known.last is None:
        return 2 * _MAX_AGE
    return _TURN * (started - known.last) * players // present


def _urgency(known: EntrantHistory, age: int) -> tuple[int, int]:
    if known.last is None:
        return 2, 0
    if age >= _MAX_AGE:
        return 1, age
    return 0, age * (NEWCOMER_WEIGHT if known.finished < NEWCOMER_BLOCKS else 1)


def _near(lead: str, present: Mapping[str, EntrantHistory], free: Collection[str], wanted: int) -> list[str]:
    """The free ones among the nearest half of the field, or the nearest MIN_NEAR; and the nearest free ones beyond if
    these are fewer than wanted. In order of entry."""
    centre = present[lead].rating
    others = sorted((abs(known.rating - centre), known.number, name) for name, known in present.items() if name != lead)
    half = max(MIN_NEAR, (len(others) + 1) // 2)
    pool: list[tuple[int, str]] = []
    for rank, (_, number, name) in enumerate(others):
        if rank >= half and len(pool) >= wanted:
            break
        if name in free:
            pool.append((number, name))
    return [name for _, name in sorted(pool)]


def _expected(difference: int) -> int:
    """Expected share of pairs won, in thousandths, by the one that is ahead by so many rating points."""
    return round(1000 / (1 + 10 ** (-max(-2000, min(2000, difference)) / 400)))


def _rounded(numerator: int, denominator: int) -> int:
    """The quotient of whole numbers, rounded to the nearest one, halves up."""
    return (2 * numerator + denominator) // (2 * denominator)
