"""The standings of a tournament in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click
from rich.measure import Measurement
from rich.table import Table

from service.cli.output import plain
from service.cli.terminal import console

MAX_VERSIONS = 5


def standings_table(rows: list[dict[str, Any]], title: str | None = None) -> Table:
    """The rows of standings that the service sends, as a table. Ratings, intervals and rank bands have columns if there
    are any. In a narrow terminal, the columns that say least are left out."""
    cells = [_cells(row) for row in rows]
    shown = [name for name in _COLUMNS if name not in _IF_ANY or any(row[name] for row in cells)]
    out = console()
    for name in _DISPENSABLE:
        if Measurement.get(out, out.options.update(max_width=1000), _table(cells, shown, title)).maximum <= out.width:
            break
        shown = [column for column in shown if column != name]
    return _table(cells, shown, title)


_COLUMNS = ("rank", "name", "matches", "wins", "score", "per match", "points", "rating", "95 %", "band", "faults")
_IF_ANY = frozenset(("rating", "95 %", "band"))
_DISPENSABLE = ("points", "wins", "score", "band", "faults")


def _table(cells: list[dict[str, str]], shown: list[str], title: str | None) -> Table:
    table = Table(title=title and plain(title, 100), title_justify="left")
    for heading in shown:
        table.add_column(heading, justify="left" if heading == "name" else "right", no_wrap=heading != "name")
    for row in cells:
        table.add_row(*(row[name] for name in shown))
    return table


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    """A row of the standings as the texts of its columns."""
    bands = _range(row.get("bands"))
    return {
        "rank": plain(row.get("rank", "")),
        "name": plain(row.get("name", ""), 40),
        "matches": plain(row.get("matches", "")),
        "wins": plain(row.get("wins", "")),
        "score": _number(row.get("score"), 2),
        # What the rank goes by.
        "per match": _number(row.get("score_per_match"), 3),
        "points": _number(row.get("points"), 1),
        "rating": _number(row.get("rating"), 0),
        "95 %": _range(row.get("interval")),
        # Without intervals, everybody is in one band.
        "band": bands if row.get("interval") else "",
        "faults": _faults(row.get("faults")),
    }


def print_standings(rows: list[dict[str, Any]]) -> None:
    """Prints the standings, and below them which bots forfeited, did not come up or changed their version."""
    console().print(standings_table(rows))
    for row in rows:
        for line in _remarks(row):
            click.echo(line)


def what_went_wrong(rows: list[dict[str, Any]]) -> str:
    """How many matches were forfeited, and which bots never came up; empty if nothing of the kind happened."""
    forfeits = sum(int(row.get("forfeits") or 0) for row in rows)
    absent = [plain(row["name"], 40) for row in rows if row.get("not_started") and row["not_started"] == row["matches"]]
    parts = [f"{forfeits} {'forfeit' if forfeits == 1 else 'forfeits'}"] if forfeits else []
    return ", ".join([*parts, *(f"{name} never came up" for name in absent)])


def _remarks(row: Mapping[str, Any]) -> Iterator[str]:
    """What there is to say of a bot that has no column."""
    name, missed = plain(row.get("name", ""), 40), int(row.get("not_started") or 0)
    if missed:
        yield f"{name} did not come up for {_matches(missed)}: its owner sees why with montego bots faults {name}"
    if (forfeited := int(row.get("forfeits") or 0) - missed) > 0:
        yield f"{name} forfeited {_matches(forfeited)}"
    versions = [plain(version, 40) for version in row.get("versions") or ()]
    if len(versions) > 1:
        yield f"{name} played in {len(versions)} versions: {_some(versions)}"


def _matches(number: int) -> str:
    return "1 match" if number == 1 else f"{number} matches"


def _some(texts: list[str]) -> str:
    return ", ".join(texts) if len(texts) <= MAX_VERSIONS else ", ".join([*texts[:MAX_VERSIONS], "…"])


def _number(value: object, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:.{digits}f}" if isinstance(value, int | float) and not isinstance(value, bool) else plain(value)


def _range(value: object) -> str:
    """A pair as "low–high", or as one number where both are the same; empty without one."""
    if not isinstance(value, list) or len(value) != 2:
        return ""
    low, high = (_number(end, 0) for end in value)
    return low if low == high else f"{low}–{high}"


def _faults(value: object) -> str:
    """Their number, and of what kinds."""
    counts = value if isinstance(value, Mapping) else {}
    kinds = {plain(kind, 20): count for kind, count in counts.items() if isinstance(count, int) and count}
    if not kinds:
        return "0"
    return f"{sum(kinds.values())} ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})"
