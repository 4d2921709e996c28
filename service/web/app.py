"""The pages as a part of the application."""

from __future__ import annotations

from flask import Flask, Response, abort, request

from service.api.headers import prefers_gzip
from service.operations.access.hidden_texts import HiddenTexts
from service.web import assets, bots, embed, errors, games, guides, home, oembed, pages, picture, play, tournaments
from service.web.blueprints import page_blueprint
from service.web.kept import EXTENSION, Kept

blueprint = page_blueprint("assets")


def register(app: Flask) -> None:
    """Adds the pages to an application that has the API."""
    app.extensions[EXTENSION] = Kept()
    app.extensions[pages.HIDDEN] = HiddenTexts()
    # Read once, when the process starts, and not while somebody waits.
    assets.assets()
    assets.version()
    errors.register(app)
    rooms = (bots, embed, games, guides, home, oembed, picture, play, tournaments)
    for part in (blueprint, *(room.blueprint for room in rooms)):
        app.register_blueprint(part)


@blueprint.get("/static/<version>/<name>")
def show_asset(version: str, name: str) -> Response:
    """A style sheet, a script or a picture, under an address that changes with its content."""
    asset = assets.assets().get(name)
    if asset is None:
        abort(404)
    response = Response(asset.body, content_type=asset.content_type)
    if prefers_gzip(request):
        response = Response(asset.gzipped, content_type=asset.content_type)
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Cache-Control"] = assets.FOREVER if version == assets.version() else "no-cache"
    return response
