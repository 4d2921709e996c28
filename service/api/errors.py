"""Errors as HTTP: what the API itself refuses, the status and title of every code, and problem responses (RFC 9457)."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from flask import Flask, Response, g
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from service.errors import OperationError

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S: Mapping[str, int] = {"internal_error": 1, "unavailable": 1}
"""When to try again (seconds), for codes that are worth it."""
_LOG = logging.getLogger(__name__)


class MalformedJson(OperationError):
    """A body that is not one strict JSON text (RFC 8259, I-JSON); `detail` has the reason or the position."""

    code = "malformed_json"


class IncompleteBody(OperationError):
    """A body that did not arrive in full."""

    code = "bad_request"


class TooLarge(OperationError):
    """A body above the limit."""

    code = "too_large"


class UnsupportedMediaType(OperationError):
    """A body that is not `application/json` in UTF-8, or is compressed."""

    code = "unsupported_media_type"


class TooManyRequests(OperationError):
    """A caller creates more than the rate limit allows."""

    code = "too_many_requests"


class InvalidMembers(OperationError):
    """A body, query or header that does not fit its schema. `errors`: messages by field, nested as the body is."""

    code = "invalid_request"

    def __init__(self, errors: dict[Any, Any]) -> None:
        super().__init__(_first_message(errors), errors=errors)


def _first_message(errors: dict[Any, Any]) -> str:
    """The first of nested messages as one sentence, with the path of its field."""
    path: list[str] = []
    found: Any = errors
    while isinstance(found, dict):
        name, found = next(iter(found.items()))
        if name != "_schema":
            path.append(str(name))
    reason = str(found[0]) if isinstance(found, list) and found else str(found)
    return f"{'.'.join(path)}: {reason}" if path else reason


class Code(NamedTuple):
    """What all problems with one code have in common."""

    status: HTTPStatus
    title: str


CODES: Mapping[str, Code] = {
    "bad_request": Code(HTTPStatus.BAD_REQUEST, "The request is not valid HTTP"),
    "malformed_json": Code(HTTPStatus.BAD_REQUEST, "The body is not JSON"),
    "unauthorized": Code(HTTPStatus.UNAUTHORIZED, "A token is needed"),
    "forbidden": Code(HTTPStatus.FORBIDDEN, "This token may not do that"),
    "not_found": Code(HTTPStatus.NOT_FOUND, "Not found"),
    "method_not_allowed": Code(HTTPStatus.METHOD_NOT_ALLOWED, "This method is not allowed"),
    "decision_closed": Code(HTTPStatus.CONFLICT, "The decision was settled otherwise"),
    "not_your_decision": Code(HTTPStatus.CONFLICT, "This decision was not asked of this seat"),
    "game_over": Code(HTTPStatus.CONFLICT, "The game is over"),
    "game_not_over": Code(HTTPStatus.CONFLICT, "The game is not over yet"),
    "seat_taken": Code(HTTPStatus.CONFLICT, "The seat is not open"),
    "name_taken": Code(HTTPStatus.CONFLICT, "The name is taken"),
    "wrong_state": Code(HTTPStatus.CONFLICT, "The current state does not allow this"),
    "too_large": Code(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large"),
    "unsupported_media_type": Code(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body is not application/json"),
    "invalid_request": Code(HTTPStatus.UNPROCESSABLE_ENTITY, "The request cannot be used"),
    "illegal_action": Code(HTTPStatus.UNPROCESSABLE_ENTITY, "The rules forbid this action"),
    "too_many_requests": Code(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests"),
    "internal_error": Code(HTTPStatus.INTERNAL_SERVER_ERROR, "The service has a defect"),
    "unavailable": Code(HTTPStatus.SERVICE_UNAVAILABLE, "The service cannot work now"),
}
"""Every code that a problem can have (PROTOCOL "Errors")."""

EXAMPLE_DETAILS: Mapping[str, str] = {
    "bad_request": "The body ended before its Content-Length.",
    "malformed_json": "Expecting value (line 1, column 12)",
    "unauthorized": "This needs a token: Authorization: Bearer <token>.",
    "forbidden": "This needs a key of one of these roles: organiser.",
    "not_found": "There is no game of this id.",
    "method_not_allowed": "This address does not take this method; Allow lists those that it takes.",
    "decision_closed": "The decision was settled by default before.",
    "not_your_decision": "The decision 1.play.0.0 was not asked of seat 1.",
    "game_over": "The game is over.",
    "game_not_over": "The game is not over yet.",
    "seat_taken": "Seat 1 is not open.",
    "name_taken": "The name my-bot is taken.",
    "wrong_state": "The game has not begun: a seat is still open.",
    "too_large": "The body is too large.",
    "unsupported_media_type": "Send bodies as application/json.",
    "invalid_request": "players: Must be greater than or equal to 2 and less than or equal to 4.",
    "illegal_action": "big has the cards 1 to 5, not 6",
    "too_many_requests": "Too many requests: try again later.",
    "internal_error": "Something went wrong here, and is in the log.",
    "unavailable": "The store does not answer.",
}
"""For the OpenAPI document: the detail of an example of each code."""

_OF_HTTP_STATUS = {
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method; Allow lists those that it takes."),
    413: ("too_large", "The body is too large."),
    415: ("unsupported_media_type", "Send bodies as application/json."),
}


def problem_document(code: str, detail: str, extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON of a problem. `extra`: further members, such as `errors` or `legal_actions`."""
    return {
        "type": f"urn:montego-bay:problem:{code}",
        "title": CODES[code].title,
        "status": int(CODES[code].status),
        "code": code,
        "detail": detail,
        **(extra or {}),
    }


def problem_text(code: str, detail: str, extra: Mapping[str, Any] | None = None) -> str:
    """The body of a problem response."""
    return json.dumps(problem_document(code, detail, extra), separators=(",", ":"))


def problem(code: str, detail: str, extra: Mapping[str, Any] | None = None) -> Response:
    """A problem response, with the headers that go with its status."""
    status = CODES[code].status
    response = Response(problem_text(code, detail, extra), int(status), content_type=MEDIA_TYPE)
    response.headers["Cache-Control"] = "no-store"
    if code in RETRY_AFTER_S:
        response.headers["Retry-After"] = str(RETRY_AFTER_S[code])
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="Montego Bay"'
    return response


def _of_operation(error: OperationError) -> Response:
    return problem(error.code, error.detail, error.extra)


def _of_http(error: HTTPException) -> Response | HTTPException:
    """Flask or werkzeug refused the request."""
    if isinstance(error, RoutingException) or error.code is None or error.code < 400:
        return error
    if error.code >= 500:
        code, detail = "internal_error", "Something went wrong here, and is in the log."
    else:
        code, detail = _OF_HTTP_STATUS.get(error.code, ("bad_request", "The request is not valid HTTP."))
    response = problem(code, detail)
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response


def _of_defect(error: Exception) -> Response:
    """Anything else is our own defect. The log has the traceback, under the id of the request."""
    _LOG.error("Request %s failed", g.get("request_id", "-"), exc_info=error)
    return problem("internal_error", "Something went wrong here, and is in the log.")


def register(app: Flask) -> None:
    """Makes every error of this application a problem response."""
    app.register_error_handler(OperationError, _of_operation)
    app.register_error_handler(HTTPException, _of_http)
    app.register_error_handler(Exception, _of_defect)
