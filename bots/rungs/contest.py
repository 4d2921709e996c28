"""Contests: which bot plays against which, in which setting; and one block of a contest, played."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.special import stdtrit

from bots.inprocess import play
from bots.reference import make_bot
from bots.sdk import Action, Ask, Bot
from bots.search import Thinking


@dataclass(frozen=True, slots=True)
class Entrant:
    """A rung, and how many iterations it takes: None, as many as it takes by itself."""

    rung: str
    iterations: int | None = None

    def __str__(self) -> str:
        return self.rung if self.iterations is None else f"{self.rung} ({self.iterations:,} iterations)"

    def make(self, number: int) -> Bot:
        """The bot; those of one game have numbers, and so seeds, of their own."""
        thinking = None if self.iterations is None else Thinking(self.iterations)
        return make_bot(f"{self.rung}-{number}", thinking=thinking)


@dataclass(frozen=True, slots=True)
class Setting:
    """How many seats the upper bot and the lower one have in a game."""

    upper: int
    lower: int

    @property
    def players(self) -> int:
        return self.upper + self.lower

    @property
    def par(self) -> float:
        """The share of the wins that is due to the upper bot's seats if both are equally strong."""
        return self.upper / self.players

    def __str__(self) -> str:
        return f"{self.upper} against {self.lower}"


@dataclass(frozen=True, slots=True)
class Contest:
    """Two entrants in a setting. A block is one deal, played once for each place of the bot that sits alone."""

    upper: Entrant
    lower: Entrant
    setting: Setting

    def seats(self, seating: int) -> list[bool]:
        """By seat: whether the upper bot sits there. There are as many seatings as players."""
        alone = self.setting.upper == 1
        return [(seat == seating) == alone for seat in range(self.setting.players)]


@dataclass(frozen=True, slots=True)
class Block:
    """What became of a block: the upper bot's share of the wins, and the seconds and decisions of both bots."""

    share: float
    seconds: tuple[float, float]
    decisions: tuple[int, int]


class _Timed(Bot):
    """A bot whose time for answers is taken."""

    def __init__(self, bot: Bot, clock: Callable[[], float]) -> None:
        self.name = bot.name
        self._bot, self._clock = bot, clock
        self.seconds, self.decisions = 0.0, 0

    def act(self, ask: Ask) -> Action:
        start = self._clock()
        chosen = self._bot.act(ask)
        self.seconds += self._clock() - start
        self.decisions += 1
        assert isinstance(chosen, Action)
        return chosen


def play_block(contest: Contest, seed: str) -> Block:
    """One deal in all seatings. Seconds are those of the processor, so that other programs hardly matter."""
    share = 0.0
    seconds, decisions = [0.0, 0.0], [0, 0]
    for seating in range(contest.setting.players):
        seats = contest.seats(seating)
        bots = [
            _Timed((contest.upper if upper else contest.lower).make(number), time.process_time)
            for number, upper in enumerate(seats, 1)
        ]
        places = play(bots, seed).places
        assert places is not None
        won = [place == 1 for place in places]
        share += sum(1 for upper, first in zip(seats, won, strict=True) if upper and first) / sum(won)
        for upper, bot in zip(seats, bots, strict=True):
            seconds[not upper] += bot.seconds
            decisions[not upper] += bot.decisions
    return Block(share / contest.setting.players, (seconds[0], seconds[1]), (decisions[0], decisions[1]))


CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Figures:
    """`share`: the upper bot's share of the wins; `low` and `high`: the interval, 0 to 1; `ms`: milliseconds of one
    core for a decision, of the upper bot and the lower one."""

    contest: Contest
    blocks: int
    games: int
    share: float
    low: float
    high: float
    ms: tuple[float, float]

    def __str__(self) -> str:
        wins = f"{self.share:.3f} of the wins, {self.low:.3f} to {self.high:.3f} (par {self.contest.setting.par:.2f})"
        return f"{self.contest.upper} over {self.contest.lower}, {self.contest.setting}: {wins}, {self.games} games"

    @property
    def stronger(self) -> bool:
        """Whether it is shown that the upper bot is the stronger one."""
        return self.low > self.contest.setting.par


def figures(contest: Contest, blocks: Sequence[Block]) -> Figures:
    """The figures of a contest, of which 1 block or more was played.

    A block is one observation: its games share a deal. The interval is Student's over the blocks' shares, with one
    block at par added to them, so that a few blocks that are all won do not look like certainty.
    """
    shares = [block.share for block in blocks]
    share = fmean(shares)
    spread = [*shares, contest.setting.par]
    half = float(stdtrit(len(spread) - 1, (1 + CONFIDENCE) / 2)) * stdev(spread) / sqrt(len(spread))
    middle = fmean(spread)
    ms = [
        1000 * sum(block.seconds[bot] for block in blocks) / max(1, sum(block.decisions[bot] for block in blocks))
        for bot in (0, 1)
    ]
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Figures(contest, len(blocks), len(blocks) * contest.setting.players, share, low, high, (ms[0], ms[1]))
