"""`montego up`: the service for use and development, in one terminal."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.hosting import REFERENCE_BOTS, hosted, stay
from service.cli.output import say, show
from service.cli.processes import PORT
from service.local.interrupts import Interrupted
from service.local.stack import Stack


@click.command()
@click.option("--port", type=PORT, default=8000, show_default=True, help="Port of the API, on loopback.")
@click.option(
    "--data", type=click.Path(file_okay=False, path_type=Path), help="Folder that keeps games and logs between runs."
)
def up(port: int, data: Path | None) -> None:
    """Run everything here: Redis (unless REDIS_URL is set), API, workers and reference bots. Ctrl-C ends it all.

    The organiser's key is MONTEGO_ORGANISER_KEY, or made and printed.
    """
    say("starting …")
    try:
        with hosted(data, port) as stack:
            _introduce(stack)
            stay(stack)
    except Interrupted:
        say("ended")


def _introduce(stack: Stack) -> None:
    key = stack.organiser_key if stack.key_is_made else "the one in MONTEGO_ORGANISER_KEY"
    create = f"montego tournament create {' '.join(REFERENCE_BOTS)} --deals 5 --watch"
    body = '{"players":2,"seats":["creator",{"bot":"greedy"}]}'
    lines = (
        "",
        f"Montego Bay runs at  {stack.url}",
        f"organiser's key      {key}",
        f"bots to play with    {', '.join(REFERENCE_BOTS)}",
        f"logs                 {stack.logs}",
        "",
        "Try next, in another terminal:",
        f"  the reference in a browser   {stack.url}/docs",
        "  a game against greedy",
        f"    curl -s {stack.url}/v1/games -H 'Content-Type: application/json' -d '{body}'",
        "  a tournament",
        f"    MONTEGO_URL={stack.url} MONTEGO_KEY={stack.organiser_key if stack.key_is_made else '…'} {create}",
        "",
        "Ctrl-C ends everything.",
    )
    for line in lines:
        show(line)
