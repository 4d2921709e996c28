"""Watching a tournament: its progress, the time left, and the table as it stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from service.cli.client import ApiClient, ServiceError, Unreachable, segment
from service.cli.output import plain
from service.cli.standings import standings_table
from service.cli.terminal import console

OVER = frozenset(("finished", "cancelled", "failed"))
POLL_S = 0.5
#: The table is fetched at most so often.
TABLE_S = 1.0
#: Where the output is no terminal, there is a line of progress at most so often.
LINE_S = 10.0
#: A service that restarts is given so long to come back.
MAX_OUTAGE_S = 30.0

State = dict[str, Any]
Viewer = Callable[[State], None]


def wait_until_over(
    client: ApiClient, tournament: str, watch: Callable[[float], None], *, table: bool = False
) -> State:
    """Shows the progress until the tournament is over. Returns its last state.

    `watch` waits for the given seconds. `table`: in a terminal, the standings are shown as well. A service that cannot
    be reached or answers 5xx is asked again for a while. Raises ServiceError.
    """
    path = f"/v1/tournaments/{segment(tournament)}"
    outage = Outage()
    with _viewer(client, path, table) as view:
        while True:
            try:
                found: State = client.get(path)
                view(found)
                outage.answered()
                if found.get("status") in OVER:
                    return found
            except ServiceError as error:
                outage.failed(error)
            watch(POLL_S)


class Outage:
    """How long a service has been gone. One that is gone for a moment is asked again."""

    def __init__(self) -> None:
        self._since: float | None = None

    def answered(self) -> None:
        """Notes that the service is there."""
        self._since = None

    def failed(self, error: ServiceError) -> None:
        """Notes that it is not. Raises the error if that will not pass, or has lasted too long."""
        now = time.monotonic()
        self._since = self._since or now
        if not _is_passing(error) or now - self._since > MAX_OUTAGE_S:
            raise error


def _is_passing(error: ServiceError) -> bool:
    """Whether a later try may succeed: the service is starting again, or its Redis is."""
    return isinstance(error, Unreachable) or (error.status or 0) >= 500


@contextmanager
def _viewer(client: ApiClient, path: str, table: bool) -> Iterator[Viewer]:
    """What shows each new state: in a terminal a bar (and a table), else a line now and then."""
    terminal = console(errors=True)
    if not terminal.is_terminal:
        yield _Lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    progress = Progress(*columns, TextColumn("left"), TimeRemainingColumn(elapsed_when_finished=False))
    with Live(progress, console=terminal, transient=True, refresh_per_second=4) as live:
        yield _Screen(client, path, live, progress, table)


class _Screen:
    """A progress bar, and above it the table."""

    def __init__(self, client: ApiClient, path: str, live: Live, progress: Progress, table: bool) -> None:
        self._client = client
        self._path = path
        self._live = live
        self._progress = progress
        self._task = progress.add_task("matches", total=None)
        self._with_table = table
        self._next = 0.0
        self._shown = -1

    def __call__(self, state: State) -> None:
        finished, total, cancelled = _counts(state)
        status = plain(state.get("status"), 20)
        self._progress.update(
            self._task,
            completed=finished,
            total=total - cancelled or None,
            description="matches" if status == "running" else status,
        )
        now = time.monotonic()
        if self._with_table and finished != self._shown and now >= self._next:
            rows = self._client.get(f"{self._path}/standings")["standings"]
            self._live.update(Group(standings_table(rows, state.get("name")), self._progress))
            self._next, self._shown = now + TABLE_S, finished


class _Lines:
    """A line whenever matches have finished, but not too often."""

    def __init__(self) -> None:
        self._next = 0.0
        self._printed: tuple[int, int, int] | None = None

    def __call__(self, state: State) -> None:
        counts = _counts(state)
        now = time.monotonic()
        finished, total, cancelled = counts
        if counts != self._printed and (now >= self._next or finished + cancelled == total):
            click.echo(
                f"{finished} of {total} matches finished{f', {cancelled} cancelled' if cancelled else ''}", err=True
            )
            self._next, self._printed = now + LINE_S, counts


def _counts(state: State) -> tuple[int, int, int]:
    """How many matches are finished, how many there are, and how many will not be played."""
    matches = state.get("matches", {})
    return int(matches.get("finished", 0)), int(matches.get("total", 0)), int(matches.get("cancelled", 0))
