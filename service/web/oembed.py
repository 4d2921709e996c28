"""`/oembed`: how another site shows a game, for programs that find its address in a text (oEmbed 1.0)."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs, urlencode, urlsplit

from flask import Response, abort, jsonify, request
from markupsafe import Markup

from service.api.call import context
from service.api.schemas.common import ID_PATTERN
from service.operations.games.change import load
from service.presentation.languages import LANGUAGES
from service.web import pages, picture
from service.web.blueprints import page_blueprint
from service.web.games import step_named
from service.web.kept import kept

blueprint = page_blueprint("oembed")

FRAME: Final = (800, 700)
"""Width and height of the frame in pixels, where a site has room for them."""
MIN_FRAME: Final = 200
_PATH: Final = re.compile(rf"/games/({ID_PATTERN})(?:/embed)?")


@blueprint.get("/oembed")
def describe_embedding() -> Response:
    """How to show the game whose page, or whose player, is at `url`. `at` and `lang` of that address are kept."""
    if request.args.get("format", "json") != "json":
        return Response("Only JSON is offered.", 501, content_type="text/plain")
    url = urlsplit(request.args.get("url", "")[:2000])
    found = _PATH.fullmatch(url.path)
    if url.scheme not in ("http", "https") or url.netloc != request.host or found is None:
        abort(404)
    view = load(context(), found[1])
    settings = {name: values[0] for name, values in parse_qs(url.query).items() if name in ("at", "lang")}
    language = settings["lang"] if settings.get("lang") in LANGUAGES else pages.language()
    step = step_named(kept().timelines.of(view), settings.get("at", ""))
    title = pages.words(language).players(view.names)
    host = request.host_url.rstrip("/")
    width, height = _room("maxwidth", FRAME[0]), _room("maxheight", FRAME[1])
    frame = f"{host}/games/{view.id}/embed" + (f"?{urlencode(settings)}" if settings else "")
    response = jsonify(
        version="1.0",
        type="rich",
        provider_name="Montego Bay",
        provider_url=host,
        title=title,
        width=width,
        height=height,
        html=Markup('<iframe src="{}" width="{}" height="{}" title="{}"></iframe>').format(frame, width, height, title),
        thumbnail_url=host + picture.address(view.id, step, language),
        thumbnail_width=picture.SIZE[0],
        thumbnail_height=picture.SIZE[1],
    )
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def _room(name: str, most: int) -> int:
    """Pixels of the frame: no more than the site has room for, if it says so."""
    given = request.args.get(name, "")
    return max(MIN_FRAME, min(most, int(given[:6]))) if given.isascii() and given.isdigit() else most
