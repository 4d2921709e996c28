"""The application: everything put together over a context."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from flask import Flask, g, request
from gevent import get_hub, monkey
from gunicorn.arbiter import Arbiter
from werkzeug.middleware.proxy_fix import ProxyFix

from service import wiring
from service.api import bots, games, headers, health, keys, limits, openapi, records, tournaments
from service.api.call import EXTENSION, identify
from service.api.metrics import Metrics
from service.config import ConfigError, Settings
from service.operations.access.tokens import ANONYMOUS
from service.operations.context import Context

T = TypeVar("T")


def create_app(ctx: Context | None = None) -> Flask:
    """The WSGI application. Without a context it builds one from the environment, and ends the process with one line
    for settings that cannot be used."""
    if ctx is None:
        ctx = _from_environment()
    ctx = replace(ctx, beside=_beside)
    app = _App("service.api", static_folder=None)
    app.url_map.merge_slashes = False
    app.config["MAX_CONTENT_LENGTH"] = ctx.settings.body_limit
    app.extensions[EXTENSION] = ctx
    app.extensions[health.METRICS] = metrics = Metrics()
    metrics.watch(app)
    _believe_proxies(app, ctx.settings.trusted_proxies)
    headers.mind(app, ctx.settings.cors_origins)
    _identify(app, ctx)
    limits.limit(app, ctx)
    openapi.describe(
        app, games.blueprint, records.blueprint, bots.blueprint, keys.blueprint, tournaments.blueprint, health.blueprint
    )
    return app


def _believe_proxies(app: Flask, number: int) -> None:
    """Takes the client's address, scheme and host from the headers that the last so many proxies have set: of what
    stands in `X-Forwarded-For`, all before that is the client's own claim."""
    if number > 0:
        behind = ProxyFix(app.wsgi_app, x_for=number, x_proto=number, x_host=number)
        app.wsgi_app = behind  # type: ignore[method-assign]


class _App(Flask):
    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Nothing here is a coroutine. Flask would find that out anew for each of its hooks at each request."""
        return func


def _from_environment() -> Context:
    try:
        return wiring.build(Settings.from_env())
    except ConfigError as error:
        print(f"montego serve: {error}", file=sys.stderr)
        # The status by which gunicorn knows that starting this process again would not help.
        sys.exit(Arbiter.APP_LOAD_ERROR)


def _identify(app: Flask, ctx: Context) -> None:
    @app.before_request
    def who() -> None:
        # Health, metrics and the reference answer whoever asks, even with a token that is worth nothing.
        g.caller = identify(ctx, request) if request.path.startswith("/v1/") else ANONYMOUS


def _beside(work: Callable[[], T]) -> T:
    """Runs long arithmetic in a real thread where requests are served by greenlets, which would all wait for it."""
    if not monkey.is_module_patched("threading"):
        return work()
    result: T = get_hub().threadpool.apply(work)
    return result
