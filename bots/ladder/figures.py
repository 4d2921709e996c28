"""What the blocks of a contest show: a share of wins, and between which bounds it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.special import stdtrit

from bots.ladder.contest import Block, Contest

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
