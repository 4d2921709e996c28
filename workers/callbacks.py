"""Tells callback URLs what happened, again until they answer or are given up.

What is to be told stands in the store until it has been told; a worker that dies with it loses nothing. What a URL
answers does not matter, but that the status is 2xx.
"""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from service.errors import Unavailable
from service.operations.callbacks import body, valid_secrets, webhook_id
from service.operations.context import Context
from workers.outbound import Failed, Outbound
from workers.per_host_queue import PerHostQueue

CALL_S = 10.0
HELD_MS = 15_000
"""For how long a callback that a worker took is nobody else's: longer than a call."""
PAUSES_S = (1, 5, 30, 120, 600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600)
"""After each failure; after one more failure the callback is given up."""
GONE = 410
"""By this status a receiver says that it wants no more (Standard Webhooks)."""
AT_ONCE = 100

log = logging.getLogger("montego.jobs")


def line_up(ctx: Context, lines: PerHostQueue) -> None:
    """Puts all callbacks that are due into the lines. What finds no place is due again later. Raises Unavailable."""
    while True:
        taken = ctx.callbacks.take(AT_ONCE, HELD_MS)
        for slot, url in taken:
            if not lines.add(urlsplit(url).netloc.lower(), slot):
                return
        if len(taken) < AT_ONCE:
            return


def tell(ctx: Context, outbound: Outbound, slot: str) -> bool:
    """Tells what waits in a slot; whether its host may be trusted to answer the next one."""
    try:
        return _tell(ctx, outbound, slot)
    except Unavailable as error:
        log.warning("callback %s is left: %s", slot, error.detail)
        return True


def _tell(ctx: Context, outbound: Outbound, slot: str) -> bool:
    pending = ctx.callbacks.hold(slot, HELD_MS)
    if pending is None:
        return True
    exchange = outbound.post(
        pending.callback.url,
        body(pending),
        webhook_id=webhook_id(pending),
        secrets=valid_secrets(ctx, pending),
        timeout_s=CALL_S,
    )
    if not isinstance(exchange, Failed) or _is_success(exchange.status):
        ctx.callbacks.told(slot, pending.version)
        return True
    if pending.failures < len(PAUSES_S) and exchange.status != GONE:
        ctx.callbacks.failed(slot, PAUSES_S[pending.failures] * 1000)
    else:
        log.warning("callback %s is given up: %s", slot, exchange.detail)
        ctx.callbacks.told(slot, pending.version)
    return False


def _is_success(status: int | None) -> bool:
    """For a bot only a whole answer of status 200 counts; a callback is told as soon as the status is 2xx."""
    return status is not None and 200 <= status < 300
