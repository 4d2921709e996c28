"""A push bot: a web application that the service calls. It runs under any WSGI server."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from montego_bot.bot import Bot, Choice, answer, as_bot
from montego_bot.messages import PROTOCOL, Ask, BadMessage, read_ask, read_end, read_start
from montego_bot.signing import BadSignature, Verifier

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger("montego_bot")

MAX_BODY = 4 * 1024 * 1024
"""The largest request in bytes; an ask has about ten thousand."""
METHODS = {"/": "GET", "/act": "POST", "/start": "POST", "/end": "POST"}


def push_app(
    bot: Bot | Callable[[Ask], Choice], *, secrets: Iterable[str] = (), name: str | None = None
) -> WSGIApplication:
    """A WSGI application with the four calls of a push bot: GET /, POST /act, /start and /end.

    With `secrets` (`whsec_…`) every POST that is not signed with one of them is refused with 401. An error in the
    author's code is logged with its traceback and answered 500, with the reason in the body.
    """
    known = list(secrets)
    return _PushApp(as_bot(bot, name), Verifier(known) if known else None)


class _PushApp:
    def __init__(self, bot: Bot, verifier: Verifier | None) -> None:
        self._bot, self._verifier = bot, verifier

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        path = environ.get("PATH_INFO") or "/"
        headers = {"Content-Type": "application/json"}
        try:
            status, value = 200, self._answer(path, environ)
        except _HttpError as error:
            status, value = error.status, _problem(error.status, error.status.phrase, error)
            headers.update(error.headers)
        except BadSignature as error:
            log.warning("%s: %s was refused with 401: %s", self._bot.name, path, error)
            status, value = 401, _problem(401, "unauthorized", error)
        except BadMessage as error:
            status, value = 400, _problem(400, "bad message", error)
        except Exception as error:
            log.exception("%s: %s failed", self._bot.name, path)
            status, value = 500, _problem(500, "the bot failed", f"{type(error).__name__}: {error}")
        if status != HTTPStatus.OK:
            headers["Content-Type"] = "application/problem+json"
        body = json.dumps(value, separators=(",", ":")).encode()
        headers["Content-Length"] = str(len(body))
        start_response(f"{int(status)} {HTTPStatus(status).phrase}", list(headers.items()))
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _answer(self, path: str, environ: WSGIEnvironment) -> dict[str, Any]:
        """The body of the answer 200. Raises _HttpError, BadSignature, BadMessage, and what the bot raises."""
        method = METHODS.get(path)
        if method is None:
            raise _HttpError(HTTPStatus.NOT_FOUND, f"there is no {path[:100]}")
        if environ["REQUEST_METHOD"] not in ((method, "HEAD") if method == "GET" else (method,)):
            raise _HttpError(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} is called by {method}", {"Allow": method})
        if path == "/":
            bot = self._bot
            return {"protocol": PROTOCOL, "name": bot.name, "version": bot.version, "author": bot.author}
        message = self._checked_body(environ)
        if path == "/act":
            return answer(self._bot, read_ask(message))
        if path == "/start":
            self._bot.on_start(read_start(message))
        else:
            self._bot.on_end(read_end(message))
        return {}

    def _checked_body(self, environ: WSGIEnvironment) -> object:
        # The protocol ignores the content type in both directions.
        length = environ.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length[:12]) > MAX_BODY:
            raise _HttpError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MAX_BODY} bytes are read")
        body: bytes = environ["wsgi.input"].read(int(length))
        if self._verifier is not None:
            self._verifier.check(body, _headers(environ))
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BadMessage(f"the body is not JSON: {error}") from None


class _HttpError(Exception):
    def __init__(self, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.headers = status, headers or {}


def _headers(environ: WSGIEnvironment) -> dict[str, str]:
    """The request's headers, with the names that WSGI made of them turned back: HTTP_WEBHOOK_ID is webhook-id."""
    return {
        name[len("HTTP_") :].replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }


def _problem(status: int, title: str, detail: object) -> dict[str, Any]:
    return {"status": int(status), "title": title, "detail": str(detail)}
