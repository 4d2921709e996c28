"""`montego bots`: registering programs that play."""

from __future__ import annotations

import click
from rich.table import Table

from service.cli.client import segment
from service.cli.options import client_of, service_options
from service.cli.output import console, plain, say, show
from service.cli.registry import existing_bot
from service.cli.registry import register as register_bot


@click.group()
def bots() -> None:
    """List, register and delete the bots of a service (writing needs an author's or organiser's key)."""


@bots.command(name="list")
@service_options
def list_bots(url: str, key: str | None) -> None:
    """List the bots: id, name, kind, and whether others may seat them in casual games."""
    table = Table("bot", "name", "kind", "casual")
    for item in client_of(url, key).items("/v1/bots"):
        casual = "yes" if item.get("casual") else "no"
        table.add_row(*(plain(text, 60) for text in (item.get("bot"), item.get("name"), item.get("kind"), casual)))
    console().print(table)


@bots.command()
@click.argument("name")
@click.argument("bot_url", metavar="[URL]", required=False)
@click.option("--poll", is_flag=True, help="It has no URL: it polls the service.")
@click.option("--casual", is_flag=True, help="Others may seat it in casual games.")
@service_options
def register(name: str, bot_url: str | None, poll: bool, casual: bool, url: str, key: str | None) -> None:
    """Register a bot that is served at URL, or one that polls; prints its token and secret, shown this once."""
    if poll == bool(bot_url):
        raise click.UsageError("give either the URL of the bot or --poll", click.get_current_context())
    made = register_bot(client_of(url, key), name, bot_url, casual=casual)
    say("token and secret are shown once; keep them:")
    for member in ("bot", "name", "token", "secret"):
        if made.get(member):
            show(f"{member:<7} {plain(made[member], 200)}")


@bots.command()
@click.argument("bot", metavar="NAME-OR-ID")
@service_options
def delete(bot: str, url: str, key: str | None) -> None:
    """Delete a bot; its name is free again."""
    client = client_of(url, key)
    client.delete(f"/v1/bots/{segment(str(existing_bot(client, bot)['bot']))}")
    say(f"deleted {plain(bot, 60)}")
