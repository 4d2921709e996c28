"""`montego compare`: is one bot better than another? Plays until a sequential test has decided."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

import click

from service.cli.client import Client
from service.cli.comparison import Comparison, Match, read_events, schedule_of
from service.cli.demo import named_url
from service.cli.hosting import hosted
from service.cli.options import client_of, service_options
from service.cli.output import console, plain, say, show
from service.cli.registry import existing_bot, register_once
from service.cli.watching import Patience
from service.tournament.compare import BETTER, NOT_BETTER, SequentialTest

EXIT_NOT_BETTER = 3
EXIT_UNDECIDED = 4
#: The bots are asked for news of so many seconds at a time.
WAIT_SECONDS = 2


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--against", "field", multiple=True, required=True, metavar="BOT", help="The field (repeatable).")
@click.option("--players", type=click.IntRange(2, 4), default=2, show_default=True, help="Players in a match.")
@click.option(
    "--margin",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Least advantage worth finding, in score a match.",
)
@click.option(
    "--error",
    type=click.FloatRange(0.0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Chance of either wrong verdict.",
)
@click.option("--most", type=click.IntRange(1, 100_000), default=1000, show_default=True, help="Most pairs of blocks.")
@click.option("--move-ms", type=int, help="Time for a decision.")
@click.option("--bank-ms", type=int, help="Time over that, for a whole match.")
@click.option("--warmup-ms", type=int, help="Time for a bot to come up.")
@click.option("--seed", help="Fixes seats and deals. [default: drawn]")
@click.option(
    "--local", is_flag=True, help="Start a service for it here, with the bots that are named, and end it afterwards."
)
@service_options
def compare(local: bool, url: str, key: str | None, margin: float, error: float, **options: Any) -> None:
    """Is B better than A, against the same field?

    Bots are names at the service (with --local: of reference bots), or NAME=URL for a bot served there. A and B play
    the same deals against the same opponents, block after block, in one gauntlet, which is cancelled as soon as a
    sequential test has decided.

    Exit code: 0 B is better, 3 it is not better, 4 undecided after --most pairs of blocks.
    """
    test = SequentialTest(margin, error, error)
    if local:
        say("starting Redis, API, reference bots and workers …")
        named = (options["first"], options["second"], *options["field"])
        with hosted(None, None, [name for name in named if "=" not in name]) as stack:
            played = _play(Client(stack.url, stack.organiser_key), stack.supervisor.watch, test, **options)
    else:
        played = _play(client_of(url, key), time.sleep, test, **options)
    _tell(played, margin, error)
    code = {BETTER: 0, NOT_BETTER: EXIT_NOT_BETTER}.get(played.verdict.decided or "", EXIT_UNDECIDED)
    click.get_current_context().exit(code)


def _play(client: Client, watch: Callable[[float], None], test: SequentialTest, **options: Any) -> Comparison:
    """Plays until the test has decided, or as long as it may. Raises ServiceError, click.UsageError."""
    first, second, *field = (
        _known(client, item) for item in (options.pop("first"), options.pop("second"), *options.pop("field"))
    )
    if len({first, second, *field}) < 2 + len(field):
        raise click.UsageError("A, B and the field must be different bots", click.get_current_context())
    seed, most = options.pop("seed") or secrets.token_hex(16), options.pop("most")
    given = {name: value for name, value in options.items() if value is not None}
    match = Match(first, second, tuple(field), seed, most, given)
    made = client.post("/v1/tournaments", match.body())
    tournament = str(made["tournament"])
    comparison = Comparison(schedule_of(made, match), match, test)
    say(f"is {second} better than {first}? tournament {plain(tournament, 100)}, at most {most} pairs of blocks")
    try:
        _follow(client, tournament, comparison, watch)
    finally:
        comparison.cancel(client, tournament)
    for name, matches in comparison.absences(client, tournament).items():
        said = "1 match and lost it" if matches == 1 else f"{matches} matches and lost them"
        say(f"{plain(name, 100)} did not come up for {said}: is it there?")
    return comparison


def _known(client: Client, item: str) -> str:
    """The name of a bot at the service; one given as NAME=URL is registered if it is not there yet."""
    if "=" in item:
        name, url = named_url(item, "A, B and --against")
        register_once(client, name, url)
        return name
    return str(existing_bot(client, item)["name"])


def _follow(client: Client, tournament: str, comparison: Comparison, watch: Callable[[float], None]) -> None:
    """Feeds the comparison with what is played until it has decided or the tournament is over."""
    patience = Patience()
    terminal = console(errors=True)
    said, next_line = "", 0.0
    with terminal.status("playing …") if terminal.is_terminal else _Quiet() as status:
        while comparison.verdict.decided is None and not comparison.over:
            events = read_events(client, tournament, comparison.seen, WAIT_SECONDS, patience)
            comparison.take(events)
            line = comparison.line()
            status.update(line)
            if not terminal.is_terminal and line != said and time.monotonic() >= next_line:
                say(line)
                said, next_line = line, time.monotonic() + 10.0
            if not events:
                watch(0.2)


class _Quiet:
    """Stands for the line of a terminal where there is none."""

    def __enter__(self) -> _Quiet:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, status: str) -> None:
        """Shows nothing."""


def _tell(comparison: Comparison, margin: float, error: float) -> None:
    first, second = comparison.match.first, comparison.match.second
    verdict = comparison.verdict
    said = {
        BETTER: f"{second} is better than {first}",
        NOT_BETTER: f"{second} is not better than {first} by {margin:g} or more",
    }
    mean = "nothing played" if verdict.mean is None else f"{verdict.mean:+.3f} in score a match"
    show(f"{said.get(verdict.decided or '', 'undecided')}: {mean} over {verdict.units} pairs of blocks")
    show(f"either wrong verdict has a chance of at most {error:g}")
