"""`/tournaments`: all of them, and one with its standings, who beats whom, and its matches, live while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from flask import Response, request
from markupsafe import Markup

from service.api.call import context
from service.errors import OperationError
from service.operations.context import Context
from service.operations.tournaments import read
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.events import began_and_ended
from service.presentation.names import shown
from service.presentation.tournament import TournamentState, tournament_values
from service.web import live, pages
from service.web.blueprints import page_blueprint
from service.web.home import tournament_line
from service.web.rendering import render
from service.web.words import Words

blueprint = page_blueprint("tournaments")

PAGE: Final = 50
"""Tournaments, or matches, on one page."""
MIN_PAUSE_S: Final = 1.0
"""A page that is open is sent no more than one new state in this time (seconds)."""
MAX_PAGES: Final = 40
"""Pages of matches that are looked through for one page of those with an outcome; a link goes on from there."""
OUTCOMES: Final[Mapping[str, Callable[[Mapping[str, Any], str | None], bool]]] = {
    "won": lambda item, bot: _places(item, bot) == [1],
    "not-won": lambda item, bot: _places(item, bot) not in ([], [1]),
    "finished": lambda item, bot: item["status"] == "finished",
    "running": lambda item, bot: item["status"] == "running",
    "scheduled": lambda item, bot: item["status"] == "scheduled",
    "cancelled": lambda item, bot: item["status"] == "cancelled",
    "void": lambda item, bot: item["status"] == "void",
    "faults": lambda item, bot: any(
        faults for name, faults in zip(item["seats"], item.get("faults", ()), strict=False) if bot in (None, name)
    ),
    "forfeited": lambda item, bot: any(bot in (None, name) for name in item.get("forfeits", ())),
}
"""Which matches have an outcome, those of a bot or of any."""
_OF_A_BOT: Final = frozenset(("won", "not-won"))


class Selection(NamedTuple):
    """Which matches are listed. `after`: the cursor of the page; `bot`, `outcome`: those of a bot, with an outcome.
    None stands for all."""

    after: str | None = None
    bot: str | None = None
    outcome: str | None = None

    @property
    def is_default(self) -> bool:
        """Whether it is the first page of all matches, which moves on by itself."""
        return self == Selection()


def _places(item: Mapping[str, Any], bot: str | None) -> list[int]:
    """The place of a bot in a match that is over, in a list; shared places count as they are."""
    if item["status"] != "finished" or bot not in item["seats"]:
        return []
    return [item["places"][item["seats"].index(bot)]]


@blueprint.get("/tournaments")
def list_tournaments() -> Response:
    """All tournaments, newest first."""
    words = pages.words()
    found = read.listing(context(), PAGE, request.args.get("after") or None)
    lines = [tournament_line(item, words) for item in found["items"]]
    return pages.page("tournaments.html", here="tournaments", tournaments=lines, following=found["next"])


@blueprint.get("/tournaments/<id:tournament>")
def show_tournament(tournament: str) -> Response:
    """A tournament."""
    ctx, words = context(), pages.words()
    found = row, doc = load_tournament(ctx, tournament)
    chosen = _selection(doc)
    return pages.page(
        "tournament.html",
        here="tournaments",
        tournament=tournament,
        name=words.name(doc.name) or tournament,
        live=row.version if chosen.is_default and not row.is_over else None,
        body=_body(ctx, tournament, found, words, chosen),
    )


@blueprint.get("/tournaments/<id:tournament>/schedule")
def show_schedule(tournament: str) -> Response:
    """Who sits where in which match."""
    ctx, words = context(), pages.words()
    _, doc = load_tournament(ctx, tournament)
    after = request.args.get("after") or None
    found = read.schedule(ctx, tournament, PAGE, after)
    return pages.page(
        "schedule.html",
        here="tournaments",
        tournament=tournament,
        name=words.name(doc.name) or tournament,
        players=doc.players,
        matches=[(item["match"].partition("-")[2], item["block"], item["seats"]) for item in found["items"]],
        paging=_paging(after, len(found["items"]), doc),
    )


def _selection(doc: TournamentDoc) -> Selection:
    """What the address asks for. A bot or an outcome that there is not counts as none."""
    bot = next((name for name in doc.names if name == request.args.get("bot")), None)
    outcome = request.args.get("outcome")
    if outcome not in OUTCOMES or (bot is None and outcome in _OF_A_BOT):
        outcome = None
    return Selection(request.args.get("after") or None, bot, outcome)


@blueprint.get("/tournaments/<id:tournament>/live")
def follow_tournament(tournament: str) -> Response:
    """The page's part that changes, whenever something has happened, as server-sent events."""
    ctx, words = context(), pages.words()
    row, _ = load_tournament(ctx, tournament)
    return live.stream(_states(ctx, tournament, live.known(row.version), words))


def _states(ctx: Context, tournament: str, known: int, words: Words) -> Iterator[bytes]:
    yield live.BEGIN
    while True:
        try:
            found = row, _ = read.wait_for_change(ctx, tournament, known, live.HEARTBEAT_S)
            if row.version == known:
                yield live.NOTHING_NEW
            else:
                known = row.version
                yield live.event(known, str(_body(ctx, tournament, found, words, Selection())))
        except OperationError:
            # The browser comes back, and says what it has.
            return
        if row.is_over:
            yield live.OVER
            return
        time.sleep(MIN_PAUSE_S)


def _matches(ctx: Context, tournament: str, chosen: Selection) -> tuple[list[dict[str, Any]], str | None]:
    """A page of matches, and the cursor of the next one. Those with an outcome are looked for among all."""
    if chosen.outcome is None:
        found = read.matches(ctx, tournament, PAGE, chosen.after, chosen.bot)
        return found["items"], found["next"]
    holds, cursor = OUTCOMES[chosen.outcome], chosen.after
    items: list[dict[str, Any]] = []
    for _ in range(MAX_PAGES):
        found = read.matches(ctx, tournament, 2 * PAGE, cursor, chosen.bot)
        items += [item for item in found["items"] if holds(item, chosen.bot)]
        cursor = found["next"]
        if cursor is None or len(items) >= PAGE:
            break
    return items, cursor


def _paging(after: str | None, shown_now: int, doc: TournamentDoc) -> dict[str, Any] | None:
    """Where a page stands in the list of the matches that are drawn, and the cursors of those around it: numbers of
    matches, or None. None where none is drawn."""
    first, total = int(after or 0), doc.schedule().matches
    if not total:
        return None
    return {
        "first": first + 1,
        "last": first + shown_now,
        "total": total,
        "earlier": max(0, first - PAGE) if first else None,
        "later": first + PAGE if first + PAGE < total else None,
        "end": (total - 1) // PAGE * PAGE,
    }


def _body(ctx: Context, tournament: str, found: read.Found, words: Words, chosen: Selection) -> Markup:
    """The part of the page that changes."""
    row, doc = found
    tables = read.tables_of(ctx, tournament, row, doc)
    counts = read.match_counts(row, doc)
    matches, following = _matches(ctx, tournament, chosen)
    everything = chosen.bot is None and chosen.outcome is None
    started, ended = began_and_ended(ctx, tournament, row)
    state = TournamentState.load(
        {
            **read.details(tournament, row, doc, started, ended),
            "standings": tables.standings,
            "crosstable": tables.crosstable,
            "ratings": tables.ratings,
            "stages": [stage.to_json() for stage in doc.stages],
        }
    )
    gone_ms = ctx.wall_ms() - doc.created_ms

    def draw() -> Markup:
        return render(
            "tournament_body.html",
            words.language,
            tournament=tournament,
            left=_time_left(gone_ms, counts, words) if row.status == "running" else None,
            bots=[(name, shown(name)) for name in doc.names],
            outcomes=[(code, words.outcome_of_match(code)) for code in OUTCOMES if chosen.bot or code not in _OF_A_BOT],
            chosen=chosen,
            following=following,
            paging=_paging(chosen.after, PAGE, doc) if everything else None,
            **tournament_values(state, matches, words),
        )

    # A thousand bots take tenths of a second.
    return ctx.offload(draw)


def _time_left(gone_ms: int, counts: Mapping[str, int], words: Words) -> str | None:
    """About how long a running tournament will take, by the pace so far. `gone_ms`: since it was created."""
    if counts["finished"] == 0:
        return None
    left = counts["total"] - counts["finished"]
    minutes = round(max(1, gone_ms) / counts["finished"] * left / 60_000)
    if minutes == 0:
        return words._("less than a minute to go")
    return words._n("about %(num)s minute to go", "about %(num)s minutes to go", minutes)
