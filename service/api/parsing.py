"""Query and body of a request, checked: media type, length, strict JSON, no unknown members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, ClassVar, NoReturn

from flask import Request, g
from gunicorn.http.errors import ParseException
from marshmallow import EXCLUDE, RAISE, Schema, ValidationError
from webargs.flaskparser import FlaskParser

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


class StrictParser(FlaskParser):
    """webargs, with strict JSON and no unknown members or parameters."""

    DEFAULT_UNKNOWN_BY_LOCATION: ClassVar[dict[str, str | None]] = {  # type: ignore[misc]
        "json": RAISE,
        "query": RAISE,
        "headers": EXCLUDE,
    }

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body. Without one, `{}` if no member is required."""
        if not g.raw_body and not any(field.required for field in schema.fields.values()):
            return {}
        value = g.json = read_json(req, g.raw_body)
        if not isinstance(value, dict):
            raise InvalidMembers({"_schema": ["The body must be an object."]})
        known = {field.data_key or name for name, field in schema.fields.items()}
        if len(value) > len(known) + _MAX_UNKNOWN:
            # An error for each would take longer than all else.
            unknown = [name for name in value if name not in known][:_MAX_UNKNOWN]
            raise InvalidMembers({name: ["Unknown field."] for name in unknown})
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
