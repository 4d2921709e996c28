"""`montego bots`: the bots that are registered at a service."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import click
from rich.table import Table

from service.cli.check_report import print_report
from service.cli.client import ApiClient, segment, with_client
from service.cli.output import plain
from service.cli.registry import existing_bot, register_once
from service.cli.registry import register as register_bot
from service.cli.terminal import console

CHECK_READS = 3
CHECK_WAIT_S = 25
MAX_GAMES = click.IntRange(1, 256)
#: What each status of a bot means.
STATUSES = {
    "online": "it polls, or answered when it was last called",
    "offline": "it has stopped polling, or did not answer when it was last called: is it running?",
    "unknown": "it has not been called yet",
}


@click.group()
def bots() -> None:
    """Register, check, change and delete the bots of a service. This needs the owner's key or an organiser's."""


def _path(bot: Mapping[str, Any], rest: str = "") -> str:
    return f"/v1/bots/{segment(str(bot['bot']))}{rest}"


@bots.command(name="list")
@with_client
def list_bots(client: ApiClient) -> None:
    """List the bots, newest first. Casual: whether others may seat them in casual games."""
    table = Table("bot", "name", "kind", "status", "version", "max games", "casual")
    for item in client.items("/v1/bots"):
        names = ("bot", "name", "kind", "status", "version", "max_games")
        cells = [plain("" if item.get(name) is None else item[name], 60) for name in names]
        table.add_row(*cells, "yes" if item.get("casual") else "no")
    console().print(table)


@bots.command()
@click.argument("bot", metavar="NAME-OR-ID")
@with_client
def show(bot: str, client: ApiClient) -> None:
    """Show a bot: what it was registered with, whether it is online, and why it last did not come up."""
    found = existing_bot(client, bot)
    status = plain(found.get("status"), 20)
    lines = {
        "bot": found.get("bot"),
        "name": found.get("name"),
        "shown as": found.get("display_name"),
        "kind": found.get("kind"),
        "url": found.get("url"),
        "casual": "yes, others may seat it in casual games" if found.get("casual") else "no",
        "max games": found.get("max_games"),
        "version": found.get("version"),
        "status": f"{status} ({STATUSES[status]})" if status in STATUSES else status,
        "last seen": found.get("last_seen"),
        "created": found.get("created"),
    }
    for name, value in lines.items():
        if value is not None:
            click.echo(f"{name:<10} {plain(value, 200)}")
    _print_absence(found)


@bots.command()
@click.argument("name")
@click.argument("bot_url", metavar="[URL]", required=False)
@click.option("--poll", is_flag=True, help="It has no URL: it polls the service.")
@click.option("--casual", is_flag=True, help="Others may seat it in casual games.")
@click.option("--max-games", type=MAX_GAMES, help="Games that it plays at the same time. [default: the service's, 4]")
@click.option("--display-name", help="The name that people are shown.")
@click.option("--if-missing", is_flag=True, help="Do nothing if it is already registered with this URL.")
@with_client
def register(name: str, bot_url: str | None, poll: bool, if_missing: bool, client: ApiClient, **options: Any) -> None:
    """Register a bot that is served at URL, or one that polls, and print its token and secret.

    Use --max-games 1 for a bot that answers one request at a time.
    """
    if poll == bool(bot_url):
        raise click.UsageError("give either the URL of the bot or --poll", click.get_current_context())
    if if_missing:
        register_once(client, name, bot_url, **options)
        return
    made = register_bot(client, name, bot_url, **options)
    click.echo("keep token and secret; they are shown only now:", err=True)
    for member in ("bot", "name", "token", "secret"):
        if made.get(member):
            click.echo(f"{member:<7} {plain(made[member], 200)}")


@bots.command()
@click.argument("bot", metavar="NAME-OR-ID")
@click.option("--bot-url", metavar="URL", help="Where a push bot is served.")
@click.option("--casual/--no-casual", default=None, help="Whether others may seat it in casual games.")
@click.option("--max-games", type=MAX_GAMES, help="Games that it plays at the same time.")
@click.option("--display-name", help="The name that people are shown; empty: none.")
@with_client
def update(bot: str, bot_url: str | None, client: ApiClient, **options: Any) -> None:
    """Change what a bot was registered with. Whatever is not given stays as it is."""
    given = {name: value for name, value in {"url": bot_url, **options}.items() if value is not None}
    if not given:
        wanted = "--bot-url, --casual, --max-games or --display-name"
        raise click.UsageError(f"give what to change: {wanted}", click.get_current_context())
    if given.get("display_name") == "":
        given["display_name"] = None
    client.patch(_path(existing_bot(client, bot)), given)
    click.echo(f"updated {plain(bot, 60)}", err=True)


@bots.command()
@click.argument("what", type=click.Choice(("token", "secret")))
@click.argument("bot", metavar="NAME-OR-ID")
@click.option("--at-once", is_flag=True, help="The old one ends now, in the middle of games, too: for one that leaked.")
@with_client
def rotate(what: str, bot: str, at_once: bool, client: ApiClient) -> None:
    """Replace a bot's token or signing secret, and print the new one. The old one stays valid for a while."""
    body = {"at_once": True} if at_once else {}
    made = client.post(_path(existing_bot(client, bot), f"/{what}"), body)
    click.echo(f"keep the {what}; it is shown only now:", err=True)
    click.echo(plain(made[what], 200))
    until = made.get(f"old_{what}_valid_until")
    ends = f"the old one stays valid until {plain(until, 40)}" if until else "the old one is no longer valid"
    click.echo(ends, err=True)


@bots.command(name="check")
@click.argument("bot", metavar="NAME-OR-ID")
@with_client
def check_bot(bot: str, client: ApiClient) -> int:
    """Let the service check whether a bot does what the bot protocol asks. The exit code is 1 for a faulty bot."""
    known = existing_bot(client, bot)
    found = client.post(_path(known, "/check"))
    for _ in range(CHECK_READS):
        if found["report"] is not None:
            return print_report(found["report"])
        found = client.get(_path(known, f"/checks/{segment(str(found['check']))}"), wait=CHECK_WAIT_S)
    raise click.ClickException("no worker has made the check: do workers run?")


@bots.command()
@click.argument("bot", metavar="NAME-OR-ID")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many, newest first.")
@with_client
def faults(bot: str, limit: int, client: ApiClient) -> None:
    """List a bot's faults, and why it last did not come up."""
    known = existing_bot(client, bot)
    found = list(islice(client.items(_path(known, "/faults")), limit))
    _print_absence(known)
    if not found:
        click.echo(f"{plain(bot, 60)} has no faults", err=True)
        return
    table = Table("at", "game", "decision", "fault", "ms", "why, and what was received")
    for fault in found:
        why = f"{fault.get('detail')}\n{fault.get('received') or ''}".strip()
        row = (fault.get(name) for name in ("at", "game", "decision", "kind", "elapsed_ms"))
        table.add_row(*(plain(text, 60) for text in row), "\n".join(plain(line, 200) for line in why.splitlines()))
    console().print(table)


def _print_absence(bot: Mapping[str, Any]) -> None:
    """Prints why a bot last did not come up, which its owner and organisers may see."""
    if missed := bot.get("not_started"):
        where, when = plain(missed.get("match"), 60), plain(missed.get("at"), 40)
        click.echo(f"did not come up for match {where}, {when}: {plain(missed.get('detail'), 200)}")


@bots.command()
@click.argument("bot", metavar="NAME-OR-ID")
@with_client
def delete(bot: str, client: ApiClient) -> None:
    """Delete a bot. Its name is free again."""
    client.delete(_path(existing_bot(client, bot)))
    click.echo(f"deleted {plain(bot, 60)}", err=True)
