"""Creating calls that are sent again: the same key and body give the same answer (PROTOCOL "Conventions").

The kept answer holds tokens. It is sealed with a key that is derived from the Idempotency-Key, which itself is not
kept: what lies in the store under a hash of it is of no use to whoever reads the store.

A process can die between creating and keeping the answer. So all chance of such a call, its ids, tokens and seeds, is
derived from the Idempotency-Key and a salt that is drawn at the first attempt, and forgotten with the answer: the next
attempt makes the very same, finds it made, and gives the same tokens. The salt never leaves the store, or whoever chose
the key would know the cards; the store never has the key, or whoever reads it would know the tokens.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from service.errors import InvalidRequest, OperationError, Unavailable, WrongState
from service.operations.context import Context
from service.store.idempotency import Kept

KEPT_MS = 24 * 3600 * 1000
LEASE_MS = 10_000
"""How long an attempt keeps others waiting. Two at once would do no harm, since they make the same."""
_NONCE = 12
_SALT = 32
FIELD = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class CreatingCall:
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

    def chance(self, salt: str) -> Callable[[int], bytes]:
        """Draws of so many bytes; with the same salt they are the same, one after the other (HKDF, RFC 5869)."""
        purpose = f"montego-bay chance\0{self.scope}\0{self.fingerprint}".encode()
        secret = HKDF(SHA256(), 32, salt=bytes.fromhex(salt), info=purpose).derive(self.key.encode())
        numbers = itertools.count()

        def draw(length: int) -> bytes:
            return HKDFExpand(SHA256(), length, info=str(next(numbers)).encode()).derive(secret)

        return draw


@dataclass(frozen=True, slots=True)
class Begun:
    """An attempt that is to be made now, in a context of its own. It ends with `keep` or `give_up`."""

    ctx: Context
    number: int


def begin(ctx: Context, attempt: CreatingCall) -> Begun | dict[str, Any]:
    """The answer that an earlier call got, if there is one.

    Raises InvalidRequest when the key came with another request, WrongState while the earlier call is still at work,
    Unavailable.
    """
    salt = ctx.random_bytes(_SALT).hex()
    name, fingerprint = attempt.name, attempt.fingerprint
    found = ctx.idempotency.claim(name, fingerprint, salt, lease_ms=LEASE_MS, kept_ms=KEPT_MS)
    if not isinstance(found, Kept):
        again = found.number > 1
        return Begun(replace(ctx, random_bytes=attempt.chance(found.salt), again=again), found.number)
    if found.fingerprint != fingerprint:
        raise InvalidRequest((FIELD,), "This key came with another request before: use a new one.")
    if found.answer is None:
        raise WrongState("A call with this Idempotency-Key is still at work; try again.")
    return _open(attempt, found.answer)


def keep(ctx: Context, attempt: CreatingCall, answer: dict[str, Any]) -> None:
    """Keeps the answer for 24 hours. Raises Unavailable."""
    nonce = ctx.random_bytes(_NONCE)
    text = json.dumps(answer, separators=(",", ":")).encode()
    sealed = base64.b64encode(nonce + attempt.cipher().encrypt(nonce, text, attempt.fingerprint.encode())).decode()
    ctx.idempotency.keep(attempt.name, attempt.fingerprint, sealed, KEPT_MS)


def give_up(ctx: Context, attempt: CreatingCall, begun: Begun, error: BaseException) -> None:
    """The attempt has failed. A first one that was refused has created nothing, and the key may be used for anything;
    else something may be there, and the next attempt finds it. Raises Unavailable."""
    refused = isinstance(error, OperationError) and not isinstance(error, Unavailable)
    end = ctx.idempotency.forget if refused and begun.number == 1 else ctx.idempotency.let_go
    end(attempt.name, begun.number)


def _open(attempt: CreatingCall, sealed: str) -> dict[str, Any]:
    whole = base64.b64decode(sealed)
    try:
        text = attempt.cipher().decrypt(whole[:_NONCE], whole[_NONCE:], attempt.fingerprint.encode())
    except InvalidTag:
        raise InvalidRequest((FIELD,), "What was kept for this key cannot be opened with it: use a new one.") from None
    answer: dict[str, Any] = json.loads(text)
    return answer
