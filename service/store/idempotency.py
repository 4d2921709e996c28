"""Creating calls that can be repeated: claims, and the answers that scripts write in the step that creates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.errors import Unavailable
from service.store import keys
from service.store.clients import RedisClient, script

CLAIM_MS = 10_000
"""How long a claim stands. A process that dies with one keeps a repeated call waiting for as long."""
ANSWER_KEPT_MS = 24 * 3600 * 1000
CLAIM_LOST = -1
"""What a script that creates returns when it has done nothing because the claim no longer stands."""


class ClaimLost(Unavailable):
    """Nothing was created: the claim had expired."""

    def __init__(self) -> None:
        super().__init__("The service took too long; send the call again.")


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer a creating call: while it stands, nobody else may, and a write without it does nothing."""

    name: str
    """Of the record, under which the answer will be."""
    holder: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer of a creating call, to be written in the step that creates."""

    claim: Claim
    answer: str

    @classmethod
    def of(cls, claim: Claim | None, answer: Mapping[str, Any]) -> Receipt | None:
        """None for a call that has no claim: it cannot be repeated."""
        return None if claim is None else cls(claim, json.dumps(answer, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class ClaimTaken:
    """What a creating call finds of an earlier one with the same key. `answer` None: that one is still at work."""

    fingerprint: str
    answer: str | None


class IdempotencyStore:
    """A record is one hash that expires: a fingerprint of the request, and a claim or the answer."""

    def __init__(self, client: RedisClient, claim_ms: int = CLAIM_MS) -> None:
        self._claim_ms = claim_ms
        self._claim = script(client, "idempotency_claim")
        self._release = script(client, "idempotency_release")

    def claim(self, name: str, fingerprint: str, holder: str) -> Claim | ClaimTaken:
        """Exactly one of many who claim a name at once gets it."""
        found: Any = self._claim([keys.idempotency_record(name)], [fingerprint, holder, self._claim_ms])
        return ClaimTaken(*found) if found else Claim(name, holder)

    def release(self, claim: Claim) -> None:
        """Ends a claim: the name is free, and a write under the claim that is still on its way will do nothing. Does
        nothing when there is an answer."""
        self._release([keys.idempotency_record(claim.name)], [claim.holder])


def receipt_keys(receipt: Receipt | None) -> list[str]:
    """What comes last among the keys of a script that creates, see `idempotency.lua`."""
    return [] if receipt is None else [keys.idempotency_record(receipt.claim.name)]


def receipt_values(receipt: Receipt | None) -> list[str | int]:
    """The arguments of such a script: claim, answer, how long that is kept (ms)."""
    return ["", "", 0] if receipt is None else [receipt.claim.holder, receipt.answer, ANSWER_KEPT_MS]


def was_created(result: Any) -> bool:
    """Reads the result of such a script: 1, or 0 where something else was in the way. Raises ClaimLost."""
    if result == CLAIM_LOST:
        raise ClaimLost
    return bool(result)
