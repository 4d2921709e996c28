"""The page: the contents of the file as text, tables and charts."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from service.report.charts import FAULT_COLOURS, crosstable_chart, faults_chart, ratings_chart


def build(archive: Mapping[str, Any]) -> str:
    """The HTML document of a tournament's file that `archive.verify` has found sound.

    The page loads nothing and runs nothing. Everything that a bot or an organiser has written appears as plain text.
    """
    environment = Environment(
        loader=PackageLoader("service.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=_number, span=_span)
    return environment.get_template("report.html").render(
        archive=archive,
        settings=archive["settings"],
        played=_played(archive),
        rows=_rows(archive),
        incomplete=list(_incomplete(archive["standings"])),
        kinds=tuple(FAULT_COLOURS),
        charts=_charts(archive),
        voids=[entry for entry in archive["matches"] if entry["status"] == "void"],
        slow=[entry for entry in archive["matches"] if entry["harness_slow"] and entry["status"] == "finished"],
        missing=sorted({row["reason"] for row in archive["ratings"] if row["reason"]}),
    )


def _rows(archive: Mapping[str, Any]) -> list[dict[str, Any]]:
    withdrawn = set(archive["withdrawn"])
    return [{**row, "withdrawn": row["name"] in withdrawn} for row in archive["standings"]]


def _incomplete(standings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What bots did not play: those that never came up, did not for some matches, or forfeited some."""
    for row in standings:
        name, matches, missed = row["name"], row["matches"], row["not_started"]
        forfeited = row["forfeits"] - missed
        if missed and missed == matches:
            yield f"{name} never came up"
        elif missed:
            yield f"{name} did not come up for {missed} of {matches} matches"
        if forfeited:
            yield f"{name} forfeited {forfeited} of {matches} matches"


def _played(archive: Mapping[str, Any]) -> dict[str, int]:
    """How many attempts have each status, and how many matches and blocks were scheduled."""
    counts = Counter(entry["status"] for entry in archive["matches"])
    return {
        "scheduled": len(archive["schedule"]),
        "blocks": len({entry["block"] for entry in archive["schedule"]}),
        **{status: counts[status] for status in ("finished", "cancelled", "void")},
    }


def _charts(archive: Mapping[str, Any]) -> dict[str, Markup | None]:
    order = [row["name"] for row in archive["standings"]]
    table = archive["crosstable"]
    place = [table["names"].index(name) for name in order]
    sorted_table = {
        key: [[table[key][row][column] for column in place] for row in place] for key in ("matches", "score")
    }
    faults = any(sum(row["faults"].values()) for row in archive["standings"])
    return {
        "ratings": _source(ratings_chart(archive["ratings"])) if archive["ratings"] else None,
        "crosstable": _source(crosstable_chart(order, **sorted_table)) if archive["ratings"] else None,
        "faults": _source(faults_chart(archive["standings"])) if faults else None,
    }


def _source(svg: str) -> Markup:
    """The chart as an image of its own: nothing in it can act on the page, and no two charts share ids."""
    return Markup("data:image/svg+xml;base64,") + b64encode(svg.encode()).decode()


def _number(value: float | None, digits: int = 0) -> str:
    if value is None:
        return "–"
    # Groups of three from ten thousand on.
    return f"{value:,.{digits}f}".replace(",", "\u202f") if abs(value) >= 10_000 else f"{value:.{digits}f}"


def _span(value: list[float] | None) -> str:
    if value is None:
        return "–"
    low, high = (_number(end) for end in value)
    return low if low == high else f"{low}–{high}"
