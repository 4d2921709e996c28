"""`montego rungs`: the reference bots, each against the one below it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bots.reference import RUNGS
from bots.rungs.contest import SETTINGS, Contest, Figures, depth_contests, play_all, quick_contests, rung_contests
from service.cli.files import OUTPUT, write_text
from service.cli.terminal import console

NAMES = [rung.name for rung in RUNGS]
DEALS = 40
QUICK_DEALS = 4
NOT_SHOWN = 1
COUNT = click.IntRange(1, 100_000)


@click.command()
@click.option("--quick", is_flag=True, help="Only lookahead over random: a minute at most.")
@click.option("--from", "first", type=click.Choice(NAMES[1:]), help="The first rung that plays the one below it.")
@click.option("--to", "last", type=click.Choice(NAMES[1:]), help="The last rung that plays the one below it.")
@click.option("--seats", type=click.Choice([str(setting) for setting in SETTINGS]), help="Only in this setting.")
@click.option("--depth", is_flag=True, help="Instead: duct with 1,000 and 3,000 iterations over three lookahead.")
@click.option(
    "--deals", type=COUNT, help=f"Deals for each line, each in all seatings. [default: {DEALS}, quick: {QUICK_DEALS}]"
)
@click.option("--seed", default="rungs", show_default=True, help="Fixes the deals.")
@click.option("--processes", type=COUNT, help="Processes to play in. [default: one for each core]")
@click.option("--json", "json_file", type=OUTPUT, help="Also write the figures to this file (JSON); - prints them.")
def rungs(
    quick: bool, deals: int | None, seed: str, processes: int | None, json_file: Path | None, **narrowing: Any
) -> int:
    """Play each reference bot against the one below it: 1 against 1, 1 against 3, 3 against 1.

    The games are played here, without a service. Each line shows the share of the games that the upper bot won (ties
    shared), with its 95 % interval, the share that it would have if both were equally strong, and the time for a
    decision. The exit code is 1 if a line does not show that the upper bot is the stronger one.
    """
    contests = _contests(quick, **narrowing)
    found = _play(contests, deals or (QUICK_DEALS if quick else DEALS), seed, processes or os.cpu_count() or 1)
    console().print(_table(found))
    if json_file:
        write_text(json_file, json.dumps([line.to_json() for line in found], indent=2) + "\n")
    not_shown = [line for line in found if not line.stronger]
    for line in not_shown:
        contest = line.contest
        click.echo(
            f"not shown to be stronger: {contest.upper} over {contest.lower}, {contest.setting} (try more --deals)",
            err=True,
        )
    return NOT_SHOWN if not_shown else 0


def _contests(quick: bool, depth: bool, first: str | None, last: str | None, seats: str | None) -> list[Contest]:
    """What the options ask for. Raises click.UsageError for options that exclude each other."""
    if quick + depth + any(given is not None for given in (first, last, seats)) > 1:
        raise click.UsageError(
            "--quick, --depth, and --from, --to with --seats exclude each other", click.get_current_context()
        )
    if quick:
        return list(quick_contests())
    if depth:
        return list(depth_contests())
    contests = list(rung_contests(first, last, seats))
    if not contests:
        raise click.UsageError(f"--from {first} is above --to {last}: nothing to play", click.get_current_context())
    return contests


def _play(contests: Sequence[Contest], deals: int, seed: str, processes: int) -> list[Figures]:
    """Plays them all, and shows the progress; the figures in the order of the contests."""
    found: dict[Contest, Figures] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} deals"))
    with Progress(*columns, TimeRemainingColumn(), console=console(errors=True)) as bar:
        task = bar.add_task("playing", total=len(contests) * deals)
        for figures in play_all(contests, deals, seed, processes):
            bar.advance(task)
            if figures:
                found[figures.contest] = figures
                bar.console.print(str(figures), soft_wrap=True)
    return [found[contest] for contest in contests]


def _table(found: Sequence[Figures]) -> Table:
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
