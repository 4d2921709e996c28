"""How much of what is new one caller may make in a minute. Playing and reading are never limited: a client that plays
as fast as it is answered is what the service is for."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from typing import Any

from flask import Flask, Response, current_app, g, request
from flask_limiter import Limiter, RequestLimit
from limits.errors import StorageError

from service.api.resource import CREATES
from service.operations.access.tokens import Caller
from service.operations.context import Context

ANONYMOUS = "1800 per minute"
"""For callers without a key, by their address: more games than one client can play to the end, one after another."""
KEYED = "6000 per minute"
"""For keys of authors and creators. Organisers are not limited."""


def _caller() -> Caller:
    found = g.caller
    assert isinstance(found, Caller), "identified before anything is counted"
    return found


def _key() -> str:
    caller = _caller()
    return caller.scope if caller.kind in ("key", "bot") else f"address:{request.remote_addr or ''}"


def _limit() -> str:
    return KEYED if _caller().kind in ("key", "bot") else ANONYMOUS


def _is_free() -> bool:
    """Only creating calls are counted, and an organiser's are not; nor is a browser's question whether it may call."""
    if request.method == "OPTIONS":
        return True
    view = current_app.view_functions.get(request.endpoint or "")
    return not getattr(view, CREATES, False) or _caller().is_organiser


def limit(app: Flask, ctx: Context) -> None:
    """Counts creating calls in Redis, for all processes together."""
    # Flask-Limiter looks long at a request before it finds that nothing is counted: its hooks are put into an
    # application that nobody serves, and called for those requests only that count.
    holder = Flask("service.api.limits", static_folder=None)
    limiter = Limiter(
        _key,
        app=holder,
        application_limits=[_limit],
        storage_uri=ctx.settings.redis_url,
        storage_options={
            "socket_timeout": 2,
            "socket_connect_timeout": 2,
            "wrap_exceptions": True,
            "key_prefix": "mb1:limits",
        },
    )

    (count,) = holder.before_request_funcs[None]

    @app.before_request
    def count_creating() -> Any:
        if _is_free():
            return None
        g.counted = True
        return count()

    @app.after_request
    def say(response: Response) -> Response:
        current = limiter.current_limit if g.get("counted") else None
        if current is not None:
            with suppress(StorageError):
                response.headers.update(_headers(current))
        return response


def _headers(current: RequestLimit) -> dict[str, str]:
    """What is left, as draft-ietf-httpapi-ratelimit-headers has it: q a window of w seconds; r left, for t seconds."""
    reset, left = current.window
    seconds = max(0, math.ceil(reset - time.time()))
    return {
        "RateLimit-Policy": f'"creating";q={current.limit.amount};w={current.limit.get_expiry()}',
        "RateLimit": f'"creating";r={left};t={seconds}',
        **({"Retry-After": str(max(1, seconds))} if current.breached else {}),
    }
