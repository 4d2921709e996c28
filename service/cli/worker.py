"""`montego worker`: the processes that play matches and turns."""

from __future__ import annotations

import click

from service.config import Settings
from workers.team import run_team


@click.command()
@click.option("--processes", type=click.IntRange(1, 256), help="Processes for blocks of matches. [default: settings]")
def worker(processes: int | None) -> None:
    """Play matches and turns: RQ workers and the steward. Ctrl-C or SIGTERM ends them all."""
    run_team(Settings.from_env(), processes)
