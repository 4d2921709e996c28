"""`montego play`: bots of an author against reference bots, at a service that is started for it."""

from __future__ import annotations

import click

from service.cli.client import ApiClient, segment
from service.cli.demo import named_url, play_round_robin
from service.cli.output import plain
from service.cli.registry import register
from service.cli.terminal import console
from service.cli.up import hosted

SHOWN_FAULTS = 5


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="NAME=URL...")
@click.option("--against", multiple=True, default=("greedy",), show_default=True, help="Reference bot (repeatable).")
@click.option("--players", type=click.IntRange(2, 4), help="Players in a match. [default: as many as there are bots]")
@click.option("--deals", type=click.IntRange(min=1), default=3, show_default=True, help="Deals of each set of bots.")
@click.option("--seed", default="play", show_default=True, help="Fixes seats and deals.")
def play(bots: tuple[str, ...], against: tuple[str, ...], players: int | None, deals: int, seed: str) -> None:
    """Start the service, let push bots that run on this machine play against reference bots, print the standings and
    the faults, and end it all.

    NAME=URL is a bot and its address, such as mine=http://127.0.0.1:9001.
    """
    own = [named_url(item, "NAME=URL") for item in bots]
    names = (*(name for name, _ in own), *against)
    if len(names) < 2 or len(set(names)) < len(names):
        raise click.UsageError("there must be two bots or more, each named once", click.get_current_context())
    click.echo("starting the service …", err=True)
    with hosted(None, None, against) as stack:
        client = ApiClient(stack.url, stack.organiser_key)
        made = [register(client, name, url) for name, url in own]
        _, table = play_round_robin(
            client, names, players or min(len(names), 4), deals, seed, None, stack.supervisor.watch
        )
        faults = [
            (bot["name"], fault["kind"], fault["decision"], fault["detail"])
            for bot in made
            for fault in client.get(f"/v1/bots/{segment(str(bot['bot']))}/faults", limit=SHOWN_FAULTS)["items"]
        ]
    console().print(table)
    for name, kind, decision, detail in faults:
        click.echo(f"{plain(name, 40)}: {plain(kind, 20)} at {plain(decision, 40)}: {plain(detail)}")
