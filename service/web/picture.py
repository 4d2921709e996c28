"""A position as a PNG, for previews of links and for places that show no SVG: the board of the pages and the points."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib.resources import files
from typing import Final

from flask import Response, abort, redirect

from service.api.call import context
from service.operations.games.change import load
from service.operations.games.projection import GameView
from service.web import assets, pages
from service.web.blueprints import page_blueprint
from service.web.board import board
from service.web.games import asked_step, seat_panels
from service.web.kept import kept
from service.web.rendering import render
from service.web.timeline import GamePosition
from service.web.words import Words

blueprint = page_blueprint("picture")

SIZE: Final = (1200, 630)
"""Width and height in pixels: what programs that show previews of links ask for."""
LANGUAGES: Final = ("en", "es")
"""Those whose letters the font has. In other languages a picture is English."""
MAX_DRAWING_S: Final = 20.0
"""It takes a tenth of a second of a core."""
MAX_NAME: Final = 16
"""Characters of a name for which there is room."""


@blueprint.get("/games/<id:game>/picture.png")
def show_picture(game: str) -> Response:
    """Leads to the picture of the newest position, or of the one that `at` names."""
    timeline = kept().timelines.of(load(context(), game))
    response: Response = redirect(address(game, asked_step(timeline), pages.language()))  # type: ignore[assignment]
    response.headers["Cache-Control"] = "no-cache"
    return response


def address(game: str, n: int, language: str) -> str:
    """Where the picture of a position is."""
    return f"/games/{game}/positions/{n}/{language if language in LANGUAGES else 'en'}/{assets.version()}/picture.png"


@blueprint.get("/games/<id:game>/positions/<int:n>/<language>/<version>/picture.png")
def show_picture_of_position(game: str, n: int, language: str, version: str) -> Response:
    """The picture of a position. Its address has all that it depends on."""
    if language not in LANGUAGES:
        abort(404)
    view = load(context(), game)
    timeline = kept().timelines.of(view)
    if not 1 <= n <= timeline.last:
        abort(404)
    words = pages.words(language)
    key = (view.id, view.meta.created_ms, n, words, "picture")

    picture = kept().pictures.get(key, lambda: png(svg(view, timeline.positions[n], words)))
    response = Response(picture, content_type="image/png")
    response.headers["Cache-Control"] = assets.FOREVER if version == assets.version() else "no-cache"
    return response


def svg(view: GameView, position: GamePosition, words: Words) -> str:
    """The picture as an SVG that needs no style sheet of a page."""
    return render(
        "picture.html",
        words.language,
        board=board(position, view.game.config, words),
        styles=_styles(),
        state=words._("Over") if position.over else words._("Round %(num)s", num=position.round),
        seats=[
            panel._replace(name=_short(panel.name) or words._("player %(num)s", num=panel.number))
            for panel in seat_panels(view, position, words)
        ],
    )


def _short(name: str) -> str:
    """A name as the font can write it; empty where it cannot."""
    try:
        # The letters that every Western font has.
        name.encode("cp1252")
    except UnicodeEncodeError:
        return ""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1].rstrip()}…"


@cache
def _styles() -> str:
    """The rules of the board with the light colours put in, since resvg knows no variables."""
    tokens = (files("service.presentation") / "static" / "tokens.css").read_text(encoding="utf-8")
    light = dict(re.findall(r"(--[\w-]+):([^;}]+)", tokens.partition("@media")[0]))
    rules = (files("service.web") / "static" / "board.css").read_text(encoding="utf-8")
    return re.sub(r"var\((--[\w-]+)\)", lambda found: light[found[1]], rules)


def png(drawing: str) -> bytes:
    """An SVG as a PNG of SIZE."""
    program = str(files("service.web") / "resvg.py")
    done = subprocess.run(
        [sys.executable, "-I", program, str(SIZE[0])],
        input=drawing.encode(),
        capture_output=True,
        timeout=MAX_DRAWING_S,
        check=True,
    )
    return done.stdout
