"""`montego check` and `montego ask`: a bot put to the test, without a service."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

import click
from rich.table import Table

from service.cli.client import checked_url
from service.cli.output import plain
from service.cli.records import Refused, verified
from service.cli.terminal import console
from service.processes.commands import ask_command, check_command

FAULTY = 1
GRADES = {
    "ready": "ready: nothing to fix",
    "fair": "fair: it can play; there is advice",
    "faulty": "faulty: it would lose decisions or matches",
}


@click.command()
@click.argument("url", metavar="URL")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def check(url: str, as_json: bool) -> int:
    """Check whether the push bot at URL does what the bot protocol asks, and say what to fix.

    It plays a game and answers scripted asks, odd ones and hostile ones among them; no service is needed.
    MONTEGO_BOT_SECRET (whsec_…) in the environment: the secret that the bot checks signatures with. The exit code is 1
    for a bot that is faulty.
    """
    report = _run(check_command(checked_url(url)))
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        print_report(report)
    return FAULTY if report["grade"] == "faulty" else 0


def print_report(report: dict[str, Any]) -> None:
    """The findings, one by one, with what to fix, and the grade."""
    table = Table(show_lines=False)
    for heading in ("check", "grade", "found, and what to fix"):
        table.add_column(heading)
    for finding in report["findings"]:
        told = plain(finding["detail"])
        if finding["fix"]:
            told += f"\n→ {plain(finding['fix'])}"
        table.add_row(plain(finding["check"], 60), plain(finding["grade"], 20), told)
    console().print(table)
    version = report["version"]
    about = f", version {plain(version, 60)}" if version else ""
    click.echo(f"{GRADES.get(report['grade'], plain(report['grade'], 20))} ({plain(report['asks'], 20)} asks{about})")


@click.command()
@click.argument("record", metavar="RECORD")
@click.option("--round", "round_", type=click.IntRange(min=1), required=True, help="Round of the decision, from 1.")
@click.option("--seat", type=click.IntRange(0, 3), required=True, help="Seat that was asked.")
@click.option("--bot", "bot_url", metavar="URL", required=True, help="Where the push bot is served.")
@click.option("--budget-ms", type=click.IntRange(10, 3_600_000), default=5000, show_default=True, help="Its budget.")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def ask(record: str, round_: int, seat: int, bot_url: str, budget_ms: int, as_json: bool) -> int:
    """Send a bot what a seat was asked in a finished game, and compare its answers with those given then.

    RECORD is a file or a URL. Every decision of that seat in that round is asked, rebuilt from the record.
    MONTEGO_BOT_SECRET (whsec_…) in the environment: the secret that the bot checks signatures with. The exit code is 1
    if an answer would have been a fault.
    """
    try:
        found = verified(record)
    except Refused as error:
        raise click.ClickException(f"{record}: {error.format_message()}") from None
    if seat >= found["players"]:
        raise click.ClickException(f"the game has {found['players']} players: there is no seat {seat}")
    command = ask_command(checked_url(bot_url), round_, seat, budget_ms)
    asks = _run(command, json.dumps(found))["asks"]
    if not asks:
        raise click.ClickException(f"seat {seat} was asked nothing in round {round_}")
    if as_json:
        click.echo(json.dumps(asks, ensure_ascii=False))
    else:
        for answer in asks:
            _print_answer(answer)
    return FAULTY if any(answer["now"]["fault"] for answer in asks) else 0


def _print_answer(answer: dict[str, Any]) -> None:
    then, now = answer["then"], answer["now"]
    click.echo(plain(answer["decision"], 60))
    why = "" if then["by"] == "player" else f" (by default{': ' + then['fault'] if then['fault'] else ''})"
    click.echo(f"  then  {_action(then['action'])}{why}")
    if now["fault"]:
        click.echo(f"  now   {plain(now['fault'], 20)}: {plain(now['detail'])}")
    else:
        compared = "the same" if answer["same"] else "another"
        click.echo(f"  now   {_action(now['action'])}, after {now['elapsed_ms']} ms: {compared}")


def _action(action: dict[str, Any]) -> str:
    return plain(json.dumps(action, ensure_ascii=False))


def _run(command: Sequence[str], given: str = "") -> Any:
    """What the command prints, as JSON. Raises click.ClickException with what it says when it fails."""
    click.echo("asking the bot …", err=True)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        raise click.ClickException(lines[-1])
    return json.loads(done.stdout)
