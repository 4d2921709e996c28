"""`montego ladder`: the ladders of a service, for authors of bots, for organisers and for their public."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.live import Live
from rich.table import Table

from service.cli.client import ApiClient, ServiceError, segment, with_client
from service.cli.files import OUTPUT, STDOUT, file_name, writing
from service.cli.output import plain
from service.cli.registry import existing_bot
from service.cli.terminal import console
from service.cli.watching import Outage

LOOK_S = 1.0
LADDER = click.option("--ladder", "identifier", help="Its id or name. [default: the only one that is open]")


@click.group()
def ladder() -> None:
    """Enter and leave ladders, and watch them. A bot's author enters it; opening a ladder needs an organiser's key."""


@ladder.command(name="open")
@click.argument("name")
@click.argument("references", nargs=-1, required=True, metavar="REFERENCE...")
@click.option("--players", type=click.IntRange(2, 4), default=4, show_default=True, help="Seats of a match.")
@click.option("--own", is_flag=True, help="Only bots of this key may enter.")
@click.option("--ends", help="When the first season ends, as 2027-01-31T18:00:00Z. [default: by hand]")
@click.option("--move-ms", type=int, help="Time for a decision (milliseconds).")
@click.option("--bank-ms", type=int, help="Time beyond that, for a whole match (milliseconds).")
@with_client
def open_ladder(client: ApiClient, name: str, references: tuple[str, ...], own: bool, **more: Any) -> None:
    """Open a ladder, and print its id. The REFERENCE bots hold its scale: the mean of their ratings is 1500."""
    body = {"name": name, "references": list(references), "entry": "own" if own else "all"}
    made = client.post("/v1/ladders", body | {key: value for key, value in more.items() if value is not None})
    click.echo(plain(made["ladder"], 100))


@ladder.command(name="list")
@with_client
def list_ladders(client: ApiClient) -> None:
    """List the ladders, newest first."""
    table = Table("ladder", "name", "status", "players", "seasons")
    for item in client.items("/v1/ladders"):
        cells = (item.get("ladder"), item.get("name"), item.get("status"), item.get("players"))
        table.add_row(*(plain(cell, 60) for cell in cells), str(len(item.get("seasons") or ())))
    console().print(table)


@ladder.command()
@click.argument("bot", metavar="BOT")
@LADDER
@with_client
def enter(client: ApiClient, bot: str, identifier: str | None) -> None:
    """Enter BOT. It plays from now on whenever it is online; its games are rated."""
    found = ladder_of(client, identifier)
    made = client.post(_path(found, "/entrants"), {"bot": existing_bot(client, bot)["bot"]})
    click.echo(f"entered {plain(made['name'], 60)} on {plain(found['name'], 100)}", err=True)
    if made.get("away") == "offline":
        click.echo("it is being called, and plays as soon as it answers", err=True)


@ladder.command()
@click.argument("bot", metavar="BOT")
@LADDER
@with_client
def leave(client: ApiClient, bot: str, identifier: str | None) -> None:
    """Take BOT off. A block that it plays is finished, and it keeps its place in the table."""
    found = ladder_of(client, identifier)
    client.delete(_path(found, f"/entrants/{segment(str(existing_bot(client, bot)['bot']))}"))
    click.echo(f"took {plain(bot, 60)} off {plain(found['name'], 100)}", err=True)


@ladder.command(name="table")
@LADDER
@with_client
def show_table(client: ApiClient, identifier: str | None) -> None:
    """Print the table of the season that runs."""
    found = ladder_of(client, identifier)
    state = client.get(_path(found, "/table"))
    click.echo(headline(state["table"]))
    console().print(ladder_table(state, found.get("name")))


@ladder.command()
@LADDER
@with_client
def watch(client: ApiClient, identifier: str | None) -> None:
    """Show the table as it changes. Ctrl-C stops watching."""
    found = ladder_of(client, identifier)
    outage, shown = Outage(), -1
    with Live(console=console(), refresh_per_second=4) as live:
        while True:
            try:
                state = client.get(_path(found, "/table"))
                outage.answered()
                if state["blocks"] != shown:
                    live.update(ladder_table(state, found.get("name")), refresh=True)
                    shown = state["blocks"]
            except ServiceError as error:
                outage.failed(error)
            time.sleep(LOOK_S)


@ladder.command()
@LADDER
@with_client
def close(client: ApiClient, identifier: str | None) -> None:
    """Close a ladder: its season ends, and no other follows."""
    found = ladder_of(client, identifier)
    client.delete(_path(found))
    click.echo(f"closed {plain(found['name'], 100)}", err=True)


@ladder.group()
def season() -> None:
    """End a season, and export one that is over."""


@season.command(name="end")
@LADDER
@click.option("--ends", help="When the next season ends, as 2027-01-31T18:00:00Z. [default: by hand]")
@with_client
def end_season(client: ApiClient, identifier: str | None, ends: str | None) -> None:
    """End the season that runs. The next one begins at once, with those who take part."""
    found = ladder_of(client, identifier)
    made = client.post(_path(found, "/seasons"), {"ends": ends})
    before = int(made["season"]) - 1
    click.echo(f"season {before} is over: montego ladder season export {before}", err=True)


@season.command(name="export")
@click.argument("number", type=click.IntRange(min=1))
@LADDER
@click.option("-o", "--output", type=OUTPUT, help="The file; - prints it. [default: LADDER-NUMBER.json]")
@with_client
def export_season(client: ApiClient, number: int, identifier: str | None, output: Path | None) -> None:
    """Write season NUMBER, which must be over, to one file for `montego verify`."""
    found = ladder_of(client, identifier)
    path = output or Path(f"{file_name(str(found['ladder']))}-{number}.json")
    with writing(path) as file:
        size = client.save(_path(found, f"/seasons/{number}/export"), file)
    if path != STDOUT:
        click.echo(f"wrote {path} ({size / 1e6:.1f} MB of JSON): montego verify {path}", err=True)


def ladder_of(client: ApiClient, identifier: str | None) -> dict[str, Any]:
    """The ladder of that id or name; without one the only ladder that is open. Raises click.ClickException."""
    every = list(client.items("/v1/ladders"))
    if identifier is not None:
        found = [item for item in every if identifier in (item.get("ladder"), item.get("name"))]
        if not found:
            raise click.ClickException(f"there is no ladder {plain(identifier, 60)!r} at {client.url}")
        return found[0]
    opened = [item for item in every if item.get("status") == "open"]
    if len(opened) != 1:
        why = "no ladder is open" if not opened else f"{len(opened)} ladders are open: give --ladder"
        raise click.ClickException(f"{why} at {client.url}")
    return opened[0]


def _path(found: Mapping[str, Any], rest: str = "") -> str:
    return f"/v1/ladders/{segment(str(found['ladder']))}{rest}"


def headline(rows: list[dict[str, Any]]) -> str:
    """What the games say of the first place, and no more."""
    first = [plain(row["name"], 40) for row in rows if row.get("places") and row["places"][0] == 1]
    if not first:
        return "The games do not show yet who is best: all ratings are provisional."
    if len(first) == 1:
        return f"{first[0]} is first."
    return f"The games do not show yet who of these is first: {', '.join(first)}."


def ladder_table(state: Mapping[str, Any], name: object) -> Table:
    """The rows of a table as the service sends them."""
    title = f"{plain(name, 100)}, season {plain(state.get('season'), 10)}, {plain(state.get('blocks'), 10)} blocks"
    table = Table(title=title, title_justify="left")
    for heading in ("places", "name", "version", "rating", "95 %", "blocks", ""):
        table.add_column(heading, justify="left" if heading in ("name", "version", "") else "right")
    for row in state["table"]:
        places, interval = row.get("places"), row.get("interval")
        rating = f"{row['rating']:.0f}"
        if row.get("provisional"):
            rating += "?" if row.get("error") is None else f" ± {row['error']:.0f}"
        table.add_row(
            "" if places is None else str(places[0]) if places[0] == places[1] else f"{places[0]}–{places[1]}",
            plain(row["name"], 40),
            plain(row.get("version") or "", 20),
            rating,
            "provisional" if row.get("provisional") or interval is None else f"{interval[0]:.0f}–{interval[1]:.0f}",
            plain(row.get("blocks"), 10),
            "reference" if row.get("reference") else plain(row.get("away") or "", 20),
        )
    return table
