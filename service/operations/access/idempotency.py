"""Creating calls that are sent again: the same key and body get the same answer (PROTOCOL "Conventions").

A call first claims its record. The script that creates writes the answer into the record in the same atomic step, and
does nothing if the claim no longer stands. So of all calls with one key at most one creates. A process that dies before
that step has created nothing, and its claim expires; one that dies after it has left the answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from service.errors import InvalidRequest, Unavailable, WrongState
from service.operations.context import Context
from service.store.idempotency import Claim

__all__ = ["FIELD", "Claim", "CreatingAnswer", "CreatingCall", "create_once"]
FIELD = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class CreatingCall:
    """A call with an Idempotency-Key. `scope`: whose key it is; `request`: what was asked for, whole."""

    scope: str
    key: str
    request: bytes

    @property
    def name(self) -> str:
        """Of its record."""
        return hashlib.sha256(f"{self.scope}\0{self.key}".encode()).hexdigest()

    @property
    def fingerprint(self) -> str:
        """What is kept of the request."""
        return hashlib.sha256(self.request).hexdigest()


@dataclass(frozen=True, slots=True)
class CreatingAnswer:
    """The answer to a creating call. `replayed`: an earlier call with the same key got it."""

    body: dict[str, Any]
    replayed: bool = False


def create_once(ctx: Context, call: CreatingCall, create: Callable[[Claim], dict[str, Any]]) -> CreatingAnswer:
    """The answer of `create`, which creates under the claim that it is given, or the one that an earlier call got.

    What `create` raises is not kept: the key can be used again. Raises InvalidRequest when the key came with another
    request, WrongState while the earlier call is still at work, Unavailable, and what `create` raises.
    """
    found = ctx.idempotency.claim(call.name, call.fingerprint, ctx.random_bytes(16).hex())
    if isinstance(found, Claim):
        try:
            return CreatingAnswer(create(found))
        except BaseException:
            # Where the store does not answer, the claim expires by itself.
            with suppress(Unavailable):
                ctx.idempotency.release(found)
            raise
    if found.fingerprint != call.fingerprint:
        raise InvalidRequest((FIELD,), "This key came with another request before: use a new one.")
    if found.answer is None:
        raise WrongState("A call with this Idempotency-Key is still at work; try again.")
    return CreatingAnswer(json.loads(found.answer), replayed=True)
