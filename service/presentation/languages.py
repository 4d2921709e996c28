"""The languages of pages and reports, and their catalogues of translated texts."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "es": "Español", "ko": "한국어"}
"""By code, as each calls itself. The texts in the code are English."""


@cache
def translations(language: str) -> NullTranslations:
    """The texts of a language. Read from the catalogue as translators write it, so that nothing has to be compiled."""
    if language == "en":
        return NullTranslations()
    path = files("service.presentation") / "translations" / f"{language}.po"
    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(path.read_bytes()), locale=language))
    compiled.seek(0)
    return Translations(compiled)
