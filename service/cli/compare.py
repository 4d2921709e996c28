"""`montego compare`: a tournament of two bots against the same field, until a sequential test has decided."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from math import comb
from typing import Any

import click

from service.cli.client import ApiClient, ServiceError, segment, with_client
from service.cli.demo import named_url
from service.cli.output import plain
from service.cli.registry import existing_bot, register_once
from service.cli.terminal import console
from service.cli.up import hosted
from service.cli.watching import OVER, Outage
from service.ids import parse_match_id
from service.tournament.plan import Plan
from service.tournament.results import MatchResult
from service.tournament.schedule import Schedule
from service.tournament.sequential_test import BETTER, NOT_BETTER, PairedDifferences, SequentialTest, Verdict

EXIT_NOT_BETTER = 3
EXIT_UNDECIDED = 4
#: How long each request waits for events.
WAIT_S = 2
#: Where the output is no terminal, there is a line of progress at most so often.
LINE_S = 10.0


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """Who is compared, and against whom. `max_pairs`: pairs of blocks to play at most; `settings`: more members of the
    tournament."""

    first: str
    second: str
    field: tuple[str, ...]
    seed: str
    max_pairs: int
    settings: Mapping[str, Any]

    def body(self) -> dict[str, Any]:
        """The body of POST /v1/tournaments. Raises click.UsageError if the field is too small."""
        sets = comb(len(self.field), self.settings["players"] - 1)
        if not sets:
            raise click.UsageError(
                f"with {self.settings['players']} players the field needs {self.settings['players'] - 1} bots",
                click.get_current_context(),
            )
        return {
            "name": f"{self.first} or {self.second}"[:60],
            "format": "gauntlet",
            "challengers": [self.first, self.second],
            "bots": list(self.field),
            "deals": -(-self.max_pairs // sets),
            "seed": self.seed,
            **self.settings,
        }


def schedule_of(made: Mapping[str, Any], plan: ComparisonPlan) -> Schedule:
    """The schedule of the tournament that was made for it: the same here as there, since the seed is ours."""
    settings = made["settings"]
    return Schedule(
        Plan(
            format=settings["format"],
            entrants=tuple(settings["bots"]),
            challengers=tuple(settings["challengers"]),
            players=settings["players"],
            deals=settings["deals"],
            sets=settings["sets"],
            seatings=settings["seatings"],
            seed=plan.seed,
        )
    )


class Comparison:
    """Takes the events of the tournament, and gives the test each pair of blocks in the order of the schedule."""

    def __init__(self, schedule: Schedule, plan: ComparisonPlan, test: SequentialTest) -> None:
        self.plan = plan
        self.seen = 0
        self.over = False
        self._schedule = schedule
        self._test = test
        self._given = 0
        self._matches = 0
        self._differences = PairedDifferences(schedule, plan.first, plan.second)

    @property
    def verdict(self) -> Verdict:
        return self._test.verdict

    def take(self, events: list[dict[str, Any]]) -> None:
        """New events of the tournament, in order."""
        for event in events:
            self.seen = int(event["n"])
            if event["type"] in ("match_finished", "match_cancelled"):
                self._note(event)
            self.over = self.over or event["type"] in OVER
        self._judge()

    def _note(self, event: Mapping[str, Any]) -> None:
        named = parse_match_id(str(event["match"]))
        assert named is not None, "the service gives matches ids of this form"
        pairing = self._schedule.block(named.block).pairings[named.seating]
        places = event.get("places")
        self._matches += 1
        self._differences.add(
            MatchResult(
                match=pairing.match,
                block=pairing.block,
                seating=pairing.seating,
                attempt=0,
                status="finished" if event["type"] == "match_finished" else "cancelled",
                seats=pairing.seats,
                points=tuple(event["points"]),
                places=None if places is None else tuple(places),
            )
        )

    def _judge(self) -> None:
        for difference in self._differences.ready():
            if self._given == self.plan.max_pairs:
                break
            self._given += 1
            self._test.add(difference)
        self.over = self.over or self._given >= self.plan.max_pairs

    def line(self) -> str:
        """How it stands, in one line."""
        verdict = self.verdict
        mean = "" if verdict.mean is None else f", {verdict.mean:+.3f} per match"
        return (
            f"{self._matches} matches, {verdict.units} pairs of blocks{mean}; "
            f"evidence for better {verdict.for_better:.2g}, for not better {verdict.against_better:.2g}"
        )


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
    help="Smallest advantage worth finding, in score per match.",
)
@click.option(
    "--error",
    type=click.FloatRange(0.0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Chance of each wrong verdict.",
)
@click.option(
    "--max-pairs",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="Pairs of blocks after which the comparison ends undecided.",
)
@click.option("--move-ms", type=int, help="Time for a decision (milliseconds).")
@click.option("--bank-ms", type=int, help="Time beyond that, for a whole match (milliseconds).")
@click.option("--warmup-ms", type=int, help="Time for a bot to come up before a match (milliseconds).")
@click.option("--seed", help="Fixes seats and deals. [default: drawn]")
@click.option("--local", is_flag=True, help="Start a service with the named bots here, and end it afterwards.")
@with_client
def compare(
    first: str,
    second: str,
    field: tuple[str, ...],
    local: bool,
    client: ApiClient,
    margin: float,
    error: float,
    **options: Any,
) -> int:
    """Is B better than A, against the same field?

    Bots are names at the service (with --local: of reference bots), or NAME=URL for a bot served there. A and B play
    the same deals against the same opponents, block after block, in one gauntlet, which is cancelled as soon as a
    sequential test has decided.

    Exit code: 0 B is better, 3 it is not better, 4 undecided after --max-pairs pairs of blocks.
    """
    test = SequentialTest(margin, error, error)
    names = (first, second, *field)
    if local:
        click.echo("starting Redis, API, reference bots and workers …", err=True)
        with hosted(None, None, [name for name in names if "=" not in name]) as stack:
            there = ApiClient(stack.url, stack.organiser_key)
            played = _play(there, stack.supervisor.watch, test, names, **options)
    else:
        played = _play(client, time.sleep, test, names, **options)
    _print_verdict(played, margin, error)
    return {BETTER: 0, NOT_BETTER: EXIT_NOT_BETTER}.get(played.verdict.decided or "", EXIT_UNDECIDED)


def _play(
    client: ApiClient,
    watch: Callable[[float], None],
    test: SequentialTest,
    names: tuple[str, ...],
    seed: str | None,
    max_pairs: int,
    **settings: Any,
) -> Comparison:
    """Plays until the test has decided, or as long as it may. Raises ServiceError, click.UsageError."""
    first, second, *field = (_known(client, name) for name in names)
    if len({first, second, *field}) < len(names):
        raise click.UsageError("A, B and the field must be different bots", click.get_current_context())
    given = {name: value for name, value in settings.items() if value is not None}
    plan = ComparisonPlan(first, second, tuple(field), seed or secrets.token_hex(16), max_pairs, given)
    made = client.post("/v1/tournaments", plan.body())
    path = f"/v1/tournaments/{segment(str(made['tournament']))}"
    try:
        click.echo(f"is {second} better than {first}? tournament {plain(made['tournament'], 100)}", err=True)
        comparison = Comparison(schedule_of(made, plan), plan, test)
        _follow(client, path, comparison, watch)
    finally:
        _cancel(client, path)
    for row in client.get(f"{path}/standings")["standings"]:
        if missed := int(row["not_started"]):
            lost = "1 match and lost it" if missed == 1 else f"{missed} matches and lost them"
            click.echo(f"{plain(row['name'], 100)} did not come up for {lost}: is it running?", err=True)
    return comparison


def _known(client: ApiClient, item: str) -> str:
    """The name of a bot at the service; one given as NAME=URL is registered if it is not there yet."""
    if "=" in item:
        name, url = named_url(item, "A, B and --against")
        register_once(client, name, url)
        return name
    return str(existing_bot(client, item)["name"])


def _follow(client: ApiClient, path: str, comparison: Comparison, watch: Callable[[float], None]) -> None:
    """Feeds the comparison with what is played until it has decided or the tournament is over."""
    outage = Outage()
    terminal = console(errors=True)
    printed, next_line = "", 0.0
    with terminal.status("playing …") if terminal.is_terminal else nullcontext() as status:
        while comparison.verdict.decided is None and not comparison.over:
            events = _read_events(client, path, comparison.seen, outage)
            comparison.take(events)
            line = comparison.line()
            if status:
                status.update(line)
            elif line != printed and time.monotonic() >= next_line:
                click.echo(line, err=True)
                printed, next_line = line, time.monotonic() + LINE_S
            if not events:
                watch(0.2)


def _read_events(client: ApiClient, path: str, after: int, outage: Outage) -> list[dict[str, Any]]:
    """Events after number `after`, waited for; none while the service is gone. Raises ServiceError."""
    try:
        found = client.get(f"{path}/events", after=after, wait=WAIT_S)
    except ServiceError as error:
        outage.failed(error)
        time.sleep(0.5)
        return []
    outage.answered()
    if not isinstance(found, dict) or not isinstance(found.get("events"), list):
        raise ServiceError(f"{plain(client.url, 200)}: the answer has no events; is this a Montego Bay service?")
    if found.get("reset"):
        # What was counted cannot be taken back from a sequential test.
        raise ServiceError("the service has lost part of this tournament (its Redis was set back): compare again")
    events: list[dict[str, Any]] = found["events"]
    return events


def _cancel(client: ApiClient, path: str) -> None:
    """Cancels the tournament if it is not over. Raises ServiceError."""
    try:
        client.post(f"{path}/cancellation")
    except ServiceError as error:
        if error.code != "wrong_state":
            raise


def _print_verdict(comparison: Comparison, margin: float, error: float) -> None:
    first, second = comparison.plan.first, comparison.plan.second
    verdict = comparison.verdict
    decided = {
        BETTER: f"{second} is better than {first}",
        NOT_BETTER: f"{second} is not better than {first} by {margin:g} or more",
    }.get(verdict.decided or "", "undecided")
    mean = "nothing played" if verdict.mean is None else f"{verdict.mean:+.3f} in score per match"
    click.echo(f"{decided}: {mean} over {verdict.units} pairs of blocks")
    click.echo(f"each wrong verdict has a chance of at most {error:g}")
