"""`montego worker`: the processes that play matches and turns."""

from __future__ import annotations

import click

from service.config import Settings
from service.errors import Unavailable
from workers.worker_processes import QUEUES, queues_served_here, run_worker_processes


@click.command()
@click.option("--processes", type=click.IntRange(1, 256), help="Processes for blocks of matches. [default: settings]")
@click.option("--check", is_flag=True, help="Start nothing, and check that workers of this machine are alive.")
def worker(processes: int | None, check: bool) -> None:
    """Play matches and turns: RQ workers and the steward. Ctrl-C or SIGTERM ends them all."""
    settings = Settings.from_env()
    if not check:
        run_worker_processes(settings, processes)
        return
    try:
        missing = sorted(QUEUES - queues_served_here(settings))
    except Unavailable as error:
        raise click.ClickException(str(error)) from None
    if missing:
        raise click.ClickException(f"no worker of this machine serves: {', '.join(missing)}")
