"""`/tournaments`: all of them, and one with its standings, who beats whom, and its matches, live while it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Response, request
from markupsafe import Markup

from service.api.call import context
from service.errors import OperationError
from service.operations.context import Context
from service.operations.tournaments import read
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.presentation.names import shown
from service.timestamps import timestamp
from service.web import live, pages
from service.web.blueprints import page_blueprint
from service.web.home import tournament_line
from service.web.rendering import render
from service.web.words import Words, words_in

blueprint = page_blueprint("tournaments")

PAGE: Final = 50
"""Tournaments, or matches, on one page."""
MIN_PAUSE_S: Final = 1.0
"""A page that is open is sent no more than one new state in this time (seconds)."""
MAX_CROSSED: Final = 16
"""Bots that the crosstable of a page has; of more, the first of the standings."""
MAX_NAMED: Final = 3
"""Bots that the first line names beside the one that leads."""
EVEN: Final = 0.05
"""By how much a share of shared matches may differ from one half to count as about even."""
STEPS: Final = (20, 50, 100, 200, 500, 1000)
"""Distances of the marks on the scale of ratings."""
MAX_MARKS: Final = 5


class Whisker(NamedTuple):
    """A rating and its interval on the scale, in percent of its width; `low` and `high` are None without an
    interval. `label` says the same in words."""

    at: str
    low: str | None
    high: str | None
    label: str


class StandingLine(NamedTuple):
    """A bot in the standings. `apart`: it shares no band with any bot above."""

    rank: int
    name: str
    bands: str
    rating: str
    whisker: Whisker | None
    interval: str
    matches: int
    wins: int
    score: str
    points: str
    faults: int
    apart: bool


class Cell(NamedTuple):
    """How a bot fares against another one: `w`, `l` or `e` for ahead, behind or about even, `x` for itself, empty where
    they have not met."""

    kind: str
    share: str


class Finish(NamedTuple):
    """A bot in a match: its place and points once that is over."""

    place: int | None
    name: str
    points: int | None


class MatchLine(NamedTuple):
    """A match. `status` is empty for one that is over; `notes`: what was unusual about it."""

    number: str
    game: str | None
    status: str
    running: bool
    places: list[Finish]
    notes: list[str]


@blueprint.get("/tournaments")
def list_tournaments() -> Response:
    """All tournaments, newest first."""
    words = words_in(pages.language())
    found = read.listing(context(), PAGE, request.args.get("after") or None)
    lines = [tournament_line(item, words) for item in found["items"]]
    return pages.page("tournaments.html", here="tournaments", tournaments=lines, following=found["next"])


@blueprint.get("/tournaments/<id:tournament>")
def show_tournament(tournament: str) -> Response:
    """A tournament."""
    ctx, words = context(), words_in(pages.language())
    found = row, doc = load_tournament(ctx, tournament)
    after = request.args.get("after") or None
    entrant = next((name for name in doc.names if name == request.args.get("bot")), None)
    return pages.page(
        "tournament.html",
        here="tournaments",
        tournament=tournament,
        name=shown(doc.name) or tournament,
        live=None if row.is_over or after or entrant else row.version,
        body=_body(ctx, tournament, found, words, after, entrant),
    )


@blueprint.get("/tournaments/<id:tournament>/live")
def follow_tournament(tournament: str) -> Response:
    """The page's part that changes, whenever something has happened, as server-sent events."""
    ctx, words = context(), words_in(pages.language())
    row, _ = load_tournament(ctx, tournament)
    return live.stream(_states(ctx, tournament, live.known(row.version), words))


def _states(ctx: Context, tournament: str, known: int, words: Words) -> Iterator[str]:
    yield live.BEGIN
    while True:
        try:
            found = row, _ = read.wait_for_change(ctx, tournament, known, live.HEARTBEAT_S)
            if row.version == known:
                yield live.NOTHING_NEW
            else:
                known = row.version
                yield live.event(known, str(_body(ctx, tournament, found, words, None, None)))
        except OperationError:
            # The browser comes back, and says what it has.
            return
        if row.is_over:
            yield live.OVER
            return
        time.sleep(MIN_PAUSE_S)


def _body(
    ctx: Context, tournament: str, found: read.Found, words: Words, after: str | None, entrant: str | None
) -> Markup:
    """The part of the page that changes. `after`: the cursor of a page of matches; `entrant`: whose matches, or all."""
    row, doc = found
    tables = read.tables_of(ctx, tournament, row, doc)
    counts, matches = read.match_counts(row, doc), read.matches(ctx, tournament, PAGE, after, entrant)
    gone_ms = ctx.wall_ms() - doc.created_ms

    def draw() -> Markup:
        rows = tables.standings
        marks = _marks(rows)
        crossed = [row["name"] for row in rows[:MAX_CROSSED]]
        return render(
            "tournament_body.html",
            words.language,
            tournament=tournament,
            status=words.tournament_status(row.status),
            running=row.status == "running",
            over=row.is_over,
            headline=headline(rows, counts["finished"], words),
            troubles=[_trouble(one, words) for one in rows if one["not_started"] or one["forfeits"]],
            counts=counts,
            left=_time_left(gone_ms, counts, words) if row.status == "running" else None,
            terms=_terms(doc, words),
            marks=[(str(mark), _percent(mark, marks)) for mark in marks[1:-1]],
            standings=_standing_lines(rows, marks, words),
            names=[shown(name) for name in crossed],
            more=len(rows) > len(crossed),
            cells=_cells(tables.crosstable, crossed),
            faulty=[(shown(one["name"]), _kinds(one["faults"], words)) for one in rows if any(one["faults"].values())],
            matches=[_match_line(item, words) for item in matches["items"]],
            bots=[(name, shown(name)) for name in doc.names],
            entrant=entrant,
            following=matches["next"],
            settings=doc.settings(),
            created=timestamp(doc.created_ms)[:16].replace("T", " "),
            commitment=doc.commitment,
            seed=doc.seed if row.is_over else None,
            nonce=doc.nonce if row.is_over else None,
        )

    # A thousand bots take tenths of a second.
    return ctx.offload(draw)


def headline(rows: Sequence[Mapping[str, Any]], finished: int, words: Words) -> str:
    """What the games show, in one sentence, and no more than that."""
    if finished == 0:
        return words._("No match has been played to its end yet.")
    if any(row["interval"] is None for row in rows):
        return words._("There are too few matches yet to say which bot is stronger.")
    first = [shown(row["name"]) for row in rows if row["bands"][0] == 1]
    if len(first) == len(rows):
        return words._("No winner is shown: all %(num)s bots share the first band.", num=len(rows))
    if len(first) == 1:
        return words._("%(name)s leads, and is shown to be stronger than all others.", name=first[0])
    if len(first) - 1 > MAX_NAMED:
        return words._(
            "%(name)s leads; it is not shown to be better than %(num)s others.", name=first[0], num=len(first) - 1
        )
    others = words.listed(first[1:])
    return words._("%(name)s leads; it is not shown to be better than %(others)s.", name=first[0], others=others)


def _trouble(row: Mapping[str, Any], words: Words) -> str:
    name = shown(row["name"])
    if row["not_started"]:
        return words._n(
            "%(name)s did not come up for %(num)s match.",
            "%(name)s did not come up for %(num)s matches.",
            row["not_started"],
            name=name,
        )
    return words._n(
        "%(name)s forfeited %(num)s match.", "%(name)s forfeited %(num)s matches.", row["forfeits"], name=name
    )


def _time_left(gone_ms: int, counts: Mapping[str, int], words: Words) -> str | None:
    """About how long a running tournament will take, by the pace so far. `gone_ms`: since it was created."""
    if counts["finished"] == 0:
        return None
    left = counts["total"] - counts["finished"]
    minutes = round(max(1, gone_ms) / counts["finished"] * left / 60_000)
    if minutes == 0:
        return words._("less than a minute to go")
    return words._n("about %(num)s minute to go", "about %(num)s minutes to go", minutes)


def _terms(doc: TournamentDoc, words: Words) -> str:
    settings = doc.settings()
    return words._(
        "%(bots)s bots, %(players)s to a match. For each decision %(move)s s, and %(bank)s s in the bank.",
        bots=len(settings["bots"]),
        players=settings["players"],
        move=f"{settings['move_ms'] / 1000:g}",
        bank=f"{settings['bank_ms'] / 1000:g}",
    )


def _marks(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The scale of ratings: its ends, and round numbers between them."""
    values = [value for row in rows if row["rating"] is not None for value in (row["rating"], *(row["interval"] or ()))]
    if not values:
        return [0, 1]
    low, high = min(values), max(values)
    step = next((step for step in STEPS if (high - low) / step <= MAX_MARKS), STEPS[-1])
    first, last = int(low // step) * step, int(-(-high // step)) * step
    between = range(first + step, last, step)
    return [first - step // 2, *([first] if first == low else []), *between, last + step // 2]


def _percent(value: float, marks: Sequence[int]) -> str:
    return f"{100 * (value - marks[0]) / (marks[-1] - marks[0]):.1f}%"


def _standing_lines(rows: Sequence[Mapping[str, Any]], marks: Sequence[int], words: Words) -> list[StandingLine]:
    lines: list[StandingLine] = []
    highest = 0
    for row in rows:
        bands = row["bands"] or (1, 1)
        band = str(bands[0]) if bands[0] == bands[1] else f"{bands[0]}–{bands[1]}"
        low, high = row["interval"] or (None, None)
        interval = "" if low is None else f"{low:.0f}–{high:.0f}"
        lines.append(
            StandingLine(
                rank=row["rank"],
                name=shown(row["name"]),
                bands=band if row["interval"] else "",
                rating="" if row["rating"] is None else f"{row['rating']:.0f}",
                whisker=None if row["rating"] is None else _whisker(row["rating"], low, high, marks, words),
                interval=interval,
                matches=row["matches"],
                wins=row["wins"],
                score="" if row["score_per_match"] is None else f"{100 * row['score_per_match']:.0f} %",
                points="" if row["points"] is None else f"{row['points']:.1f}",
                faults=sum(row["faults"].values()),
                apart=bool(lines) and bands[0] > highest,
            )
        )
        highest = max(highest, bands[1])
    return lines


def _whisker(rating: float, low: float | None, high: float | None, marks: Sequence[int], words: Words) -> Whisker:
    if low is None or high is None:
        return Whisker(_percent(rating, marks), None, None, words._("Rating %(rating)s", rating=f"{rating:.0f}"))
    label = words._(
        "Rating %(rating)s, 95 percent interval %(low)s to %(high)s",
        rating=f"{rating:.0f}",
        low=f"{low:.0f}",
        high=f"{high:.0f}",
    )
    return Whisker(_percent(rating, marks), _percent(low, marks), _percent(high, marks), label)


def _cells(crosstable: Mapping[str, Any], names: Sequence[str]) -> list[list[Cell]]:
    """The crosstable of these bots, in their order."""
    index = [crosstable["names"].index(name) for name in names]
    matches, score = crosstable["matches"], crosstable["score"]
    return [[_cell(matches[row][column], score[row][column]) for column in index] for row in index]


def _cell(matches: int | None, score: float | None) -> Cell:
    if matches is None:
        return Cell("x", "")
    if not matches or score is None:
        return Cell("", "")
    share = score / matches
    kind = "w" if share > 0.5 + EVEN else "l" if share < 0.5 - EVEN else "e"
    return Cell(kind, f"{100 * share:.0f} %")


def _kinds(faults: Mapping[str, int], words: Words) -> str:
    return words.listed(f"{words.fault(kind)}: {number}" for kind, number in faults.items() if number)


def _match_line(item: Mapping[str, Any], words: Words) -> MatchLine:
    points, places = item["points"], item["places"]
    seats = [
        Finish(None if places is None else places[seat], shown(name), None if points is None else points[seat])
        for seat, name in enumerate(item["seats"])
    ]
    notes = [
        words._n("%(num)s fault of %(name)s", "%(num)s faults of %(name)s", sum(faults.values()), name=shown(name))
        for name, faults in zip(item["seats"], item.get("faults", ()), strict=False)
        if faults
    ]
    notes += [words._("%(name)s did not come up", name=shown(name)) for name in item.get("not_started", ())]
    notes += [words._("%(name)s forfeited", name=shown(name)) for name in item.get("forfeits", ())]
    return MatchLine(
        number=item["match"].partition("-")[2],
        game=item["game"],
        status="" if item["status"] == "finished" else words.match_status(item["status"]),
        running=item["status"] == "running",
        places=sorted(seats, key=lambda one: one.place or 0),
        notes=notes,
    )
