"""Query and body of a request, checked: media type, length, strict JSON, no unknown members."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from flask import Request, g
from marshmallow import EXCLUDE, RAISE, Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.errors import InvalidMembers, MalformedJson, TooLarge, UnsupportedMediaType
from service.strict_json import StrictJsonError, parse_strict

MAX_DRAINED_BYTES = 8 * 1024 * 1024
"""How much of a body that nobody wants is read. Closing a connection with bytes unread resets it, and the client would
see no response."""
_CHUNK_BYTES = 64 * 1024


def has_body(request: Request) -> bool:
    """Whether the request announces a body."""
    return bool(request.content_length) or "chunked" in request.headers.get("Transfer-Encoding", "").lower()


def read_json(request: Request) -> Any:
    """The JSON value of the body. Raises UnsupportedMediaType, TooLarge, MalformedJson."""
    if request.mimetype != "application/json" and not request.mimetype.endswith("+json"):
        given = request.mimetype[:60] or "nothing"
        raise UnsupportedMediaType(f"Send the body as Content-Type: application/json, not {given}.")
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise UnsupportedMediaType("Send the body in UTF-8.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body without compression.")
    body = g.raw_body = _read(request)
    try:
        return parse_strict(body)
    except StrictJsonError as error:
        raise MalformedJson(f"The body cannot be read: {error.reason}.") from None


def _read(request: Request) -> bytes:
    limit = request.max_content_length
    too_large = TooLarge(f"A body has at most {limit} bytes.")
    try:
        body = request.get_data(cache=False)
    except RequestEntityTooLarge:
        raise too_large from None
    # werkzeug cuts a body of unknown length at the limit, and says nothing.
    if request.content_length is None and len(body) == limit and request.environ["wsgi.input"].read(1):
        raise too_large
    return body


def drain(request: Request) -> None:
    """Reads what is left of a body, up to MAX_DRAINED_BYTES, and drops it."""
    if not has_body(request):
        return
    stream = request.environ["wsgi.input"]
    left = MAX_DRAINED_BYTES if request.content_length is None else min(MAX_DRAINED_BYTES, request.content_length)
    try:
        while left > 0:
            chunk = stream.read(min(_CHUNK_BYTES, left))
            if not chunk:
                return
            left -= len(chunk)
    except OSError:
        # The client is gone, or its framing is broken: there is nobody to answer.
        return


class StrictParser(FlaskParser):
    """webargs, with strict JSON and no unknown members or parameters."""

    DEFAULT_UNKNOWN_BY_LOCATION: ClassVar[dict[str, str | None]] = {  # type: ignore[misc]
        "json": RAISE,
        "query": RAISE,
        "headers": EXCLUDE,
    }

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body. Without one, `{}` if no member is required."""
        if not has_body(req) and not any(field.required for field in schema.fields.values()):
            return {}
        value = g.json = read_json(req)
        if not isinstance(value, dict):
            raise InvalidMembers({"_schema": ["The body must be an object."]})
        return value

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        """The query. Each parameter may be there once."""
        found: dict[str, str] = {}
        for name, values in req.args.lists():
            if len(values) > 1:
                raise InvalidMembers({name: ["Give this once."]})
            found[name] = values[0]
        return found

    def handle_error(
        self,
        error: ValidationError,
        req: Request,
        schema: Schema,
        *,
        error_status_code: int | None,
        error_headers: Any,
    ) -> NoReturn:
        """Raises one error for all that does not fit, with the messages by field."""
        messages: Any = error.messages
        # webargs puts the messages below the name of the location.
        by_field = next(iter(messages.values())) if isinstance(messages, dict) else {"_schema": messages}
        raise InvalidMembers(by_field if isinstance(by_field, dict) else {"_schema": by_field})
