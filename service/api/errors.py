"""Where errors meet HTTP: every error that anything raises becomes its answer here.

Which code is which status is in `problems.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, g
from limits.errors import StorageError
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from service.api.problems import MEDIA_TYPE, RETRY_AFTER_S, STATUS, problem_text
from service.operations.errors import OperationError

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
