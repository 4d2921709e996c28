"""Which language a visitor is answered in."""

from __future__ import annotations

from typing import Final

from babel.core import negotiate_locale
from flask import Request

from service.presentation.languages import LANGUAGES

COOKIE: Final = "montego_language"


def asked_for(request: Request) -> str | None:
    """The language that a link asks for."""
    wanted = request.args.get("lang")
    return wanted if wanted in LANGUAGES else None


def of_request(request: Request) -> str:
    """The language to answer in: by link, by cookie, by the browser's settings; else English."""
    kept = request.cookies.get(COOKIE)
    return (
        asked_for(request)
        or (kept if kept in LANGUAGES else None)
        or negotiate_locale(list(request.accept_languages.values()), list(LANGUAGES), sep="-")
        or "en"
    )
