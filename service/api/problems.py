"""The codes of errors and their answers' bodies: problem details (RFC 9457). Pure, so that also what answers before the
application is reached can use it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

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
"""Every code that an answer can have (PROTOCOL "Rules for all calls"), and its status."""

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
