"""The tables of a tournament as files for other programs: CSV (RFC 4180) or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.cli.archive import verified_archive
from service.cli.client import ApiClient, segment
from service.cli.files import file_name, write_text

_NAMES_OF_PAIRS = {"interval": ("interval_low", "interval_high"), "bands": ("first_band", "last_band")}
_OF_MATCH = ("match", "game", "block", "seating", "attempt", "status", "ended", "harness_slow")
#: A spreadsheet takes a text that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Found:
    """The tables of a tournament as the API has them: rows of standings, the crosstable, rows of matches."""

    tournament: str
    standings: list[dict[str, Any]]
    crosstable: dict[str, Any]
    matches: list[dict[str, Any]]


def from_service(client: ApiClient, tournament: str) -> Found:
    """The tables as they stand now. Raises ServiceError."""
    path = f"/v1/tournaments/{segment(tournament)}"
    cross = client.get(f"{path}/crosstable")
    return Found(
        tournament,
        client.get(f"{path}/standings")["standings"],
        {name: cross[name] for name in ("names", "matches", "score")},
        list(client.items(f"{path}/matches")),
    )


def from_file(path: Path) -> Found:
    """The tables of an exported tournament, which is verified first. Raises click.ClickException."""
    archive = verified_archive(path).archive
    places = {match["match"]: match for match in archive["schedule"]}
    return Found(
        archive["tournament"],
        archive["standings"],
        archive["crosstable"],
        [_match(places[entry["match"]], entry) for entry in archive["matches"]],
    )


def _match(scheduled: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """An attempt at a match in a file, as the API lists matches."""
    record = entry["record"]
    result = record["result"] if record else {"points": None, "places": None, "ended": None}
    return {
        **scheduled,
        "game": record["game"] if record else None,
        "attempt": entry["attempt"],
        "status": entry["status"],
        "points": result["points"],
        "places": result["places"],
        "ended": result["ended"],
        "faults": entry["faults"],
        "not_started": entry["not_started"],
        "versions": [seat["version"] for seat in record["seats"]] if record else [],
        "harness_slow": entry["harness_slow"],
    }


def write(found: Found, directory: Path, kind: str) -> None:
    """Writes standings, crosstable and matches as `kind`, csv or json. The names of the files begin with the id, so
    that no other tournament's tables are overwritten. Raises click.ClickException."""
    tables = {
        "standings": (found.standings, _standings_rows),
        "crosstable": (found.crosstable, _crosstable_rows),
        "matches": (found.matches, _match_rows),
    }
    for name, (value, rows) in tables.items():
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n" if kind == "json" else _csv(rows(value))
        write_text(directory / f"{file_name(found.tournament)}-{name}.{kind}", text)


def _standings_rows(standings: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for standing in standings:
        row: dict[str, Any] = {}
        for name, value in standing.items():
            if name == "faults":
                row |= value
            elif name in _NAMES_OF_PAIRS:
                row |= dict(zip(_NAMES_OF_PAIRS[name], value or (None, None), strict=True))
            else:
                row[name] = " ".join(value) if isinstance(value, list) else value
        rows.append(row)
    return rows


def _crosstable_rows(table: Any) -> list[dict[str, Any]]:
    """A row for each ordered pair that met."""
    names = table["names"]
    return [
        {"bot": name, "opponent": other, "matches": table["matches"][i][j], "score": table["score"][i][j]}
        for i, name in enumerate(names)
        for j, other in enumerate(names)
        if table["matches"][i][j]
    ]


def _match_rows(matches: Any) -> list[dict[str, Any]]:
    """A row for each seat of each match."""
    rows: list[dict[str, Any]] = []
    for match in matches:
        whole = {name: match.get(name) for name in _OF_MATCH}
        for seat, name in enumerate(match["seats"]):
            faults = _at(match.get("faults"), seat)
            rows.append(
                {
                    **whole,
                    "seat": seat,
                    "bot": name,
                    "points": _at(match.get("points"), seat),
                    "place": _at(match.get("places"), seat),
                    "version": _at(match.get("versions"), seat),
                    "faults": sum(faults.values()) if faults is not None else None,
                    "not_started": name in (match.get("not_started") or ()),
                }
            )
    return rows


def _at(values: Sequence[Any] | None, seat: int) -> Any:
    return values[seat] if values else None


def _csv(rows: Iterable[Mapping[str, Any]]) -> str:
    every = list(rows)
    names = list(dict.fromkeys(name for row in every for name in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(names)
    writer.writerows([[_cell(row.get(name)) for name in names] for row in every])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """The value of a cell: nothing for null, and no text that a spreadsheet would run."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value
