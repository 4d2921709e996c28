"""Errors as pages, which say what to do."""

from __future__ import annotations

import logging
from typing import Final

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import RoutingException

from service.api.errors import CODES, RETRY_AFTER_S, problem
from service.errors import OperationError
from service.web import languages, pages
from service.web.words import Words, words_in

_LOG: Final = logging.getLogger(__name__)
_BY_STATUS: Final = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 429: "too_many_requests"}


def register(app: Flask) -> None:
    """Makes it a page that there is nothing at an address, where a browser asks."""
    app.register_error_handler(404, of_nowhere)


def of_operation(error: OperationError) -> Response:
    """A use case refused."""
    return error_page(error.code, error.detail)


def of_refusal(error: HTTPException) -> Response | HTTPException:
    """Flask or a limit refused."""
    if isinstance(error, RoutingException) or error.code is None or error.code < 400:
        return error
    return error_page(_BY_STATUS.get(error.code, "bad_request"))


def of_defect(error: Exception) -> Response:
    """Anything else is our own defect: the log has what happened, the page has the request's id to find it by."""
    _LOG.error("Request %s failed", g.get("request_id", "-"), exc_info=error)
    return error_page("internal_error")


def of_nowhere(error: NotFound) -> Response:
    """There is nothing at an address: a page for browsers, a problem for programs."""
    accepted = request.accept_mimetypes
    if request.path.startswith("/v1/") or accepted["text/html"] <= accepted["application/json"]:
        return problem("not_found", "There is nothing at this address.")
    return pages.protect(error_page("not_found"))


def error_page(code: str, detail: str = "") -> Response:
    """The page of an error. One that goes away by itself is loaded again by itself."""
    if "language" not in g:
        g.language = languages.of_request(request)
    title, advice = _texts(code, words_in(pages.language()))
    again = RETRY_AFTER_S.get(code)
    response = pages.page(
        "error.html",
        status=int(CODES[code].status),
        title=title,
        advice=advice,
        # The reasons of use cases are English; they help where the advice alone would not.
        detail=detail if code not in ("not_found", "unavailable", "internal_error") else "",
        request_id=g.get("request_id", "") if code == "internal_error" else "",
        again=None if again is None or request.method != "GET" else 5 * again,
    )
    response.headers["Cache-Control"] = "no-store"
    if again is not None:
        response.headers["Retry-After"] = str(again)
    return response


def _texts(code: str, words: Words) -> tuple[str, str]:
    """What went wrong, and what to do."""
    _ = words._
    known = {
        "not_found": (
            _("There is nothing here"),
            _("The address is wrong, or the game was removed: games that nobody touches are closed after a time."),
        ),
        "unavailable": (
            _("The service cannot work right now"),
            _("Its store does not answer. This page tries again by itself every few seconds; nothing is lost."),
        ),
        "internal_error": (
            _("Something went wrong here"),
            _("It has been noted. Try again; if it stays, tell the operator the number below."),
        ),
        "unauthorized": (
            _("This needs a seat’s token"),
            _("Open the link that you were sent, or paste the token of your seat."),
        ),
        "forbidden": (
            _("You may not do this"),
            _("The token that you have is for something else. Go back, and use the one that belongs to this."),
        ),
        "seat_taken": (
            _("This seat is taken"),
            _("Somebody was quicker. You can watch the game, or start one of your own."),
        ),
        "too_many_requests": (_("Too many at once"), _("Wait a minute, then try again.")),
        "game_over": (_("The game is over"), _("Look at how it ended, or start another one.")),
    }
    return known.get(code, (_("This did not work"), _("Go back, look at what you sent, and try again.")))
