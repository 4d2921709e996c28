"""Query and body of a request, checked: media type, length, strict JSON, no unknown members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from flask import Request, g
from gunicorn.http.errors import ParseException
from marshmallow import Schema, ValidationError

from service.api.call import context
from service.api.errors import IncompleteBody, InvalidMembers, MalformedJson, TooLarge, UnsupportedMediaType
from service.strict_json import StrictJsonError, parse_strict

MAX_DRAINED_BYTES = 8 * 1024 * 1024
"""How much of a body that is too large, or that nobody wants, is read. Closing a connection with bytes unread resets
it, and the client would see no response."""
_PIECE_BYTES = 64 * 1024
_MAX_UNKNOWN = 20
"""How many unknown members of a body are named in an error."""
_LONG_BYTES = 16 * 1024
"""Parsing a body of this length takes milliseconds."""


def receive(request: Request) -> None:
    """Reads the whole body into `g.raw_body` (empty for one that is too large). Raises IncompleteBody, TooLarge.

    To be called before anything is done for a request: the server hands on a body that was cut short as if it were
    whole.
    """
    limit = request.max_content_length or 0
    too_large = TooLarge(f"A body has at most {limit} bytes.")
    if _waits_for_continue(request):
        raise too_large
    g.raw_body = b""
    kept, size = bytearray(), 0
    for chunk in _body(request):
        size += len(chunk)
        if size <= limit:
            kept += chunk
    if size > limit:
        raise too_large
    g.raw_body = bytes(kept)


def drain(request: Request) -> None:
    """Reads and drops a body that `receive` has not read."""
    if "raw_body" not in g and not _waits_for_continue(request):
        with suppress(IncompleteBody):
            for _ in _body(request):
                pass


def _waits_for_continue(request: Request) -> bool:
    """Whether the client announces a body above the limit, and sends it only if the server agrees."""
    too_long = (request.content_length or 0) > (request.max_content_length or 0)
    return too_long and request.headers.get("Expect", "").lower() == "100-continue"


def _body(request: Request) -> Iterator[bytes]:
    """The body piece by piece, up to MAX_DRAINED_BYTES. Raises IncompleteBody if it ends too early."""
    length = request.content_length
    if length is None and "chunked" not in request.headers.get("Transfer-Encoding", "").lower():
        return
    left = MAX_DRAINED_BYTES if length is None else min(MAX_DRAINED_BYTES, length)
    while left > 0:
        try:
            piece = request.environ["wsgi.input"].read(min(_PIECE_BYTES, left))
        except TimeoutError:
            raise IncompleteBody("The body came too slowly.") from None
        except OSError:
            raise IncompleteBody("The body ended before its last chunk.") from None
        except ParseException:
            raise IncompleteBody("The chunks of the body are malformed.") from None
        if not piece:
            break
        left -= len(piece)
        yield piece
    if length is not None and left > 0:
        raise IncompleteBody("The body is shorter than its Content-Length.")


def read_json(request: Request, body: bytes) -> Any:
    """The JSON value of a body. Raises UnsupportedMediaType, MalformedJson."""
    if request.mimetype != "application/json" and not request.mimetype.endswith("+json"):
        given = request.mimetype[:60] or "nothing"
        raise UnsupportedMediaType(f"Send the body as Content-Type: application/json, not {given}.")
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise UnsupportedMediaType("Send the body in UTF-8.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body without compression.")
    try:
        if len(body) < _LONG_BYTES:
            return parse_strict(body)
        return context().offload(lambda: parse_strict(body))
    except StrictJsonError as error:
        raise MalformedJson(f"The body cannot be read: {error.reason}.") from None


def load_body(request: Request, schema: Schema) -> Any:
    """The body that `receive` has read, checked. Without one, `{}` if no member is required. `g.json` is its JSON value
    as it came.

    Raises UnsupportedMediaType, MalformedJson, InvalidMembers.
    """
    if not g.raw_body and not any(field.required for field in schema.fields.values()):
        return _load(schema, {})
    value = g.json = read_json(request, g.raw_body)
    if not isinstance(value, dict):
        raise InvalidMembers({"_schema": ["The body must be an object."]})
    return load_object(value, schema)


def load_object(value: dict[str, Any], schema: Schema) -> Any:
    """A JSON object, checked. Raises InvalidMembers."""
    if len(value) > len(schema.fields) + _MAX_UNKNOWN:
        # An error for each would take longer than all else.
        known = {field.data_key or name for name, field in schema.fields.items()}
        unknown = [name for name in value if name not in known][:_MAX_UNKNOWN]
        raise InvalidMembers({name: ["Unknown field."] for name in unknown})
    return _load(schema, value)


def load_query(request: Request, schema: Schema | None) -> Any:
    """The query, checked. Each parameter may be there once; without a schema there may be none. Raises
    InvalidMembers."""
    if schema is None:
        if request.query_string:
            raise InvalidMembers({name: ["Unknown field."] for name in request.args})
        return {}
    found: dict[str, str] = {}
    for name, values in request.args.lists():
        if len(values) > 1:
            raise InvalidMembers({name: ["Give this once."]})
        found[name] = values[0]
    return _load(schema, found)


def load_headers(request: Request, schema: Schema) -> Any:
    """The headers that the schema names, checked; `{}` without any of them. Raises InvalidMembers."""
    names = [field.data_key or name for name, field in schema.fields.items()]
    found = {name: request.headers[name] for name in names if name in request.headers}
    return _load(schema, found) if found else {}


def _load(schema: Schema, value: dict[str, Any]) -> Any:
    try:
        return schema.load(value)
    except ValidationError as error:
        raise InvalidMembers(error.messages_dict) from None
