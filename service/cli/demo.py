"""`montego demo`: a tournament from nothing, to see the whole service at work."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import click
from rich.table import Table

from service.cli.client import ApiClient, checked_url, chosen_key, segment
from service.cli.files import file_name, writing
from service.cli.options import tournament_options
from service.cli.output import plain
from service.cli.registry import register_once
from service.cli.standings import standings_table
from service.cli.terminal import console
from service.cli.up import REFERENCE_BOTS, hosted, stay
from service.cli.watching import wait_until_over
from service.processes.interrupts import Interrupted

#: The bots answer at once; this is for a machine that is busy with other things.
MOVE_MS = 5000
OFFERED_RECORDS = 3


@click.command()
@click.option("--keep", is_flag=True, help="Leave the service running afterwards, until Ctrl-C.")
@tournament_options
@click.option("--seed", default="demo", show_default=True, help="Fixes seats and deals.")
@click.option(
    "--records", type=click.Path(file_okay=False, path_type=Path), help="Folder for the records of all matches."
)
@click.option("--against", metavar="URL", help="Start nothing, and play at this service with the bots given by --bot.")
@click.option(
    "--bot", "bots", multiple=True, metavar="NAME=URL", help="With --against: a bot and its address (repeatable)."
)
def demo(
    keep: bool, players: int, deals: int, seed: str, records: Path | None, against: str | None, bots: tuple[str, ...]
) -> None:
    """Start the service with four bots, let them play a round robin over HTTP, print the standings, and end it all.

    With --against nothing is started; put an organiser's key of that service into MONTEGO_KEY.
    """
    if bool(against) != bool(bots) or (against and keep):
        message = "--against needs at least one --bot, --bot needs --against, and --keep goes with neither"
        raise click.UsageError(message, click.get_current_context())
    if against:
        client, entrants = ApiClient(against, chosen_key()), [named_url(item, "--bot") for item in bots]
        for name, bot_url in entrants:
            register_once(client, name, bot_url)
        names = tuple(name for name, _ in entrants)
        _, table = play_round_robin(client, names, players, deals, seed, records, time.sleep)
        console().print(table)
        return
    click.echo("starting Redis, API, four bots and workers …", err=True)
    with hosted(None, None) as stack:
        client = ApiClient(stack.url, stack.organiser_key)
        played, table = play_round_robin(client, REFERENCE_BOTS, players, deals, seed, records, stack.supervisor.watch)
        if keep:
            console().print(table)
            _invite(client, played, stack.organiser_key)
            try:
                stay(stack)
            except Interrupted:
                return
    console().print(table)


def play_round_robin(
    client: ApiClient,
    names: tuple[str, ...],
    players: int,
    deals: int,
    seed: str,
    records: Path | None,
    watch: Callable[[float], None],
) -> tuple[str, Table]:
    """Plays a tournament to its end. Returns its id and standings. Raises click.ClickException if it did not finish."""
    body = {"name": "demo", "format": "round_robin", "bots": list(names), "players": players, "deals": deals}
    made = client.post("/v1/tournaments", {**body, "seed": seed, "move_ms": MOVE_MS})
    identifier = str(made["tournament"])
    click.echo(
        f"a round robin of {', '.join(names)}: {plain(made['matches']['total'], 20)} matches of {players} players",
        err=True,
    )
    click.echo(f"watch it at {client.url}/tournaments/{segment(identifier)}", err=True)
    state = wait_until_over(client, identifier, watch)
    if state["status"] != "finished":
        why = f": {plain(state['reason'])}" if state.get("reason") else ""
        raise click.ClickException(f"the tournament is {plain(state['status'], 20)}, not finished{why}")
    path = f"/v1/tournaments/{segment(identifier)}"
    if records:
        games = [str(match["game"]) for match in client.items(f"{path}/matches") if match.get("status") == "finished"]
        for game in games:
            record = client.get(f"/v1/games/{segment(game)}/record")
            with writing(records / f"{file_name(game)}.json") as file:
                file.write(json.dumps(record).encode() + b"\n")
        click.echo(f"wrote {len(games)} records to {records}: montego replay --verify {records}", err=True)
    return identifier, standings_table(client.get(f"{path}/standings")["standings"], "standings")


def _invite(client: ApiClient, tournament: str, key: str) -> None:
    lines = [
        f"the service still runs at {client.url}/ (reference: {client.url}/docs)",
        f"the tournament and its games: {client.url}/tournaments/{segment(tournament)}",
        f"organiser's key: {key}",
        "replay a match:",
    ]
    matches = client.items(f"/v1/tournaments/{segment(tournament)}/matches")
    for _, match in zip(range(OFFERED_RECORDS), matches, strict=False):
        lines.append(f"  montego replay {client.url}/v1/games/{segment(str(match['game']))}/record")
    for line in [*lines, "Ctrl-C ends everything."]:
        click.echo(line, err=True)


def named_url(item: str, hint: str) -> tuple[str, str]:
    """NAME=URL as its two parts. Raises click.BadParameter."""
    name, separator, url = item.partition("=")
    if not separator or not name:
        raise click.BadParameter(f"{item!r} is not NAME=URL", param_hint=hint)
    return name, checked_url(url)
