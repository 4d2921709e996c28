"""`montego check` and `montego ask`: a bot put to the test, without a service."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from service.addresses import UrlRefused
from service.cli.check_report import EXIT_FAULTY, print_report
from service.cli.output import plain
from service.cli.records import Refused, verified
from workers.conformance import check_bot_at
from workers.operator_calls import InvalidSecret, known_secrets
from workers.replay_ask import replay_asks


@click.command()
@click.argument("url", metavar="URL")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def check(url: str, as_json: bool) -> int:
    """Check whether the push bot at URL does what the bot protocol asks, and print what to fix.

    The check plays a game and sends scripted asks, some of them odd or hostile. No service is needed. If the bot checks
    signatures, put its secret (whsec_…) into MONTEGO_BOT_SECRET. The exit code is 1 for a faulty bot.
    """
    with _calling_the_bot():
        report = check_bot_at(url, known_secrets(os.environ)).to_json()
    if not as_json:
        return print_report(report)
    click.echo(json.dumps(report))
    return EXIT_FAULTY if report["grade"] == "faulty" else 0


@click.command()
@click.argument("record", metavar="RECORD")
@click.option("--round", "round_", type=click.IntRange(min=1), required=True, help="Round of the decisions, from 1.")
@click.option("--seat", type=click.IntRange(0, 3), required=True, help="Seat that was asked.")
@click.option("--bot", "bot_url", metavar="URL", required=True, help="Where the push bot is served.")
@click.option(
    "--budget-ms",
    type=click.IntRange(10, 3_600_000),
    default=5000,
    show_default=True,
    help="Time for each answer (milliseconds).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def ask(record: str, round_: int, seat: int, bot_url: str, budget_ms: int, as_json: bool) -> int:
    """Ask a bot what a seat was asked in a finished game, and compare its answers with those given then.

    RECORD is a file or a URL. Every decision of that seat in that round is asked, rebuilt from the record. If the bot
    checks signatures, put its secret (whsec_…) into MONTEGO_BOT_SECRET. The exit code is 1 if an answer is at fault.
    """
    try:
        found = verified(record)
    except Refused as error:
        raise click.ClickException(f"{record}: {error.format_message()}") from None
    if seat >= found["players"]:
        raise click.ClickException(f"the game has {found['players']} players: there is no seat {seat}")
    with _calling_the_bot():
        secrets = known_secrets(os.environ)
        asked = replay_asks(bot_url, secrets, found, round_=round_, seat=seat, budget_ms=budget_ms)
    if not asked:
        raise click.ClickException(f"seat {seat} was asked nothing in round {round_}")
    answers = [answer.to_json() for answer in asked]
    if as_json:
        click.echo(json.dumps(answers))
    else:
        for answer in answers:
            _print_answer(answer)
    return EXIT_FAULTY if any(answer["now"]["fault"] for answer in answers) else 0


@contextmanager
def _calling_the_bot() -> Iterator[None]:
    """Says so, and turns what cannot be called, or called with, into click.ClickException."""
    click.echo("asking the bot …", err=True)
    try:
        yield
    except UrlRefused as error:
        raise click.ClickException(f"the URL cannot be called: {error}") from None
    except InvalidSecret as error:
        raise click.ClickException(str(error)) from None


def _print_answer(answer: Mapping[str, Any]) -> None:
    then, now = answer["then"], answer["now"]
    click.echo(plain(answer["decision"], 60))
    why = "" if then["by"] == "player" else f" (by default{': ' + then['fault'] if then['fault'] else ''})"
    click.echo(f"  then  {_action(then['action'])}{why}")
    if now["fault"]:
        click.echo(f"  now   {plain(now['fault'], 20)}: {plain(now['detail'])}")
    else:
        compared = "the same" if answer["same"] else "another"
        click.echo(f"  now   {_action(now['action'])}, after {now['elapsed_ms']} ms: {compared}")


def _action(action: Mapping[str, Any]) -> str:
    return plain(json.dumps(action, ensure_ascii=False))
