"""A push bot: a web application that the service calls. It runs under any WSGI server."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from bots.sdk.bot import Bot, Choice, answer, as_bot
from bots.sdk.messages import PROTOCOL, Ask, BadMessage, read_ask, read_end, read_start
from bots.sdk.signing import BadSignature, Verifier

log = logging.getLogger("bots")

MAX_BODY = 4 * 1024 * 1024
"""The largest request in bytes; an ask has about ten thousand."""


def push_app(bot: Bot | Callable[[Ask], Choice], *, secrets: Iterable[str] = (), name: str | None = None) -> Flask:
    """A WSGI application with the four calls of a push bot: GET /, POST /act, /start and /end.

    With `secrets` (`whsec_…`) every POST that is not signed with one of them is refused with 401. An error in the
    author's code is logged with its traceback and answered 500, with the reason in the body.
    """
    known = list(secrets)
    app = Flask("montego-bay-bot", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.extensions["bot"] = as_bot(bot, name)
    app.extensions["verifier"] = Verifier(known) if known else None
    app.add_url_rule("/", view_func=_information)
    app.add_url_rule("/act", view_func=_act, methods=["POST"])
    app.add_url_rule("/start", view_func=_start, methods=["POST"])
    app.add_url_rule("/end", view_func=_end, methods=["POST"])
    app.register_error_handler(BadSignature, _refused)
    app.register_error_handler(BadMessage, lambda error: _problem(400, "bad message", error))
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _authors_error)
    return app


def _information() -> Response:
    bot = _bot()
    return _json({"protocol": PROTOCOL, "name": bot.name, "version": bot.version, "author": bot.author})


def _act() -> Response:
    return _json(answer(_bot(), read_ask(_checked_body())))


def _start() -> Response:
    _bot().on_start(read_start(_checked_body()))
    return _json({})


def _end() -> Response:
    _bot().on_end(read_end(_checked_body()))
    return _json({})


def _bot() -> Bot:
    bot = current_app.extensions["bot"]
    assert isinstance(bot, Bot)
    return bot


def _checked_body() -> object:
    # The protocol ignores the content type in both directions.
    body = request.get_data(cache=False)
    verifier: Verifier | None = current_app.extensions["verifier"]
    if verifier is not None:
        verifier.check(body, dict(request.headers))
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadMessage(f"the body is not JSON: {error}") from None


def _json(value: object, status: int = 200) -> Response:
    return Response(json.dumps(value, separators=(",", ":")), status, mimetype="application/json")


def _problem(status: int, title: str, detail: object) -> Response:
    response = _json({"status": status, "title": title, "detail": str(detail)}, status)
    response.mimetype = "application/problem+json"
    return response


def _refused(error: BadSignature) -> Response:
    log.warning("%s: %s was refused with 401: %s", _bot().name, request.path, error)
    return _problem(401, "unauthorized", error)


def _http_error(error: HTTPException) -> Response:
    response = _problem(error.code or 500, error.name, error.description)
    response.headers.extend((key, value) for key, value in error.get_headers() if key == "Allow")
    return response


def _authors_error(error: Exception) -> Response:
    log.error("%s: %s failed", _bot().name, request.path, exc_info=error)
    return _problem(500, "the bot failed", f"{type(error).__name__}: {error}")
