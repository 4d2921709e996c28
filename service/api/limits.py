"""How much one caller may create in a minute. Playing and reading are never limited: a client that plays as fast as it
is answered is what the service is for."""

from __future__ import annotations

import math
import time

from flask import Flask, Response, current_app, g, request
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter

from service.api.client_address import client_network
from service.api.endpoints import CREATES
from service.api.errors import TooManyRequests
from service.errors import Unavailable
from service.operations.access.tokens import Caller
from service.operations.context import Context
from service.wiring import counter_connections

ANONYMOUS_LIMIT = RateLimitItemPerMinute(1800)
"""For callers without a key, by their address (IPv6: by /64): more games than one client can play to the end."""
KEY_LIMIT = RateLimitItemPerMinute(6000)
"""For keys of authors and creators, together with the bots that they registered. Organisers are not limited."""
KEY_PREFIX = "mb1:limits"
_LIMITER = "montego_limiter"


def register(app: Flask, ctx: Context) -> None:
    """Counts creating calls, for all processes together, in the Redis of the queues. To be registered after what finds
    out the caller."""
    storage = RedisStorage(
        "redis://", connection_pool=counter_connections(ctx.settings), key_prefix=KEY_PREFIX, wrap_exceptions=True
    )
    app.extensions[_LIMITER] = FixedWindowRateLimiter(storage)

    @app.before_request
    def count_call() -> None:
        view = current_app.view_functions.get(request.endpoint or "")
        # A preflight (OPTIONS) has the endpoint of the call that it asks about, and creates nothing.
        if request.method != "OPTIONS" and getattr(view, CREATES, False):
            count(g.caller, 1)

    @app.after_request
    def add_headers(response: Response) -> Response:
        if "rate_limit_headers" in g:
            response.headers.update(g.rate_limit_headers)
        return response


def count(caller: Caller, created: int) -> None:
    """Counts what a caller creates by the request that is served. The call itself counts as one thing; a view that
    creates more counts the others. Raises TooManyRequests, Unavailable."""
    if caller.is_organiser or created == 0:
        return
    limiter: FixedWindowRateLimiter = current_app.extensions[_LIMITER]
    limit, name = _limit_of(caller)
    try:
        allowed = limiter.hit(limit, name, cost=created)
        window = limiter.get_window_stats(limit, name)
    except StorageError as error:
        raise Unavailable("Redis does not answer; try again.") from error
    seconds = max(0, math.ceil(window.reset_time - time.time()))
    # draft-ietf-httpapi-ratelimit-headers: q in a window of w seconds; r are left, for t seconds.
    g.rate_limit_headers = {
        "RateLimit-Policy": f'"creating";q={limit.amount};w={limit.get_expiry()}',
        "RateLimit": f'"creating";r={window.remaining};t={seconds}',
    }
    if not allowed:
        g.rate_limit_headers["Retry-After"] = str(max(1, seconds))
        raise TooManyRequests("Too many requests that create something; Retry-After says when to go on (seconds).")


def _limit_of(caller: Caller) -> tuple[RateLimitItem, str]:
    """The limit for a caller, and the name under which the caller is counted."""
    if caller.bot is not None:
        # All tokens of one owner share a budget.
        return KEY_LIMIT, f"key:{caller.bot.owner}"
    if caller.kind == "key":
        return KEY_LIMIT, f"key:{caller.id}"
    return ANONYMOUS_LIMIT, f"address:{client_network(request)}"
