"""What a comparison of two bots knows while it is played."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

import click

from service.cli.client import Client, ServiceError, segment, with_client
from service.cli.demo import named_url
from service.cli.output import plain, say, show
from service.cli.registry import existing_bot, register_once
from service.cli.terminal import console
from service.cli.up import hosted
from service.cli.watching import OVER, Patience
from service.ids import parse_match_id
from service.tournament.plan import Plan
from service.tournament.results import MatchResult
from service.tournament.schedule import Schedule
from service.tournament.sequential_test import BETTER, NOT_BETTER, PairedDifferences, SequentialTest, Verdict


@dataclass(frozen=True, slots=True)
class Match:
    """Who is compared against whom. `most`: pairs of blocks to play at most; `settings`: more members of the body."""

    first: str
    second: str
    field: tuple[str, ...]
    seed: str
    most: int
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
            "deals": -(-self.most // sets),
            "seed": self.seed,
            **self.settings,
        }


def schedule_of(made: Mapping[str, Any], match: Match) -> Schedule:
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
            seed=match.seed,
        )
    )


class Comparison:
    """Takes the events of the tournament, and gives the test each pair of blocks in the order of the schedule."""

    def __init__(self, schedule: Schedule, match: Match, test: SequentialTest) -> None:
        self.match = match
        self.seen = 0
        self.over = False
        self._schedule = schedule
        self._test = test
        self._given = 0
        self._matches = 0
        self._differences = PairedDifferences(schedule, match.first, match.second)

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
            if self._given == self.match.most:
                break
            self._given += 1
            self._test.add(difference)
        self.over = self.over or self._given >= self.match.most

    def line(self) -> str:
        """How it stands, in one line."""
        verdict = self.verdict
        mean = "" if verdict.mean is None else f", {verdict.mean:+.3f} a match"
        return (
            f"{self._matches} matches, {verdict.units} pairs of blocks{mean}; "
            f"evidence for better {verdict.for_better:.2g}, for not better {verdict.against_better:.2g}"
        )

    def cancel(self, client: Client, tournament: str) -> None:
        """Ends the tournament, whether it is needed or not. Raises ServiceError."""
        try:
            client.post(f"/v1/tournaments/{segment(tournament)}/cancellation")
        except ServiceError as error:
            if error.code != "wrong_state":
                raise

    def absences(self, client: Client, tournament: str) -> dict[str, int]:
        """Matches that bots lost because they did not come up, by name; of those who lost any. Raises ServiceError."""
        rows = client.get(f"/v1/tournaments/{segment(tournament)}/standings")["standings"]
        return {str(row["name"]): int(row["not_started"]) for row in rows if row["not_started"]}


def read_events(client: Client, tournament: str, after: int, wait: int, patience: Patience) -> list[dict[str, Any]]:
    """Events after number `after`, waited for; none while the service is gone. Raises ServiceError."""
    try:
        found = client.get(f"/v1/tournaments/{segment(tournament)}/events", after=after, wait=wait)
    except ServiceError as error:
        patience.bear(error)
        time.sleep(0.5)
        return []
    patience.answered()
    if not isinstance(found, dict) or not isinstance(found.get("events"), list):
        raise ServiceError(f"{plain(client.url, 200)}: the answer has no events; is this a Montego Bay service?")
    events: list[dict[str, Any]] = found["events"]
    return events


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
@with_client
def compare(local: bool, client: Client, margin: float, error: float, **options: Any) -> None:
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
        played = _play(client, time.sleep, test, **options)
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
