"""Successful responses: JSON, and the headers that go with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from flask import Request, Response
from werkzeug.http import parse_list_header, parse_options_header

from service.operations.access.idempotency import CreatingAnswer

REPLAYED = "Idempotency-Replayed"
PREFERENCE_APPLIED = "Preference-Applied"
_ENCODING_SUFFIX = re.compile(r"(--?|;|:)(gzip|br|deflate|zstd)$")
_VIEW_TAG = re.compile(r"([0-9]{1,15})@([0-9]{1,15})")
_PRIVATE = {"Cache-Control": "no-store", "Vary": "Authorization"}


def json_response(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response.

    It is not dumped through the operation's schema, which would cost more than all else that a request does: the tests
    hold responses to their schemas.
    """
    response = Response(msgspec.json.encode(data), status, content_type="application/json")
    response.headers.update(headers or {})
    return response


def private(data: Any) -> Response:
    """A JSON response that is meant for one caller only, or shown only once."""
    return json_response(data, headers=_PRIVATE)


def preferred_return(request: Request) -> str | None:
    """`minimal` or `representation`, as the header `Prefer` asks for (RFC 7240, 4.2); None for neither. The first
    preference of a name counts."""
    for preference in parse_list_header(request.headers.get("Prefer", "")):
        name, _, value = parse_options_header(preference)[0].partition("=")
        if name.strip().lower() == "return":
            wanted = value.strip().strip('"').lower()
            return wanted if wanted in ("minimal", "representation") else None
    return None


def preferred(data: Any, applied: str | None) -> Response:
    """A JSON response for one caller only, as its header `Prefer` asks for; `applied`: the `return` that was
    followed."""
    headers = {} if applied is None else {PREFERENCE_APPLIED: f"return={applied}"}
    return json_response(data, headers={**_PRIVATE, "Vary": "Authorization, Prefer", **headers})


def created(answer: CreatingAnswer, location: str, status: int = 201) -> Response:
    """What was created, and where it is. It holds secrets that are shown this once, so no cache may keep it."""
    headers = {"Location": location, **_PRIVATE, **({REPLAYED: "true"} if answer.replayed else {})}
    return json_response(answer.body, status, headers)


def no_content(status: int = 204) -> Response:
    """A response without a body."""
    response = Response(status=status)
    response.headers.pop("Content-Type", None)
    return response


def path(*parts: str) -> str:
    """A path below /v1."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def page(request: Request, found: Mapping[str, Any]) -> Response:
    """A page of a list: `items`, the cursor `next`, and the address of the next page in `Link` (RFC 8288)."""
    response = json_response(found)
    if found["next"] is not None:
        query = urlencode({**request.args.to_dict(), "cursor": found["next"]})
        response.headers["Link"] = f'<{request.path}?{query}>; rel="next"'
    return response


def opaque_tag(version: int, at_ms: int, seat: int | None) -> str:
    """The opaque tag of a view of a game: its version, when that was made (ms since the game was created), and whose
    view it is."""
    return f"{version}@{at_ms}" if seat is None else f"{version}@{at_ms}.{seat}"


def views_of(request: Request) -> list[tuple[int, int]]:
    """The versions and times of the views that the client says in `If-None-Match` to have."""
    return [(int(found[1]), int(found[2])) for found in map(_VIEW_TAG.match, _known_tags(request)) if found]


def _known_tags(request: Request) -> list[str]:
    """The tags in `If-None-Match`. werkzeug reads an empty one (`""`) as None."""
    return [tag for tag in request.if_none_match.as_set(include_weak=True) if tag]


def etag(opaque: str) -> str:
    """The `ETag` header of an opaque tag. It is weak, since the same view may be sent compressed."""
    return f'W/"{opaque}"'


def client_has(request: Request, opaque: str) -> bool:
    """Whether `If-None-Match` names this tag (RFC 9110, 13.1.2, weak comparison).

    Some proxies that compress a response add a suffix to its tag.
    """
    return request.if_none_match.contains_weak(opaque) or any(
        _ENCODING_SUFFIX.sub("", tag) == opaque for tag in _known_tags(request)
    )


def not_modified(headers: Mapping[str, str]) -> Response:
    """The client has the newest version."""
    response = no_content(304)
    response.headers.update(headers)
    return response
