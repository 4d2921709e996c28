"""`python -m bots.rungs`, which is what `montego ladder` runs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bots.reference import RUNGS
from bots.rungs import plans
from bots.rungs.contest import Block, Contest, Figures, figures, play_block

BLOCKS = 40
QUICK_BLOCKS = 4
WIDTH = 120
NAMES = [rung.name for rung in RUNGS]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage that argparse prints first."""
        self.exit(2, f"error: {message}\n")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 100_000):
        raise argparse.ArgumentTypeError(f"a number from 1 to 100000 is needed, not {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m bots.rungs", description="Plays each rung of the ladder against the one below.")
    parser.add_argument("--quick", action="store_true", help="only lookahead over random, a minute at most")
    parser.add_argument("--from", dest="first", choices=NAMES[1:], help="the first rung that plays the one below it")
    parser.add_argument("--to", dest="last", choices=NAMES[1:], help="the last one")
    parser.add_argument("--seats", choices=[str(setting) for setting in plans.SETTINGS], help="only in this setting")
    parser.add_argument("--depth", action="store_true", help="instead: duct at 1,000 and 3,000 against three lookahead")
    parser.add_argument("--deals", type=_positive, help=f"for each line (default: {BLOCKS}, quick: {QUICK_BLOCKS})")
    parser.add_argument("--seed", default="ladder", help="fixes the deals (default: %(default)s)")
    parser.add_argument("--processes", type=_positive, default=os.cpu_count() or 1, help="(default: one a core)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Plays and prints. Exit code 1 if a rung was not shown to be stronger than the one below it."""
    parser = _parser()
    given = parser.parse_args(arguments)
    contests = _contests(given)
    if not contests:
        parser.error(f"{given.first} is above {given.last}: nothing to play")
    deals = given.deals or (QUICK_BLOCKS if given.quick else BLOCKS)
    found = play_all(contests, deals, given.seed, given.processes)
    console = Console(highlight=False)
    # Where the output is no terminal it would be 80 wide, and the table's lines broken.
    console.width = max(console.width, WIDTH)
    console.print(table(found))
    if given.json:
        given.json.write_text(json.dumps([as_json(line) for line in found], indent=2) + "\n", encoding="utf-8")
    open_ones = [line for line in found if not line.stronger]
    for line in open_ones:
        upper, lower = line.contest.upper, line.contest.lower
        print(
            f"not shown to be stronger: {upper} over {lower}, {line.contest.setting} (more --deals may)",
            file=sys.stderr,
        )
    return 1 if open_ones else 0


def _contests(given: argparse.Namespace) -> list[Contest]:
    if given.quick:
        return list(plans.quick())
    return list(plans.depth() if given.depth else plans.steps(given.first, given.last, given.seats))


def play_all(contests: Sequence[Contest], deals: int, seed: str, processes: int) -> list[Figures]:
    """Plays so many blocks of each contest, all at the same deals. Shows how far it is, and each line as it is done."""
    blocks: list[dict[int, Block]] = [{} for _ in contests]
    found: dict[int, Figures] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} deals"))
    with (
        Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar,
        ProcessPoolExecutor(processes) as pool,
    ):
        task = bar.add_task("playing", total=len(contests) * deals)
        places: dict[Future[Block], tuple[int, int]] = {
            pool.submit(play_block, contest, f"{seed}.{deal}"): (number, deal)
            for number, contest in enumerate(contests)
            for deal in range(deals)
        }
        try:
            for done in as_completed(places):
                number, deal = places[done]
                blocks[number][deal] = done.result()
                bar.advance(task)
                if len(blocks[number]) == deals:
                    # In the order of the deals, whatever the order in which they were done.
                    found[number] = figures(contests[number], [blocks[number][deal] for deal in range(deals)])
                    bar.console.print(str(found[number]), highlight=False, soft_wrap=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[number] for number in range(len(contests))]


def table(found: Sequence[Figures]) -> Table:
    """A line for each contest."""
    shown = Table("upper", "lower", "seats", "games", "wins", "95 % interval", "par", "ms a decision")
    for line in found:
        setting = line.contest.setting
        shown.add_row(
            str(line.contest.upper),
            str(line.contest.lower),
            str(setting),
            str(line.games),
            f"{line.share:.3f}",
            f"{line.low:.3f} to {line.high:.3f}",
            f"{setting.par:.2f}",
            f"{line.ms[0]:.1f} / {line.ms[1]:.1f}",
        )
    return shown


def as_json(line: Figures) -> dict[str, Any]:
    """One line of the table; shares are between 0 and 1, times in milliseconds of one core."""
    return {
        "upper": str(line.contest.upper),
        "lower": str(line.contest.lower),
        "seats": [line.contest.setting.upper, line.contest.setting.lower],
        "deals": line.blocks,
        "games": line.games,
        "share": round(line.share, 4),
        "interval": [round(line.low, 4), round(line.high, 4)],
        "par": line.contest.setting.par,
        "ms": [round(ms, 3) for ms in line.ms],
    }


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
