"""The languages of the pages, and their catalogues of translated texts."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from babel.core import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from flask import Request

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "es": "Español", "ko": "한국어"}
"""By code, as each calls itself. The texts in the code are English."""
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


@cache
def translations(language: str) -> NullTranslations:
    """The texts of a language. Read from the catalogue as translators write it, so that nothing has to be compiled."""
    if language == "en":
        return NullTranslations()
    path = files("service.web") / "translations" / f"{language}.po"
    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(path.read_bytes()), locale=language))
    compiled.seek(0)
    return Translations(compiled)
