"""What a comparison of two bots knows while it is played."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

import click

from service.cli.client import Client, ServiceError, segment
from service.cli.output import plain
from service.cli.watching import OVER, Patience
from service.tournament.compare import SequentialTest, Verdict, difference, pairs
from service.tournament.plan import Plan
from service.tournament.results import MatchResult
from service.tournament.schedule import Schedule


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
        self._results: dict[int, MatchResult] = {}
        self._cancelled: set[int] = set()
        self._pairs = pairs(schedule, match.first, match.second)
        self._pair = next(self._pairs, None)
        """The first pair of blocks that the test has not had."""

    @property
    def verdict(self) -> Verdict:
        return self._test.verdict

    def take(self, events: list[dict[str, Any]]) -> None:
        """New events of the tournament, in order."""
        before = len(self._results)
        for event in events:
            self.seen = int(event["n"])
            if event["type"] in ("match_finished", "match_cancelled"):
                self._note(event)
            self.over = self.over or event["type"] in OVER
        if len(self._results) > before:
            self._judge()

    def _note(self, event: Mapping[str, Any]) -> None:
        number = int(str(event["match"]).rpartition("-")[2])
        pairing = self._schedule.pairing(number)
        places = event.get("places")
        if event["type"] == "match_cancelled":
            self._cancelled.add(pairing.block)
        self._results[number] = MatchResult(
            match=number,
            block=pairing.block,
            seating=pairing.seating,
            attempt=0,
            status="finished" if event["type"] == "match_finished" else "cancelled",
            seats=pairing.seats,
            points=tuple(event["points"]),
            places=None if places is None else tuple(places),
        )

    def _judge(self) -> None:
        while self._pair is not None and self._given < self.match.most:
            mine, theirs = self._pair
            if self._cancelled.isdisjoint((mine.number, theirs.number)):
                value = difference(mine, theirs, self._results, self.match.first, self.match.second)
                if value is None:
                    break
                self._given += 1
                self._test.add(value)
            self._pair = next(self._pairs, None)
        self.over = self.over or self._given >= self.match.most

    def line(self) -> str:
        """How it stands, in one line."""
        verdict = self.verdict
        mean = "" if verdict.mean is None else f", {verdict.mean:+.3f} a match"
        return (
            f"{len(self._results)} matches, {verdict.units} pairs of blocks{mean}; "
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
