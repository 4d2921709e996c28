"""Creating calls, with or without an `Idempotency-Key`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from flask import request

from service.api.call import Call
from service.api.client_address import client_network
from service.operations.access.idempotency import Claim, CreatingAnswer, CreatingCall, create_once


def create(call: Call, make: Callable[[Claim | None], dict[str, Any]]) -> CreatingAnswer:
    """The answer of `make`, or the one that an earlier call with the same key got (see `create_once`)."""
    key = call.headers.get("idempotency_key")
    if key is None:
        return CreatingAnswer(make(None))
    return create_once(call.ctx, CreatingCall(_scope(call), key, _request(call)), make)


def _scope(call: Call) -> str:
    """Whose key it is: the keys of two callers never meet."""
    if call.caller.kind == "anonymous":
        return f"address:{client_network(request)}"
    return call.caller.scope


def _request(call: Call) -> bytes:
    """The request as far as it matters. The order of members does not."""
    sent = [request.method, request.path, {} if call.json is None else call.json]
    return json.dumps(sent, sort_keys=True, separators=(",", ":")).encode()
