"""A blueprint of pages: the reader's language, the headers of pages, and errors as pages."""

from __future__ import annotations

from flask import Blueprint, g, request
from werkzeug.exceptions import HTTPException

from service.errors import OperationError
from service.web import errors, languages, pages


def page_blueprint(name: str) -> Blueprint:
    """A new one."""
    blueprint = Blueprint(f"web-{name}", __name__)
    blueprint.before_request(_choose_language)
    blueprint.after_request(pages.protect)
    blueprint.register_error_handler(OperationError, errors.of_operation)
    blueprint.register_error_handler(HTTPException, errors.of_refusal)
    blueprint.register_error_handler(Exception, errors.of_defect)
    return blueprint


def _choose_language() -> None:
    g.language = languages.of_request(request)
