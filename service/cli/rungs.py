"""`montego ladder`: the reference bots, each against the one below it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from service.cli.processes import become
from service.processes.commands import ladder_command

RUNGS = ("greedy", "lookahead", "montecarlo", "duct")
SEATS = ("1 against 1", "1 against 3", "3 against 1")
COUNT = click.IntRange(1, 100_000)


@click.command()
@click.option("--quick", is_flag=True, help="Only lookahead over random: a minute at most.")
@click.option("--from", "first", type=click.Choice(RUNGS), help="The first rung that plays the one below it.")
@click.option("--to", "last", type=click.Choice(RUNGS), help="The last one.")
@click.option("--seats", type=click.Choice(SEATS), help="Only in this setting.")
@click.option("--depth", is_flag=True, help="Instead: duct at 1,000 and 3,000 iterations against three lookahead.")
@click.option("--deals", type=COUNT, help="Deals for each line, each played in all seatings. [default: 40, quick: 4]")
@click.option("--seed", help="Fixes the deals. [default: ladder]")
@click.option("--processes", type=COUNT, help="Processes to play in. [default: one a core]")
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures there, too."
)
def ladder(quick: bool, depth: bool, first: str | None, last: str | None, **narrowing: Any) -> None:
    """Play each rung of the reference bots against the one below: 1 against 1, 1 against 3, 3 against 1.

    The games are played here, without a service. Each line shows the share of the games that the upper bot won (ties
    shared), with its 95 % interval, what would be its share if both were equally strong, and the time for a decision.
    The exit code is 1 if a line does not show that the upper bot is the stronger one.
    """
    if quick + depth + any(given is not None for given in (first, last, narrowing["seats"])) > 1:
        raise click.UsageError(
            "--quick, --depth, and --from, --to with --seats exclude each other", click.get_current_context()
        )
    if first and last and RUNGS.index(first) > RUNGS.index(last):
        raise click.UsageError(f"--from {first} is above --to {last}: nothing to play", click.get_current_context())
    flags = [name for name, given in (("--quick", quick), ("--depth", depth)) if given]
    command = ladder_command(
        *flags,
        **{
            "--from": first,
            "--to": last,
            **{f"--{name.removesuffix('_file')}": value for name, value in narrowing.items()},
        },
    )
    become(command)
