"""The application: everything put together over a context."""

from __future__ import annotations

from flask import Flask, g, request

from service import wiring
from service.api import bots, games, health, keys, limits, manners, openapi, tournaments
from service.api.call import EXTENSION, identify
from service.api.metrics import Metrics
from service.config import Settings
from service.operations.access import ANONYMOUS
from service.operations.context import Context


def create_app(ctx: Context | None = None) -> Flask:
    """The WSGI application. Without a context it builds one from the environment.

    Raises service.config.ConfigError for settings that cannot be used.
    """
    if ctx is None:
        ctx = wiring.build(Settings.from_env())
    app = Flask("service.api", static_folder=None)
    app.url_map.merge_slashes = False
    app.config["MAX_CONTENT_LENGTH"] = ctx.settings.body_limit
    app.extensions[EXTENSION] = ctx
    app.extensions[health.METRICS] = metrics = Metrics()
    metrics.watch(app)
    manners.mind(app, ctx.settings.cors_origins)
    _identify(app, ctx)
    limits.limit(app, ctx)
    openapi.describe(app, games.blueprint, bots.blueprint, keys.blueprint, tournaments.blueprint, health.blueprint)
    return app


def _identify(app: Flask, ctx: Context) -> None:
    @app.before_request
    def who() -> None:
        # Health, metrics and the reference answer whoever asks, even with a token that is worth nothing.
        g.caller = identify(ctx, request) if request.path.startswith("/v1/") else ANONYMOUS
