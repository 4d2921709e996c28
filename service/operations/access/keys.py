"""Keys of organisers, authors and creators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.errors import InvalidRequest, NotFound
from service.operations.access.tokens import Caller, hashed, key_token, new_id, role_required
from service.operations.context import Context
from service.operations.names import check_name
from service.protocol import ROLES
from service.store.api_keys import Key
from service.store.idempotency import Claim, Receipt
from service.timestamps import timestamp


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new key. `answer`: what its creator sees of it (PROTOCOL "Tokens"), its text included, this once."""

    key: Key
    token: str
    answer: dict[str, Any]


def create(ctx: Context, caller: Caller, role: str, name: str, claim: Claim | None = None) -> NewKey:
    """A key of a role. `claim`: of a call with an Idempotency-Key.

    Raises Unauthorized, Forbidden, InvalidRequest, Unavailable.
    """
    role_required(ctx, caller)
    if role not in ROLES:
        raise InvalidRequest(("role",), f"One of: {', '.join(ROLES)}.")
    key_id = new_id(ctx)
    token = key_token(ctx, key_id)
    key = Key(key_id, role, check_name(name) or "", hashed(token), ctx.wall_ms())
    answer = {**shown(key), "key": token}
    ctx.keys.create(key, Receipt.of(claim, answer))
    return NewKey(key, token, answer)


def shown(key: Key) -> dict[str, Any]:
    """What a list shows of a key: all but the key."""
    return {"id": key.id, "role": key.role, "name": key.name, "created": timestamp(key.created_ms)}


def listing(ctx: Context, caller: Caller, limit: int, cursor: str | None) -> dict[str, Any]:
    """Newest first. Raises Unauthorized, Forbidden, InvalidRequest for an invalid cursor."""
    role_required(ctx, caller)
    page = ctx.keys.page(limit, cursor)
    found = [ctx.keys.read(key) for key in page.ids]
    return {"items": [shown(key) for key in found if key is not None], "next": page.next}


def revoke(ctx: Context, caller: Caller, key: str) -> None:
    """Raises Unauthorized, Forbidden, NotFound."""
    role_required(ctx, caller)
    if not ctx.keys.revoke(key):
        raise NotFound("There is no key of this id.")
