"""A tournament in the terminal: its progress while it runs, its standings as a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from service.cli.client import Client, ServiceError, Unreachable, segment
from service.cli.output import console, plain, say

OVER = frozenset(("finished", "cancelled", "failed"))
POLL_SECONDS = 0.5
#: Where the output is no terminal, a line of progress so often (seconds).
LINE_SECONDS = 10.0
#: A service that restarts is given so long to come back (seconds).
PATIENCE_SECONDS = 30.0


def wait_until_over(client: Client, tournament: str, watch: Callable[[float], None]) -> dict[str, Any]:
    """Shows the progress until the tournament is over, and returns its last description.

    `watch` passes the given seconds. A service that cannot be reached or answers 5xx is asked again for a while;
    then ServiceError.
    """
    path = f"/v1/tournaments/{segment(tournament)}"
    lost_since: float | None = None
    with _progress() as advance:
        while True:
            try:
                found: dict[str, Any] = client.get(path)
                lost_since = None
            except ServiceError as error:
                lost_since = lost_since or time.monotonic()
                passing = isinstance(error, Unreachable) or (error.status or 0) >= 500
                if not passing or time.monotonic() - lost_since > PATIENCE_SECONDS:
                    raise
            else:
                matches = found.get("matches", {})
                advance(int(matches.get("finished", 0)), int(matches.get("total", 0)))
                if found.get("status") in OVER:
                    return found
            watch(POLL_SECONDS)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A function to be told of the matches finished and their total: a bar in a terminal, else a line now and then."""
    terminal = console(errors=True)
    if not terminal.is_terminal:
        yield _Lines()
        return
    columns = (TextColumn("matches"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal, transient=True) as progress:
        task = progress.add_task("matches", total=None)
        yield lambda finished, total: progress.update(task, completed=finished, total=total or None)


class _Lines:
    def __init__(self) -> None:
        self._next = 0.0
        self._said: tuple[int, int] | None = None

    def __call__(self, finished: int, total: int) -> None:
        now = time.monotonic()
        if (finished, total) != self._said and (now >= self._next or finished == total):
            say(f"{finished} of {total} matches finished")
            self._next, self._said = now + LINE_SECONDS, (finished, total)


def standings_table(rows: list[dict[str, Any]], title: str | None = None) -> Table:
    """The standings as the service sends them: rank, name, matches, wins, score, points, faults."""
    table = Table(title=title and plain(title, 100), title_justify="left")
    for heading in ("rank", "name", "matches", "wins", "score", "points", "faults"):
        table.add_column(heading, justify="left" if heading == "name" else "right", no_wrap=heading != "name")
    for row in rows:
        table.add_row(
            plain(row.get("rank", "")),
            plain(row.get("name", ""), 40),
            plain(row.get("matches", "")),
            plain(row.get("wins", "")),
            _number(row.get("score"), 2),
            _number(row.get("points"), 1),
            _faults(row.get("faults")),
        )
    return table


def print_standings(client: Client, tournament: str, title: str | None = None) -> None:
    """Fetches the standings and prints them on standard output. Raises ServiceError."""
    found = client.get(f"/v1/tournaments/{segment(tournament)}/standings")
    console().print(standings_table(found["standings"], title))


def _number(value: object, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, int | float) and not isinstance(value, bool) else plain(value)


def _faults(value: object) -> str:
    """Their number, and of what kinds."""
    counts = value if isinstance(value, Mapping) else {}
    kinds = {plain(kind, 20): count for kind, count in counts.items() if isinstance(count, int) and count}
    if not kinds:
        return "0"
    return f"{sum(kinds.values())} ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})"
