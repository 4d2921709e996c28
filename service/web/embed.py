"""`/games/<id>/embed`: a game in a frame of any site. No other page may be framed."""

from __future__ import annotations

from flask import Response, request

from service.api.call import context
from service.operations.games.change import load
from service.web import pages
from service.web.blueprints import page_blueprint
from service.web.games import about, asked_step, bar, rooms, side, stage
from service.web.kept import kept

SPEEDS = ("0.5", "1", "2", "4", "8")
"""Those of the list on the page."""
THEMES = ("light", "dark")

blueprint = page_blueprint("embed", framed_by="*")


@blueprint.get("/games/<id:game>/embed")
def show_embedded(game: str) -> Response:
    """The player alone. The address has its settings; a value that there is not counts as not given.

    `at` is a step, as on the page of the game. With `speed` it plays by itself. `theme` is light or dark, else the
    reader's own. With `controls=0` the controls are hidden. `lang` is the language.
    """
    ctx, own = context(), kept()
    view = load(ctx, game)
    timeline = own.timelines.of(view)
    at = asked_step(timeline)
    words = pages.words()
    position = timeline.positions[at]
    speed, theme = request.args.get("speed", ""), request.args.get("theme", "")
    return pages.page(
        "embed.html",
        game=game,
        title=words.players(view.names),
        about=about(view, words),
        live=not view.over,
        last=timeline.last,
        speed=speed if speed in SPEEDS else "",
        theme=theme if theme in THEMES else "",
        controls=request.args.get("controls") != "0",
        stage=stage(view, position, words),
        side=side(view, timeline, position, words, own.answers_of(ctx, view)),
        rooms=rooms(position, words),
        bar=bar(view, timeline, at, words),
    )
