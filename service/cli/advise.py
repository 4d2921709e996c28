"""`montego tournament advise`: which format finds most in the time that there is, by simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.table import Table

from service.cli.terminal import console
from service.lazy_import import lazily
from service.tournament import formats
from service.tournament.advice import lasts, plans
from service.tournament.plan import MAX_ENTRANTS, Plan

if TYPE_CHECKING:
    from service.tournament import simulation
else:
    # With it comes numpy, which no other command of the group needs.
    simulation = lazily("service.tournament.simulation")

MATCHES = 60_000
"""Matches that are simulated for each format, as far as MIN_RUNS and MAX_RUNS allow."""
MIN_RUNS, MAX_RUNS = 40, 400


@click.command()
@click.option("--bots", type=click.IntRange(2, MAX_ENTRANTS), required=True, help="How many bots enter.")
@click.option("--hours", type=click.FloatRange(min=0.01), required=True, help="How long it may take.")
@click.option("--players", type=click.IntRange(2, 4), default=4, show_default=True, help="Players in a match.")
@click.option("--processes", type=click.IntRange(1), default=4, show_default=True, help="Blocks played at a time.")
@click.option(
    "--match-seconds", type=click.FloatRange(min=0.01), default=10.0, show_default=True, help="What a match takes."
)
@click.option(
    "--spread",
    type=click.FloatRange(min=0),
    default=300.0,
    show_default=True,
    help="Standard deviation of the bots' strengths, in Elo points.",
)
def advise(bots: int, hours: float, players: int, processes: int, match_seconds: float, spread: float) -> None:
    """Say what each format finds in the time that there is, by simulated tournaments of bots with known strengths.

    This takes up to a minute. Each share comes from 40 to 400 tournaments, so it is off by a few percent.
    """
    if bots < players:
        raise click.BadParameter(f"a match of {players} players needs {players} bots", param_hint="--bots")
    block_seconds = match_seconds * players
    shares = ("first is the best", "best in first 3", "first 3 are the 3 best")
    table = Table("format", "options", "matches", "hours", *shares)
    best: tuple[float, Plan] | None = None
    for plan in plans(simulation.names_of(bots), players, processes, int(hours * 3600 / block_seconds)):
        click.echo(f"simulating: {plan.format}", err=True)
        runs = max(MIN_RUNS, min(MAX_RUNS, MATCHES // formats.expected_matches(plan, ())))
        found = simulation.found(plan, runs, spread)
        table.add_row(
            plan.format,
            options_of(plan),
            f"{found.matches:.0f}",
            f"{lasts(plan, processes) * block_seconds / 3600:.1f}",
            *(f"{100 * share:.0f} %" for share in (found.first, found.top, found.top_three)),
        )
        best = max(best or (found.first, plan), (found.first, plan), key=lambda one: one[0])
    if best is None:
        raise click.ClickException("no format fits into that time: allow more hours or processes, or fewer bots")
    console().print(table)
    click.echo(f"The best bot is found most often by: montego tournament create BOT... {command_of(best[1])}")


def options_of(plan: Plan) -> str:
    """The options of `tournament create` that differ from format to format."""
    given = {
        "--deals": plan.deals,
        "--sets": plan.sets,
        "--rounds": plan.rounds,
        "--groups": plan.groups,
        "--advance": plan.advance,
    }
    return " ".join(f"{option} {value}" for option, value in given.items() if value is not None)


def command_of(plan: Plan) -> str:
    """All options of `tournament create`."""
    named = "" if plan.format == "round_robin" else f"--format {plan.format} "
    return f"{named}--players {plan.players} {options_of(plan)}"
