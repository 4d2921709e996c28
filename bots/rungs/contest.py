"""Contests: which bot plays against which, and in which setting; how they are played, and the figures of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from bots.inprocess import play
from bots.reference import RUNGS, make_bot
from bots.search import SearchLimits
from montego_bot import Action, Ask, Bot
from service.lazy_import import lazily

scipy: Any = lazily("scipy")


@dataclass(frozen=True, slots=True)
class Contestant:
    """A rung and its number of iterations; None: its own default."""

    rung: str
    iterations: int | None = None

    def __str__(self) -> str:
        return self.rung if self.iterations is None else f"{self.rung} ({self.iterations:,} iterations)"

    def make(self, number: int) -> Bot:
        """The bot. In one game each has a number of its own, and so a seed of its own."""
        limits = None if self.iterations is None else SearchLimits(self.iterations)
        return make_bot(f"{self.rung}-{number}", limits=limits)


@dataclass(frozen=True, slots=True)
class Setting:
    """How many seats the upper and the lower bot have in a game."""

    upper: int
    lower: int

    @property
    def players(self) -> int:
        return self.upper + self.lower

    @property
    def par(self) -> float:
        """The upper bot's share of the wins if both are equally strong."""
        return self.upper / self.players

    def __str__(self) -> str:
        return f"{self.upper} against {self.lower}"


@dataclass(frozen=True, slots=True)
class Contest:
    """Two bots in a setting. A block is one deal, played once for each seat of the bot that sits alone."""

    upper: Contestant
    lower: Contestant
    setting: Setting

    def seats(self, seating: int) -> list[bool]:
        """By seat: whether the upper bot sits there. There are as many seatings as players."""
        alone = self.setting.upper == 1
        return [(seat == seating) == alone for seat in range(self.setting.players)]


SETTINGS = (Setting(1, 1), Setting(1, 3), Setting(3, 1))
ALONE = Setting(1, 3)


def rung_contests(first: str | None = None, last: str | None = None, seats: str | None = None) -> Iterator[Contest]:
    """Each rung over the one below, from the rung `first` over its lower neighbour to `last`, in all settings or in
    the one named ("3 against 1")."""
    names = [rung.name for rung in RUNGS]
    start = 1 if first is None else max(1, names.index(first))
    end = len(names) if last is None else names.index(last) + 1
    for place in range(start, end):
        for setting in SETTINGS:
            if seats in (None, str(setting)):
                yield Contest(Contestant(names[place]), Contestant(names[place - 1]), setting)


def quick_contests() -> Iterator[Contest]:
    """`lookahead` over `random`, for continuous integration: a minute at most."""
    for setting in SETTINGS:
        yield Contest(Contestant("lookahead"), Contestant("random"), setting)


def depth_contests() -> Iterator[Contest]:
    """What more iterations bring: `duct` with 1,000 and with 3,000 against three `lookahead`."""
    for iterations in (1000, 3000):
        yield Contest(Contestant("duct", iterations), Contestant("lookahead"), ALONE)


@dataclass(frozen=True, slots=True)
class ContestBlock:
    """The result of a block: the upper bot's share of the wins, and the seconds and decisions of both bots."""

    share: float
    seconds: tuple[float, float]
    decisions: tuple[int, int]


class _Timed(Bot):
    """Measures the time that a bot takes for its answers."""

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


def play_block(contest: Contest, seed: str) -> ContestBlock:
    """Plays one deal in all seatings. Seconds are CPU time, so that other programs hardly matter."""
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
    return ContestBlock(share / contest.setting.players, (seconds[0], seconds[1]), (decisions[0], decisions[1]))


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
        """Whether the interval shows that the upper bot is stronger."""
        return self.low > self.contest.setting.par

    def to_json(self) -> dict[str, Any]:
        """As `montego rungs --json` writes it: shares are between 0 and 1, times in milliseconds of one core."""
        return {
            "upper": str(self.contest.upper),
            "lower": str(self.contest.lower),
            "seats": [self.contest.setting.upper, self.contest.setting.lower],
            "deals": self.blocks,
            "games": self.games,
            "share": round(self.share, 4),
            "interval": [round(self.low, 4), round(self.high, 4)],
            "par": self.contest.setting.par,
            "ms": [round(ms, 3) for ms in self.ms],
        }


def figures(contest: Contest, blocks: Sequence[ContestBlock]) -> Figures:
    """The figures of a contest, of which 1 block or more was played.

    A block is one observation: its games share a deal. The interval is Student's over the blocks' shares, with one
    block at par added to them, so that a few blocks that are all won do not look like certainty.
    """
    shares = [block.share for block in blocks]
    share = fmean(shares)
    spread = [*shares, contest.setting.par]
    half = float(scipy.special.stdtrit(len(spread) - 1, (1 + CONFIDENCE) / 2)) * stdev(spread) / sqrt(len(spread))
    middle = fmean(spread)
    ms = [
        1000 * sum(block.seconds[bot] for block in blocks) / max(1, sum(block.decisions[bot] for block in blocks))
        for bot in (0, 1)
    ]
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Figures(contest, len(blocks), len(blocks) * contest.setting.players, share, low, high, (ms[0], ms[1]))


def play_all(contests: Sequence[Contest], deals: int, seed: str, processes: int) -> Iterator[Figures | None]:
    """Plays `deals` blocks of each contest, all at the same deals, in so many processes.

    Yields once for each block: the figures of its contest if that is complete with it, else None.
    """
    blocks: list[dict[int, ContestBlock]] = [{} for _ in contests]
    with ProcessPoolExecutor(processes) as pool:
        waiting: dict[Future[ContestBlock], tuple[int, int]] = {
            pool.submit(play_block, contest, f"{seed}.{deal}"): (number, deal)
            for number, contest in enumerate(contests)
            for deal in range(deals)
        }
        try:
            for done in as_completed(waiting):
                number, deal = waiting[done]
                played = blocks[number]
                played[deal] = done.result()
                # In the order of the deals, whatever the order in which they were done.
                complete = [played[deal] for deal in range(deals)] if len(played) == deals else None
                yield figures(contests[number], complete) if complete else None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
