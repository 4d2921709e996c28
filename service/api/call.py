"""A request as a view gets it: who calls, with which query and body."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from flask import Request, current_app

from service.errors import Unauthorized
from service.operations.access import tokens
from service.operations.access.tokens import Caller
from service.operations.context import Context

EXTENSION = "montego"
_BEARER = re.compile(r"bearer +([\x21-\x7e]{1,512})", re.IGNORECASE)
_TOKEN = re.compile(r"mb[bk]?_[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Call:
    """What a view works with. Query, headers and body are checked, with their defaults filled in."""

    ctx: Context
    caller: Caller
    query: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    json: Any = None
    """The JSON value of the body as it came; None without a body."""


def context() -> Context:
    """The context that the running application was built over."""
    found = current_app.extensions[EXTENSION]
    assert isinstance(found, Context), "create_app puts it there"
    return found


def identify(ctx: Context, request: Request) -> Caller:
    """Who sent a request (RFC 6750). Raises Unauthorized for any credentials that are not a known token."""
    header = request.headers.get("Authorization")
    if header is None:
        return tokens.identify(ctx, None)
    match = _BEARER.fullmatch(header.strip())
    if match is None:
        raise Unauthorized("Send the token as Authorization: Bearer <token>.")
    return caller_of(ctx, match.group(1))


def caller_of(ctx: Context, token: str) -> Caller:
    """The caller who sent a token. Raises Unauthorized for an unknown one."""
    # The parts of a token become names of keys in the store: let nothing in that only begins like one of ours.
    if token.partition("_")[0] in ("mb", "mbb", "mbk") and not _TOKEN.fullmatch(token):
        raise Unauthorized("This token is not known.")
    return tokens.identify(ctx, token)
