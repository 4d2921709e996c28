"""Creating calls that are sent again: the same key and body give the same answer (PROTOCOL "Rules for all calls").

The kept answer holds tokens. It is sealed with a key that is derived from the Idempotency-Key, which itself is not
kept: what lies in the store under a hash of it is of no use to whoever reads the store.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from service.operations.context import Context
from service.operations.errors import InvalidRequest, WrongState

KEPT_MS = 24 * 3600 * 1000
CLAIMED_MS = 60_000
"""How long a call may take before another one may take its place: after a crash the claim must end by itself."""
_NONCE = 12
FIELD = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call with an Idempotency-Key. `scope`: whose key it is; `request`: what was asked for, whole."""

    scope: str
    key: str
    request: bytes

    @property
    def name(self) -> str:
        """Under which the answer is kept."""
        return hashlib.sha256(f"{self.scope}\0{self.key}".encode()).hexdigest()

    @property
    def fingerprint(self) -> str:
        """What is kept of the request."""
        return hashlib.sha256(self.request).hexdigest()

    def cipher(self) -> AESGCM:
        """Seals and opens the answer."""
        derive = HKDF(SHA256(), 32, salt=self.scope.encode(), info=b"montego-bay idempotency")
        return AESGCM(derive.derive(self.key.encode()))


def begin(ctx: Context, attempt: Attempt) -> dict[str, Any] | None:
    """The answer that an earlier call got; None: there was none, and this one is to `keep` its answer, or `release`.

    Raises InvalidRequest when the key came with another request, WrongState while the earlier call is still at work,
    Unavailable.
    """
    kept = ctx.idempotency.claim(attempt.name, attempt.fingerprint, CLAIMED_MS)
    if kept is None:
        return None
    fingerprint, _, sealed = kept.partition(":")
    if fingerprint != attempt.fingerprint:
        raise InvalidRequest((FIELD,), "This key came with another request before: use a new one.")
    if not sealed:
        raise WrongState("A call with this Idempotency-Key is still at work; try again.")
    return _open(attempt, sealed)


def keep(ctx: Context, attempt: Attempt, answer: dict[str, Any]) -> None:
    """Keeps the answer for 24 hours. Raises Unavailable."""
    nonce = ctx.random_bytes(_NONCE)
    text = json.dumps(answer, separators=(",", ":")).encode()
    sealed = base64.b64encode(nonce + attempt.cipher().encrypt(nonce, text, attempt.fingerprint.encode())).decode()
    ctx.idempotency.keep(attempt.name, f"{attempt.fingerprint}:{sealed}", KEPT_MS)


def release(ctx: Context, attempt: Attempt) -> None:
    """Nothing was created: the key may be used again. Raises Unavailable."""
    ctx.idempotency.release(attempt.name)


def _open(attempt: Attempt, sealed: str) -> dict[str, Any]:
    whole = base64.b64decode(sealed)
    try:
        text = attempt.cipher().decrypt(whole[:_NONCE], whole[_NONCE:], attempt.fingerprint.encode())
    except InvalidTag:
        raise InvalidRequest((FIELD,), "What was kept for this key cannot be opened with it: use a new one.") from None
    answer: dict[str, Any] = json.loads(text)
    return answer
