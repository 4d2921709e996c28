"""`montego bots`: registering programs that play."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import click
from rich.table import Table

from service.cli.check_report import print_report
from service.cli.client import ApiClient, segment, with_client
from service.cli.output import plain
from service.cli.registry import existing_bot
from service.cli.registry import register as register_bot
from service.cli.terminal import console

CHECK_READS = 3
CHECK_WAIT_S = 25


@click.group()
def bots() -> None:
    """List, register and delete the bots of a service (writing needs an author's or organiser's key)."""


@bots.command(name="list")
@with_client
def list_bots(client: ApiClient) -> None:
    """List the bots: id, name, kind, and whether others may seat them in casual games."""
    table = Table("bot", "name", "kind", "casual")
    for item in client.items("/v1/bots"):
        casual = "yes" if item.get("casual") else "no"
        table.add_row(*(plain(text, 60) for text in (item.get("bot"), item.get("name"), item.get("kind"), casual)))
    console().print(table)


@bots.command()
@click.argument("name")
@click.argument("bot_url", metavar="[URL]", required=False)
@click.option("--poll", is_flag=True, help="It has no URL: it polls the service.")
@click.option("--casual", is_flag=True, help="Others may seat it in casual games.")
@with_client
def register(name: str, bot_url: str | None, poll: bool, casual: bool, client: ApiClient) -> None:
    """Register a bot that is served at URL, or one that polls; prints its token and secret, shown this once."""
    if poll == bool(bot_url):
        raise click.UsageError("give either the URL of the bot or --poll", click.get_current_context())
    made = register_bot(client, name, bot_url, casual=casual)
    click.echo("token and secret are shown once; keep them:", err=True)
    for member in ("bot", "name", "token", "secret"):
        if made.get(member):
            click.echo(f"{member:<7} {plain(made[member], 200)}")


@bots.command(name="check")
@click.argument("bot", metavar="NAME-OR-ID")
@with_client
def check_bot(bot: str, client: ApiClient) -> int:
    """Let the service check whether a bot does what the bot protocol asks (its owner's key, or an organiser's).

    The exit code is 1 for a bot that is faulty.
    """
    path = f"/v1/bots/{segment(str(existing_bot(client, bot)['bot']))}"
    found = client.post(f"{path}/check")
    for _ in range(CHECK_READS):
        if found["report"] is not None:
            return print_report(found["report"])
        found = client.get(f"{path}/checks/{segment(str(found['check']))}", wait=CHECK_WAIT_S)
    raise click.ClickException("no worker has made the check: do workers run?")


@bots.command()
@click.argument("bot", metavar="NAME-OR-ID")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many, newest first.")
@with_client
def faults(bot: str, limit: int, client: ApiClient) -> None:
    """List what a bot did wrong, and why it last did not come up (its owner's key, or an organiser's)."""
    table = Table("at", "game", "decision", "fault", "ms", "why, and what was received")
    known = existing_bot(client, bot)
    path = f"/v1/bots/{segment(str(known['bot']))}/faults"
    found = list(islice(client.items(path), limit))
    _tell_absence(known)
    if not found:
        click.echo(f"{plain(bot, 60)} has no faults", err=True)
        return
    for fault in found:
        why = f"{fault.get('detail')}\n{fault.get('received') or ''}".strip()
        row = (fault.get(name) for name in ("at", "game", "decision", "kind", "elapsed_ms"))
        table.add_row(*(plain(text, 60) for text in row), "\n".join(plain(line, 200) for line in why.splitlines()))
    console().print(table)


def _tell_absence(bot: Mapping[str, Any]) -> None:
    if missed := bot.get("not_started"):
        where, when = plain(missed.get("match"), 60), plain(missed.get("at"), 40)
        click.echo(f"did not come up for match {where}, {when}: {plain(missed.get('detail'), 200)}")


@bots.command()
@click.argument("bot", metavar="NAME-OR-ID")
@with_client
def delete(bot: str, client: ApiClient) -> None:
    """Delete a bot; its name is free again."""
    client.delete(f"/v1/bots/{segment(str(existing_bot(client, bot)['bot']))}")
    click.echo(f"deleted {plain(bot, 60)}", err=True)
