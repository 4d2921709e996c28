"""A tournament as pages and reports show it: what its games show in a sentence, its tables, its matches, its settings.

Both have the same numbers in the same shapes: a page has them from the service, a report from the exported file. What
is made here fills `templates/tournament_parts.html`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Final, NamedTuple

from service.presentation.names import one_line, shown
from service.presentation.texts import Texts
from service.protocol import FAULTS

MAX_CROSSED: Final = 24
"""Bots that the crosstable has; of more, the first of the standings."""
MAX_SEATED: Final = 600
"""Bots at the tables of the rounds that are shown."""
MAX_NAMED: Final = 3
"""Bots that the first line names beside the one that leads."""
EVEN: Final = 0.05
"""By how much a share of shared matches may differ from one half to count as about even."""
STEPS: Final = (20, 50, 100, 200, 500, 1000)
"""Distances of the marks on the scale of ratings."""
MAX_MARKS: Final = 5
OVER: Final = frozenset(("finished", "cancelled", "failed"))
"""Statuses in which a tournament stays."""


@dataclass(frozen=True, slots=True)
class TournamentState:
    """What is known of a tournament, in the shapes of the protocol (PROTOCOL "Tournaments"; PROTOCOL "Export of a
    tournament").

    matches    how many there are: `total`, `drawn`, `finished`, `cancelled`
    ratings    rows from strongest to weakest
    stages     in the order in which they were drawn; none in a round robin and a gauntlet
    started, ended  timestamps, or None
    seed, nonce, digest  None while they are secret, or there is no file
    """

    status: str
    reason: str | None
    settings: Mapping[str, Any]
    entrants: Sequence[Mapping[str, Any]]
    withdrawn: Sequence[str]
    matches: Mapping[str, int]
    standings: Sequence[Mapping[str, Any]]
    crosstable: Mapping[str, Any]
    ratings: Sequence[Mapping[str, Any]]
    commitment: str
    created: str
    started: str | None
    ended: str | None
    stages: Sequence[Mapping[str, Any]]
    seed: str | None = None
    nonce: str | None = None
    digest: str | None = None

    @classmethod
    def load(cls, found: Mapping[str, Any]) -> TournamentState:
        """From a JSON object with these members; those that may be None may be missing."""
        members: dict[str, Any] = {field.name: found.get(field.name) for field in fields(cls)}
        return cls(**members)

    @property
    def over(self) -> bool:
        """Whether it is finished, cancelled or failed."""
        return self.status in OVER


class Whisker(NamedTuple):
    """A rating and its interval on the scale, in percent of its width; `low` and `high` are None without an
    interval. `label` says the same in words."""

    at: str
    low: str | None
    high: str | None
    label: str


class RoundLine(NamedTuple):
    """A round of a tournament that is drawn in stages. `pools`: names at each table, or in each group, with whether
    each is in the next round, too; None where nobody drops out or that is not known yet."""

    title: str
    pools: list[list[tuple[str, bool | None]]]
    byes: str


class StandingLine(NamedTuple):
    """A bot in the standings. `apart`: it shares no band with any bot above."""

    rank: int
    name: str
    withdrawn: bool
    bands: str
    rating: str
    whisker: Whisker | None
    interval: str
    matches: int
    wins: int
    score: str
    points: str
    answer: str
    faults: int
    apart: bool


class Superiority(NamedTuple):
    """How likely a bot is stronger than the next one by rating; `width` of a bar, in percent."""

    name: str
    below: str
    likelihood: str
    width: str


class Cell(NamedTuple):
    """How a bot fares against another one: `w`, `l` or `e` for ahead, behind or about even, `x` for itself, empty where
    they have not met."""

    kind: str
    share: str


class FaultLine(NamedTuple):
    """The faults of a bot. `counts`: by kind, as texts. `bar`: left end and width of each kind's part of the bar, in
    percent, and the number of the kind."""

    name: str
    counts: list[str]
    forfeits: str
    not_started: str
    per_match: str
    bar: list[tuple[str, str, int]]


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


def tournament_values(state: TournamentState, matches: Sequence[Mapping[str, Any]], texts: Texts) -> dict[str, Any]:
    """What `tournament_parts.html` shows. `matches`: those that are listed, in the shape of the protocol."""
    rows = state.standings
    marks, lines = whiskers(rows, texts)
    crossed = [row["name"] for row in rows[:MAX_CROSSED]]
    kinds = [kind for kind in FAULTS if any(row["faults"].get(kind) for row in rows)]
    return {
        "state": state,
        "status": texts.tournament_status(state.status),
        "reason": one_line(state.reason or ""),
        "headline": headline(state, texts),
        "troubles": list(_troubles(rows, texts)),
        "terms": _terms(state, texts),
        "dates": _dates(state, texts),
        "progress": _progress(state, texts),
        "rounds": _rounds(state, texts),
        "ranked_by": _ranked_by(state.settings["format"], texts),
        "marks": marks,
        "standings": _standing_lines(state, lines, texts),
        "no_intervals": _why_no_intervals(rows, texts),
        "steps": _steps(state.ratings),
        "names": [shown(name) for name in crossed],
        "more": len(rows) > len(crossed),
        "cells": _cells(state.crosstable, crossed),
        "fault_kinds": [texts.fault(kind) for kind in kinds],
        "faulty": _fault_lines(rows, kinds),
        "matches": [match_line(item, texts) for item in matches],
        "settings": list(_settings(state, texts)),
    }


def headline(state: TournamentState, texts: Texts) -> str:
    """What the games show, in one sentence, and no more than that."""
    rows = state.standings
    if state.matches["finished"] == 0:
        if state.over:
            return texts._("No match was played to its end.")
        return texts._("No match has been played to its end yet.")
    if state.stages and state.status == "finished":
        winners = [shown(row["name"]) for row in rows if row["rank"] == 1]
        return texts._n("%(name)s won.", "%(name)s share the first place.", len(winners), name=texts.listed(winners))
    if state.stages and not state.over:
        return texts._("Round %(num)s is being played.", num=state.stages[-1]["round"])
    if any(row["interval"] is None for row in rows):
        if state.over:
            return texts._("These are too few matches to say which bot is stronger.")
        return texts._("There are too few matches yet to say which bot is stronger.")
    first = [shown(row["name"]) for row in rows if row["bands"][0] == 1]
    if len(first) == len(rows):
        return texts._("No winner is shown: all %(num)s bots share the first band.", num=len(rows))
    return _first_of(first, state.over, texts)


def _first_of(names: Sequence[str], over: bool, texts: Texts) -> str:
    """What is shown of the first of these bots, which are all that share the first band."""
    name, others = names[0], texts.listed(names[1:])
    if len(names) - 1 > MAX_NAMED:
        others = texts._("%(num)s others", num=len(names) - 1)
    if over and others:
        return texts._("%(name)s is first, but is not shown to be better than %(others)s.", name=name, others=others)
    if over:
        return texts._("%(name)s is first, and is shown to be stronger than all others.", name=name)
    if others:
        return texts._("%(name)s leads; it is not shown to be better than %(others)s.", name=name, others=others)
    return texts._("%(name)s leads, and is shown to be stronger than all others.", name=name)


def _troubles(rows: Sequence[Mapping[str, Any]], texts: Texts) -> Iterator[str]:
    """What bots did not play: those that never came up, did not for some matches, or forfeited some."""
    for row in rows:
        name, matches, missed = shown(row["name"]), row["matches"], row["not_started"]
        forfeited = row["forfeits"] - missed
        if missed and missed == matches:
            yield texts._("%(name)s never came up.", name=name)
        elif missed:
            yield texts._n(
                "%(name)s did not come up for %(num)s match.",
                "%(name)s did not come up for %(num)s matches.",
                missed,
                name=name,
            )
        if forfeited:
            yield texts._n(
                "%(name)s forfeited %(num)s match.", "%(name)s forfeited %(num)s matches.", forfeited, name=name
            )


def _terms(state: TournamentState, texts: Texts) -> str:
    settings = state.settings
    return texts._(
        "%(bots)s bots, %(players)s to a match. For each decision %(move)s s, and %(bank)s s in the bank.",
        bots=len(state.entrants),
        players=settings["players"],
        move=f"{settings['move_ms'] / 1000:g}",
        bank=f"{settings['bank_ms'] / 1000:g}",
    )


def _dates(state: TournamentState, texts: Texts) -> str:
    if state.started is None:
        return texts._("Created %(time)s.", time=texts.time(state.created))
    if state.ended is None:
        return texts._("Began %(time)s.", time=texts.time(state.started))
    return texts._(
        "Began %(time)s, and took %(duration)s.",
        time=texts.time(state.started),
        duration=texts.duration(state.started, state.ended),
    )


def _progress(state: TournamentState, texts: Texts) -> str:
    counts = state.matches
    text = texts._("%(finished)s of %(total)s matches", finished=counts["finished"], total=counts["total"])
    if counts["cancelled"]:
        text += " · " + texts._("%(num)s cancelled", num=counts["cancelled"])
    return text


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


def whiskers(rows: Sequence[Mapping[str, Any]], texts: Texts) -> tuple[list[tuple[str, str]], list[Whisker | None]]:
    """The ratings of rows of standings on one scale: its marks, each with its place, and the whisker of each row."""
    marks = _marks(rows)
    lines = [None if row["rating"] is None else _whisker(row, marks, texts) for row in rows]
    return [(str(mark), _percent(mark, marks)) for mark in marks[1:-1]], lines


def _rounds(state: TournamentState, texts: Texts) -> list[RoundLine]:
    """The rounds that are drawn; only the latest ones where more than MAX_SEATED bots would be shown."""
    openings = {stage["round"]: stage for stage in reversed(state.stages)}
    lines: list[RoundLine] = []
    seated = 0
    for number in sorted(openings, reverse=True):
        stage, after = openings[number], openings.get(number + 1)
        seated += sum(map(len, stage["pools"]))
        if lines and seated > MAX_SEATED:
            break
        ahead = None
        if stage["advance"] and after is not None:
            ahead = {name for pool in (*after["pools"], after["byes"]) for name in pool}
        pools = [[(shown(name), None if ahead is None else name in ahead) for name in pool] for pool in stage["pools"]]
        byes = texts.listed(shown(name) for name in stage["byes"])
        lines.append(RoundLine(texts._("Round %(num)s", num=number), pools, byes))
    return lines[::-1]


def _ranked_by(code: str, texts: Texts) -> str:
    if code in ("swiss", "ladder"):
        return texts._("The rank goes by the rating.")
    if code in ("knockout", "divisions"):
        return texts._("The rank goes by how far a bot came, and then by its score there.")
    return texts._(
        "The rank goes by the score: the share of opponents that a bot finished ahead of, equal places counting half."
    )


def _standing_lines(state: TournamentState, drawn: Sequence[Whisker | None], texts: Texts) -> list[StandingLine]:
    lines: list[StandingLine] = []
    highest = 0
    for row, whisker in zip(state.standings, drawn, strict=True):
        bands = row["bands"] or (1, 1)
        band = str(bands[0]) if bands[0] == bands[1] else f"{bands[0]}–{bands[1]}"
        low, high = row["interval"] or (None, None)
        lines.append(
            StandingLine(
                rank=row["rank"],
                name=shown(row["name"]),
                withdrawn=row["name"] in state.withdrawn,
                bands=band if row["interval"] else "",
                rating="" if row["rating"] is None else f"{row['rating']:.0f}",
                whisker=whisker,
                interval="" if low is None else f"{low:.0f}–{high:.0f}",
                matches=row["matches"],
                wins=row["wins"],
                score="" if row["score_per_match"] is None else f"{100 * row['score_per_match']:.1f} %",
                points="" if row["points"] is None else f"{row['points']:.1f}",
                answer="" if row["answer_ms"] is None else texts.milliseconds(row["answer_ms"]),
                faults=sum(row["faults"].values()),
                apart=bool(lines) and bands[0] > highest,
            )
        )
        highest = max(highest, bands[1])
    return lines


def _whisker(row: Mapping[str, Any], marks: Sequence[int], texts: Texts) -> Whisker:
    rating = row["rating"]
    if row["interval"] is None:
        return Whisker(_percent(rating, marks), None, None, texts._("Rating %(rating)s", rating=f"{rating:.0f}"))
    low, high = row["interval"]
    label = texts._(
        "Rating %(rating)s, 95 percent interval %(low)s to %(high)s",
        rating=f"{rating:.0f}",
        low=f"{low:.0f}",
        high=f"{high:.0f}",
    )
    return Whisker(_percent(rating, marks), _percent(low, marks), _percent(high, marks), label)


def _why_no_intervals(rows: Sequence[Mapping[str, Any]], texts: Texts) -> str | None:
    reasons = {row["interval_missing"] for row in rows} - {None}
    if not reasons:
        return None
    if "too few blocks" in reasons:
        return texts._("There is no interval where a bot has finished too few blocks.")
    if "who met whom depends on results" in reasons:
        return texts._("There are no intervals, since who met whom depended on results.")
    return texts._("There are no intervals: some bots have not met, not even through others.")


def _steps(ratings: Sequence[Mapping[str, Any]]) -> list[Superiority]:
    return [
        Superiority(
            shown(row["name"]),
            shown(below["name"]),
            f"{100 * row['superiority']:.1f} %",
            f"{100 * row['superiority']:.1f}%",
        )
        for row, below in pairwise(ratings)
        if row["superiority"] is not None
    ]


def _cells(crosstable: Mapping[str, Any], names: Sequence[str]) -> list[list[Cell]]:
    """The crosstable of these bots, in their order."""
    place = {name: index for index, name in enumerate(crosstable["names"])}
    index = [place[name] for name in names]
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


def _fault_lines(rows: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> list[FaultLine]:
    """The bots that made any, or did not play all of their matches. Bars are to the scale of the one with most."""
    guilty = [row for row in rows if row["forfeits"] or row["not_started"] or any(row["faults"].values())]
    most = max((_per_match(row) for row in guilty), default=0) or 1
    return [_fault_line(row, kinds, most) for row in guilty]


def _per_match(row: Mapping[str, Any]) -> float:
    return sum(row["faults"].values()) / row["matches"] if row["matches"] else 0


def _fault_line(row: Mapping[str, Any], kinds: Sequence[str], most: float) -> FaultLine:
    bar, left = [], 0.0
    for number, kind in enumerate(kinds):
        width = 100 * row["faults"].get(kind, 0) / (row["matches"] or 1) / most
        if width:
            bar.append((f"{left:.1f}%", f"{width:.1f}%", number))
        left += width
    return FaultLine(
        name=shown(row["name"]),
        counts=[_count(row["faults"].get(kind, 0)) for kind in kinds],
        forfeits=_count(row["forfeits"]),
        not_started=_count(row["not_started"]),
        per_match=f"{_per_match(row):.2f}",
        bar=bar,
    )


def _count(number: int) -> str:
    return str(number) if number else "–"


def match_line(item: Mapping[str, Any], texts: Texts) -> MatchLine:
    """A match of a list of `GET /v1/tournaments/{id}/matches`."""
    points, places = item["points"], item["places"]
    seats = [
        Finish(None if places is None else places[seat], shown(name), None if points is None else points[seat])
        for seat, name in enumerate(item["seats"])
    ]
    return MatchLine(
        number=item["match"].partition("-")[2],
        game=item["game"],
        status="" if item["status"] == "finished" else texts.match_status(item["status"]),
        running=item["status"] == "running",
        places=sorted(seats, key=lambda one: one.place or 0),
        notes=list(_notes(item, texts)),
    )


def _notes(item: Mapping[str, Any], texts: Texts) -> Iterator[str]:
    for name, faults in zip(item["seats"], item.get("faults", ()), strict=False):
        if faults:
            yield texts._n(
                "%(num)s fault of %(name)s", "%(num)s faults of %(name)s", sum(faults.values()), name=shown(name)
            )
    absent = item.get("not_started", ())
    for name in absent:
        yield texts._("%(name)s did not come up", name=shown(name))
    for name in item.get("forfeits", ()):
        if name not in absent:
            yield texts._("%(name)s forfeited", name=shown(name))
    if item["status"] == "void":
        yield texts._("the service was too slow")
    elif item.get("harness_slow"):
        yield texts._("the service was too slow again; the match counts")


def _settings(state: TournamentState, texts: Texts) -> Iterator[tuple[str, str]]:
    """Names of settings and what they were."""
    settings = state.settings
    yield texts._("Format"), _format(settings["format"], texts)
    of_format = {
        "rounds": texts._("Rounds"),
        "groups": texts._("Groups"),
        "advance": texts._("Go on from each pool"),
        "max_deals": texts._("Deals of a table at most"),
    }
    yield from ((label, str(settings[name])) for name, label in of_format.items() if settings[name] is not None)
    if settings["challengers"]:
        yield texts._("Challengers"), texts.listed(shown(name) for name in settings["challengers"])
    yield texts._("Deals for each set of bots"), str(settings["deals"])
    if settings["sets"] is not None:
        yield texts._("Sets of bots"), str(settings["sets"])
    rotations = settings["seatings"] == "rotations"
    yield texts._("Seatings of a deal"), texts._("rotations") if rotations else texts._("all orders")
    variants = (f"{name}: {value}" for name, value in settings["variants"].items())
    yield texts._("Variants of the rules"), texts.listed(variants)
    if settings["components"] is not None:
        yield texts._("Ships and warehouses"), texts._("a set of the organiser’s own")
    yield texts._("Time to come up before a match"), texts.milliseconds(settings["warmup_ms"])
    yield texts._("Attempts for each decision"), str(settings["attempts"])
    yield texts._("Faults before a match is forfeited"), str(settings["max_faults"])
    if settings["policy"] == "strict":
        yield texts._("Policy"), texts._("strict: the first illegal action forfeits the match")
    for entrant in state.entrants:
        if entrant.get("versions"):
            versions = texts.listed(shown(version) for version in entrant["versions"])
            yield texts._("Version of %(name)s", name=shown(entrant["name"])), versions
    yield texts._("Created"), texts.time(state.created)


def _format(code: str, texts: Texts) -> str:
    return {
        "round_robin": texts._("Round robin: all against all"),
        "gauntlet": texts._("Gauntlet: challengers against all others"),
        "swiss": texts._("Swiss: rounds of about equal score"),
        "knockout": texts._("Knockout: the best of each table go on"),
        "divisions": texts._("Divisions: groups, then finals"),
        "ladder": texts._("Season of a ladder"),
    }[code]
