"""The OpenAPI document, made from the schemas, and the reference that shows it."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from apispec_oneofschema import MarshmallowPlugin
from flask import Blueprint, Flask, Response
from flask_smorest import Api
from werkzeug.routing import BaseConverter

from service.api import errors
from service.api.resource import Resource
from service.api.schemas.common import ID_PATTERN
from service.api.schemas.problems import ProblemSchema

DOCUMENT_PATH = "/openapi.json"
DOCS_PATH = "/docs"

_DESCRIPTION = """\
Games and tournaments of Montego Bay over HTTP.

Tokens go in `Authorization: Bearer …`. Errors are `application/problem+json` (RFC 9457) with a stable `code`.
Requests with unknown members or query parameters are refused; responses may have members that are not described here.
"""


class Converter(MarshmallowPlugin.Converter):
    """Adds the `json_schema_extra` of a schema, for rules that marshmallow checks in code."""

    def schema2jsonschema(self, schema: Any) -> Any:
        """The JSON Schema of a marshmallow schema."""
        found = {**super().schema2jsonschema(schema), **getattr(schema, "json_schema_extra", {})}
        for member in found.get("properties", {}).values():
            # A member with "default: null" counts as required for some generators; `required` says enough.
            if member.get("default", ...) is None:
                del member["default"]
        return found


class Plugin(MarshmallowPlugin):
    """apispec's plugin for marshmallow, with unions (apispec-oneofschema) and that converter."""

    Converter = Converter


class IdConverter(BaseConverter):
    """An id or a name in a path. Anything else is 404."""

    regex = ID_PATTERN


class SeatConverter(BaseConverter):
    """A seat in a path."""

    regex = "[0-3]"

    def to_python(self, value: str) -> int:
        """The seat's number."""
        return int(value)


class MontegoApi(Api):
    """flask-smorest with our error handlers."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None
    DEFAULT_REQUEST_BODY_CONTENT_TYPE = "application/json"

    def _register_error_handlers(self) -> None:
        errors.register(self._app)


def register(app: Flask, *blueprints: Resource) -> None:
    """Registers the blueprints, `/openapi.json`, which describes them, and `/docs`, which shows it."""
    app.url_map.converters["id"] = IdConverter
    app.url_map.converters["seat"] = SeatConverter
    app.config.update(API_TITLE="Montego Bay", API_VERSION=version("montego-bay"), OPENAPI_VERSION="3.1.0")
    api = MontegoApi(
        app,
        spec_kwargs={
            "marshmallow_plugin": Plugin(schema_name_resolver=_name_of),
            "info": {"description": _DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
            "servers": [{"url": "/"}],
        },
    )
    api.register_converter(IdConverter, lambda _: {"type": "string", "pattern": f"^{ID_PATTERN}$"})
    api.register_converter(SeatConverter, lambda _: {"type": "integer", "minimum": 0, "maximum": 3})
    api.spec.components.security_scheme(
        "token",
        {"type": "http", "scheme": "bearer", "description": "The token of a seat, a creator or a bot, or a key."},
    )
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    app.register_blueprint(_document(api.spec.to_dict()))
    app.register_blueprint(_reference())


def _name_of(schema: Any) -> str:
    """`Action` for ActionSchema."""
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")


def _document(document: dict[str, Any]) -> Blueprint:
    """The route of the document, which does not change while the application runs."""
    text = json.dumps(document, ensure_ascii=False)
    blueprint = Blueprint("openapi", __name__)

    @blueprint.get(DOCUMENT_PATH)
    def read_document() -> Response:
        response = Response(text, content_type="application/json")
        response.headers["Cache-Control"] = "no-cache"
        return response

    return blueprint


def _reference() -> Blueprint:
    """`/docs`: the document as a page. Redoc, which shows it, is packaged with the service."""
    blueprint = Blueprint("docs", __name__, url_prefix=DOCS_PATH, static_folder="static", static_url_path="/static")

    @blueprint.get("/")
    def show_reference() -> Response:
        return blueprint.send_static_file("docs.html")

    return blueprint
