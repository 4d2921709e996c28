"""Answers: JSON, and the headers that go with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from flask import Request, Response

PRIVATE = {"Cache-Control": "no-store", "Vary": "Authorization"}
"""For what is shown once, or to one seat only."""


def reply(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer. The schemas of the operation describe it, and the tests hold it to them; dumping a whole
    observation through a schema would cost more than everything else that a request does."""
    response = Response(msgspec.json.encode(data), status, content_type="application/json")
    response.headers.update(headers or {})
    return response


def nothing(status: int = 204) -> Response:
    """An answer without a body."""
    response = Response(status=status)
    response.headers.pop("Content-Type", None)
    return response


def created(data: Any, location: str, status: int = 201) -> Response:
    """What was made, and where it is. It holds secrets that are shown this once, so nobody keeps it."""
    return reply(data, status, {"Location": location, **PRIVATE})


def at(*parts: str) -> str:
    """A path below /v1."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def page(request: Request, found: Mapping[str, Any]) -> Response:
    """A page of a list, `items` and the cursor `next`, with the address of the next one in `Link` (RFC 8288)."""
    response = reply(found)
    if found["next"] is not None:
        query = urlencode({**request.args.to_dict(), "cursor": found["next"]})
        response.headers["Link"] = f'<{request.path}?{query}>; rel="next"'
    return response


def tag(version: int, seat: object) -> str:
    """The opaque tag of a view of a game: its version, and whose view it is."""
    return str(version) if seat is None else f"{version}.{seat}"


def etag(opaque: str) -> str:
    """As a header. Weak, since the same view may be sent compressed."""
    return f'W/"{opaque}"'


def has(request: Request, opaque: str) -> bool:
    """Whether `If-None-Match` names this tag (RFC 9110, 13.1.2, weak comparison)."""
    return request.if_none_match.contains_weak(opaque)


def not_modified(headers: Mapping[str, str]) -> Response:
    """What the client has is what there is."""
    response = nothing(304)
    response.headers.update(headers)
    return response
