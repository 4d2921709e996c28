"""Creating calls with an `Idempotency-Key`: sent again, they get the same answer and create nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress

from flask import Request, Response

from service.api.call import Call
from service.errors import Unavailable
from service.operations.access import idempotency
from service.operations.access.idempotency import Begun, CreatingCall
from service.operations.context import Context

REPLAYED = "Idempotency-Replayed"
_KEPT_HEADERS = ("Cache-Control", "Content-Type", "Location")
_LOG = logging.getLogger(__name__)


def idempotent(call: Call, request: Request, key: str, sent: object, make: Callable[[Context], Response]) -> Response:
    """The answer of `make`, or that of an earlier call with this key. `sent`: the body's JSON value.

    What `make` raises is not kept: the key may be used again. Raises InvalidRequest, WrongState, Unavailable.
    """
    attempt = CreatingCall(_scope(call, request), key, _whole(request, sent))
    begun = idempotency.begin(call.ctx, attempt)
    if not isinstance(begun, Begun):
        return Response(begun["body"], begun["status"], {**begun["headers"], REPLAYED: "true"})
    try:
        response = make(begun.ctx)
    except BaseException as error:
        # Where the store does not hear of it, the claim ends by itself.
        with suppress(Unavailable):
            idempotency.give_up(call.ctx, attempt, begun, error)
        raise
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    answer = {"status": response.status_code, "headers": headers, "body": response.get_data(as_text=True)}
    try:
        idempotency.keep(call.ctx, attempt, answer)
    except Unavailable:
        # It is created: who asked has to have its tokens. A repeat finds it once the claim has ended.
        _LOG.warning("The answer to a creating call could not be kept")
    return response


def _scope(call: Call, request: Request) -> str:
    if call.caller.kind == "anonymous":
        return f"address:{request.remote_addr or ''}"
    return call.caller.scope


def _whole(request: Request, sent: object) -> bytes:
    """The request as far as it matters; the order of members does not."""
    return json.dumps([request.method, request.path, sent], sort_keys=True, separators=(",", ":")).encode()
