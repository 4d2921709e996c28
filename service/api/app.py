"""The application: everything put together over a context."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from flask import Flask, g, request
from gevent import get_hub, monkey
from gunicorn.arbiter import Arbiter
from werkzeug.middleware.proxy_fix import ProxyFix

from service import wiring
from service.api import (
    bots,
    games,
    headers,
    health,
    hidden_texts,
    keys,
    ladders,
    limits,
    openapi,
    records,
    tournaments,
)
from service.api.call import EXTENSION, identify
from service.api.heartbeat import HEARTBEAT, Heartbeat
from service.api.metrics import Metrics
from service.config import ConfigError, Settings
from service.operations.access.tokens import ANONYMOUS
from service.operations.context import Context
from service.web import app as web

T = TypeVar("T")


def create_app(ctx: Context | None = None) -> Flask:
    """The WSGI application. Without a context it builds one from the environment, and ends the process with one line
    for settings that cannot be used."""
    if ctx is None:
        ctx = _from_environment()
    ctx = replace(ctx, offload=_offload)
    app = _App("service.api", static_folder=None)
    app.url_map.merge_slashes = False
    app.config["MAX_CONTENT_LENGTH"] = ctx.settings.body_limit
    app.extensions[EXTENSION] = ctx
    app.extensions[HEARTBEAT] = Heartbeat(ctx)
    app.extensions[health.METRICS] = metrics = Metrics()
    metrics.register(app)
    _trust_proxies(app, ctx.settings.trusted_proxies)
    headers.register(app, ctx.settings.cors_origins)
    _identify_callers(app, ctx)
    limits.register(app, ctx)
    openapi.register(
        app,
        games.blueprint,
        records.blueprint,
        bots.blueprint,
        keys.blueprint,
        hidden_texts.blueprint,
        tournaments.blueprint,
        ladders.blueprint,
        health.blueprint,
    )
    if ctx.settings.pages:
        web.register(app)
    return app


class _App(Flask):
    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Nothing here is a coroutine. Flask would check that again for each of its hooks at each request."""
        return func


def _from_environment() -> Context:
    try:
        return wiring.build(Settings.from_env())
    except ConfigError as error:
        print(f"montego serve: {error}", file=sys.stderr)
        # By this status gunicorn knows that starting the process again would not help.
        sys.exit(Arbiter.APP_LOAD_ERROR)


def _trust_proxies(app: Flask, number: int) -> None:
    """Takes the client's address, scheme and host from the headers that the last `number` proxies have set. What stands
    before theirs in `X-Forwarded-For` is the client's own claim."""
    if number > 0:
        fixed = ProxyFix(app.wsgi_app, x_for=number, x_proto=number, x_host=number)
        app.wsgi_app = fixed  # type: ignore[method-assign]


def _identify_callers(app: Flask, ctx: Context) -> None:
    @app.before_request
    def set_caller() -> None:
        # Health, metrics and the reference answer everybody, even with an invalid token.
        g.caller = identify(ctx, request) if request.path.startswith("/v1/") else ANONYMOUS


def _offload(work: Callable[[], T]) -> T:
    """Runs long calculations in a real thread where greenlets serve the requests: they would all wait for it."""
    if not monkey.is_module_patched("threading"):
        return work()
    error, result = get_hub().threadpool.apply(_outcome, (work,))
    if error is not None:
        raise error
    return cast(T, result)


def _outcome(work: Callable[[], T]) -> tuple[Exception | None, T | None]:
    """What work raises or returns. gevent prints what leaves a thread as an exception, also the errors of clients."""
    try:
        return None, work()
    except Exception as error:  # noqa: BLE001 - it is raised again in the thread of the request
        return error, None
