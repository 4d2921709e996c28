"""`/tournaments`: all of them, and one with its standings, who beats whom, and its matches, live while it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Final

from flask import Response, request
from markupsafe import Markup

from service.api.call import context
from service.errors import OperationError
from service.operations.context import Context
from service.operations.tournaments import read
from service.operations.tournaments.document import load_tournament
from service.operations.tournaments.events import began_and_ended
from service.presentation.names import shown
from service.presentation.tournament import TournamentState, tournament_values
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
    started, ended = began_and_ended(ctx, tournament, row)
    state = TournamentState.load(
        {
            **read.details(tournament, row, doc, started, ended),
            "standings": tables.standings,
            "crosstable": tables.crosstable,
            "ratings": tables.ratings,
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
            entrant=entrant,
            following=matches["next"],
            **tournament_values(state, matches["items"], words),
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
