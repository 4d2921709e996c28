"""What all pages share: the frame, the language, the headers, and errors as pages."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, current_app, g, request

from service.api.call import context
from service.operations.access.hidden_texts import HiddenTexts
from service.web import assets, languages
from service.web.rendering import render
from service.web.words import Words, words_in

_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
}
HIDDEN: Final = "montego.hidden"
"""Where the application keeps the hidden texts."""
HTML: Final = "text/html; charset=utf-8"


def language() -> str:
    """The language of this answer."""
    found: str = g.language
    return found


def words(of: str | None = None) -> Words:
    """The words of the reader's language, or of another one, without the texts that an organiser has hidden."""
    kept: HiddenTexts = current_app.extensions[HIDDEN]
    return words_in(of or language(), kept.current(context()))


def page(template: str, here: str = "", status: int = 200, **values: Any) -> Response:
    """A whole page. `here`: which entry of the menu it belongs to."""
    _ = words_in(language())._
    site = (
        ("home", "/", _("Home")),
        ("tournaments", "/tournaments", _("Tournaments")),
        ("bots", "/bots", _("Bots")),
        ("rules", "/rules", _("Rules")),
        ("guides", "/guides", _("Guides")),
    )
    body = render(
        template, language(), asset=assets.address, here=here, site=site, language_link=language_link, **values
    )
    return html(body, status)


def html(body: str, status: int = 200) -> Response:
    """A page, or a part of one. Nobody keeps it without asking anew, unless the caller says otherwise."""
    response = Response(body, status, content_type=HTML)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response


def language_link(code: str) -> str:
    """This page in another language."""
    query = {**request.args.to_dict(), "lang": code}
    return f"{request.path}?{urlencode(query)}" if request.method == "GET" else f"/?lang={code}"


def protect(response: Response, framed_by: str = "'none'") -> Response:
    """The security headers of pages, in place of those of the API. `framed_by`: the sites that may frame the page."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    policy = {**_POLICY, "frame-ancestors": framed_by}
    response.headers["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in policy.items())
    if framed_by == "'none'":
        response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "same-origin"
    wanted = languages.asked_for(request)
    if wanted is not None and request.method == "GET" and "/embed" not in request.path:
        response.set_cookie(
            languages.COOKIE, wanted, max_age=365 * 24 * 3600, samesite="Lax", secure=request.is_secure, path="/"
        )
    return response
