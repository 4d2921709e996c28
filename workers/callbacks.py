"""Sends callbacks, again until they are answered or given up.

What is to be sent stays in the store until it has been sent, so a worker that dies loses nothing. The answer of a URL
does not matter, except that its status must be 2xx.
"""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from service.errors import Unavailable
from service.operations.callbacks import body, valid_secrets, webhook_id
from service.operations.context import Context
from workers.outbound import Failed, OutboundClient
from workers.per_host_queue import PerHostQueue

CALL_S = 10.0
HELD_MS = 15_000
"""For this long no other worker takes a callback that one has taken: longer than a call."""
RETRY_AFTER_S = (1, 5, 30, 120, 600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600)
"""The pause after each failure. After one more failure the callback is given up."""
GONE = 410
"""By this status a receiver says that it wants no more (Standard Webhooks)."""
MAX_TAKEN = 100

log = logging.getLogger("montego.jobs")


def enqueue_due(ctx: Context, queue: PerHostQueue) -> None:
    """Takes all callbacks that are due and queues them. What finds the queue full is due again later.

    Raises Unavailable.
    """
    while True:
        taken = ctx.callbacks.take(MAX_TAKEN, HELD_MS)
        for slot, url in taken:
            if not queue.add(urlsplit(url).netloc.lower(), slot):
                return
        if len(taken) < MAX_TAKEN:
            return


def send(ctx: Context, outbound: OutboundClient, slot: str) -> bool:
    """Sends the callback that waits in a slot. Returns whether its host answers."""
    try:
        return _send(ctx, outbound, slot)
    except Unavailable as error:
        log.warning("callback %s is left: %s", slot, error.detail)
        return True


def _send(ctx: Context, outbound: OutboundClient, slot: str) -> bool:
    pending = ctx.callbacks.hold(slot, HELD_MS)
    if pending is None:
        return True
    exchange = outbound.post(
        pending.callback.url,
        body(pending),
        webhook_id=webhook_id(pending),
        secrets=valid_secrets(pending),
        timeout_s=CALL_S,
    )
    if not isinstance(exchange, Failed) or _is_success(exchange.status):
        ctx.callbacks.delivered(slot, pending.version)
        return True
    if pending.failures < len(RETRY_AFTER_S) and exchange.status != GONE:
        ctx.callbacks.failed(slot, RETRY_AFTER_S[pending.failures] * 1000)
    else:
        log.warning("callback %s is given up: %s", slot, exchange.detail)
        ctx.callbacks.delivered(slot, pending.version)
    return False


def _is_success(status: int | None) -> bool:
    """A callback is sent as soon as the status is 2xx. (A bot's answer counts only if it is whole, with status 200.)"""
    return status is not None and 200 <= status < 300
