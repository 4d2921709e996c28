"""Templates: one environment for each language, in which everything is escaped unless it says that it is markup."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from service.presentation.languages import LANGUAGES, translations


@cache
def environment(package: str, language: str) -> Environment:
    """The templates of a package, and those of this one, with the texts of a language."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("service.presentation")]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]
    made.globals.update(language=language, languages=LANGUAGES)
    return made


def render(package: str, template: str, language: str, **values: Any) -> Markup:
    """A template as markup."""
    return Markup(environment(package, language).get_template(template).render(**values))
