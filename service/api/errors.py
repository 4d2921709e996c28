"""What the API itself refuses, before a use case is reached. Their codes meet HTTP in `errors.py`, with all others."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, g
from limits.errors import StorageError
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from service.errors import OperationError


class MalformedJson(OperationError):
    """A body that is not one strict JSON text (RFC 8259, I-JSON): the position or the reason is in `detail`."""

    code = "malformed_json"


class TooLarge(OperationError):
    """A body above the limit."""

    code = "too_large"


class UnsupportedMediaType(OperationError):
    """A body that is not `application/json` in UTF-8, or is compressed."""

    code = "unsupported_media_type"


class InvalidMembers(OperationError):
    """A body, query or header that does not fit its schema. `errors`: messages by field, nested as the body is."""

    code = "invalid_request"

    def __init__(self, errors: dict[Any, Any]) -> None:
        super().__init__(_first(errors), errors=errors)


def _first(errors: dict[Any, Any]) -> str:
    """The first of nested messages as one sentence, with the path of its field."""
    path: list[str] = []
    found: Any = errors
    while isinstance(found, dict):
        name, found = next(iter(found.items()))
        if name != "_schema":
            path.append(str(name))
    reason = str(found[0]) if isinstance(found, list) and found else str(found)
    return f"{'.'.join(path)}: {reason}" if path else reason


STATUS: Mapping[str, HTTPStatus] = {
    "bad_request": HTTPStatus.BAD_REQUEST,
    "malformed_json": HTTPStatus.BAD_REQUEST,
    "unauthorized": HTTPStatus.UNAUTHORIZED,
    "forbidden": HTTPStatus.FORBIDDEN,
    "not_found": HTTPStatus.NOT_FOUND,
    "method_not_allowed": HTTPStatus.METHOD_NOT_ALLOWED,
    "decision_closed": HTTPStatus.CONFLICT,
    "not_your_decision": HTTPStatus.CONFLICT,
    "game_over": HTTPStatus.CONFLICT,
    "game_not_over": HTTPStatus.CONFLICT,
    "seat_taken": HTTPStatus.CONFLICT,
    "name_taken": HTTPStatus.CONFLICT,
    "wrong_state": HTTPStatus.CONFLICT,
    "too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "unsupported_media_type": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "invalid_request": HTTPStatus.UNPROCESSABLE_ENTITY,
    "illegal_action": HTTPStatus.UNPROCESSABLE_ENTITY,
    "too_many_requests": HTTPStatus.TOO_MANY_REQUESTS,
    "internal_error": HTTPStatus.INTERNAL_SERVER_ERROR,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Every code that an answer can have (PROTOCOL "Errors"), and its status."""

TITLES: Mapping[str, str] = {
    "bad_request": "The request is not valid HTTP",
    "malformed_json": "The body is not JSON",
    "unauthorized": "A token is needed",
    "forbidden": "This token may not do that",
    "not_found": "There is no such thing",
    "method_not_allowed": "Not with this method",
    "decision_closed": "The decision was settled otherwise",
    "not_your_decision": "This decision was not asked of this seat",
    "game_over": "The game is over",
    "game_not_over": "The game is not over yet",
    "seat_taken": "The seat is not open",
    "name_taken": "The name is taken",
    "wrong_state": "Not in this state",
    "too_large": "The body is too large",
    "unsupported_media_type": "Bodies are application/json",
    "invalid_request": "The request cannot be used",
    "illegal_action": "The rules forbid this action",
    "too_many_requests": "Too many requests",
    "internal_error": "A defect of this service",
    "unavailable": "The service cannot work now",
}
RETRY_AFTER_S: Mapping[str, int] = {"internal_error": 1, "unavailable": 1}
"""When to try again, for codes that are worth it (seconds)."""
MEDIA_TYPE = "application/problem+json"


def problem_text(code: str, detail: str, extra: Mapping[str, Any] | None = None) -> str:
    """The body of a problem answer. `extra`: members of its own, such as `errors` or `legal_actions`."""
    body = {
        "type": f"urn:montego-bay:problem:{code}",
        "title": TITLES[code],
        "status": int(STATUS[code]),
        "code": code,
        "detail": detail,
        **(extra or {}),
    }
    return json.dumps(body, separators=(",", ":"))


_OF_HTTP = {
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method; Allow lists those that it takes."),
    413: ("too_large", "The body is too large."),
    415: ("unsupported_media_type", "Send bodies as application/json."),
    429: ("too_many_requests", "Too many requests; Retry-After says when to go on (seconds)."),
}
_LOG = logging.getLogger(__name__)


def problem(code: str, detail: str, extra: Mapping[str, Any] | None = None) -> Response:
    """A problem answer, with the headers that go with its status."""
    status = STATUS[code]
    response = Response(problem_text(code, detail, extra), int(status), content_type=MEDIA_TYPE)
    response.headers["Cache-Control"] = "no-store"
    if code in RETRY_AFTER_S:
        response.headers["Retry-After"] = str(RETRY_AFTER_S[code])
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="Montego Bay"'
    return response


def of_operation(error: OperationError) -> Response:
    """A use case refused."""
    return problem(error.code, error.detail, error.extra)


def of_storage(error: Exception) -> Response:
    """The store in which requests are counted does not answer."""
    return problem("unavailable", "The store does not answer; try again.")


def of_http(error: HTTPException) -> Response | HTTPException:
    """Flask, werkzeug or a limit refused."""
    if isinstance(error, RoutingException) or error.code is None or error.code < 400:
        return error
    if error.code >= 500:
        code, detail = "internal_error", "Something went wrong here, and has been noted."
    else:
        code, detail = _OF_HTTP.get(error.code, ("bad_request", "The request is not valid HTTP."))
    response = problem(code, detail)
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After"):
            response.headers[name] = value
    return response


def of_defect(error: Exception) -> Response:
    """Anything else is our own defect: the log has what happened, the answer has the request's id to find it by."""
    _LOG.error("Request %s failed", g.get("request_id", "-"), exc_info=error)
    return problem("internal_error", "Something went wrong here, and has been noted.")


def register(app: Flask) -> None:
    """Makes every error of this application a problem answer."""
    app.register_error_handler(OperationError, of_operation)
    app.register_error_handler(StorageError, of_storage)
    app.register_error_handler(HTTPException, of_http)
    app.register_error_handler(Exception, of_defect)
