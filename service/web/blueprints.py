"""A blueprint of pages: the reader's language, the headers of pages, and errors as pages."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, g, request
from werkzeug.exceptions import HTTPException

from service.errors import OperationError
from service.web import errors, languages, pages


def page_blueprint(name: str, framed_by: str = "'none'") -> Blueprint:
    """A new one. `framed_by`: the sites that may show its pages in a frame, as Content-Security-Policy has them."""
    blueprint = Blueprint(f"web-{name}", __name__)
    blueprint.before_request(_choose_language)
    blueprint.after_request(partial(pages.protect, framed_by=framed_by))
    blueprint.register_error_handler(OperationError, errors.of_operation)
    blueprint.register_error_handler(HTTPException, errors.of_refusal)
    blueprint.register_error_handler(Exception, errors.of_defect)
    return blueprint


def _choose_language() -> None:
    g.language = languages.of_request(request)
