"""`montego bot`: a reference bot."""

from __future__ import annotations

import logging
import os

import click

from bots.reference import RUNGS, NoSearchError, UnknownBotError, make_bot
from bots.search import SearchLimits
from montego_bot import BadSecret, CannotListen, Refused, run_poll, run_push
from service.cli.options import host_option
from service.protocol import BOT_NAME

IDEAS = "\n".join(f"  {rung.name:<12}{rung.idea}" for rung in RUNGS)


def _checked_name(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    if name is not None and not BOT_NAME.fullmatch(name):
        raise click.BadParameter(f"a bot's name is 1 to 40 of a-z 0-9 . _ -, not {name!r}")
    return name


@click.command(epilog=f"\b\nBots:\n{IDEAS}")
@click.argument("bot_name", metavar="NAME")
@host_option
@click.option(
    "--port", type=click.IntRange(0, 65535), default=9000, show_default=True, help="Port to listen on; 0: a free one."
)
@click.option("--poll", "service", metavar="URL", help="Poll this service instead of listening.")
@click.option("--name", callback=_checked_name, help="Name that it gives itself. [default: NAME]")
@click.option("--seed", help="Seed of its random numbers. [default: NAME]")
@click.option("--iterations", type=click.IntRange(1, 10_000_000), help="For a bot that searches. [default: its own]")
@click.option("--by-clock", is_flag=True, help="A bot that searches uses the time that each decision has.")
def bot(
    bot_name: str,
    host: str,
    port: int,
    service: str | None,
    name: str | None,
    seed: str | None,
    iterations: int | None,
    by_clock: bool,
) -> None:
    """Run the reference bot NAME, as a web server or (with --poll) as a client of a service.

    A number behind the name (greedy-2) gives the same bot another name and seed. Secrets come from the environment:
    with MONTEGO_BOT_SECRET (whsec_…; several, separated by spaces, during a rotation) only signed asks are answered;
    --poll needs the bot's token in MONTEGO_BOT_TOKEN.
    """
    if by_clock and iterations is not None:
        raise click.UsageError("--iterations and --by-clock exclude each other", click.get_current_context())
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)
    limits = SearchLimits(iterations) if by_clock or iterations is not None else None
    try:
        player = make_bot(bot_name, name=name, seed=seed, limits=limits)
        if service is None:
            run_push(player, host=host, port=port, secrets=os.environ.get("MONTEGO_BOT_SECRET", "").split())
        elif token := os.environ.get("MONTEGO_BOT_TOKEN", "").strip():
            run_poll(player, url=service, token=token)
        else:
            raise click.ClickException("--poll needs the bot's token in MONTEGO_BOT_TOKEN")
    except BadSecret as error:
        raise click.ClickException(f"MONTEGO_BOT_SECRET: {error}") from None
    except (UnknownBotError, NoSearchError, CannotListen, Refused) as error:
        raise click.ClickException(str(error)) from None
