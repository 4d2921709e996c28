"""The OpenAPI document, made from the schemas, and the reference that shows it."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from apispec_oneofschema import MarshmallowPlugin
from flask import Blueprint, Flask, Response
from flask_smorest import Api
from flask_swagger_ui import get_swaggerui_blueprint
from werkzeug.routing import BaseConverter

from service.api import errors
from service.api.resource import Resource
from service.api.schemas.common import ID_PATTERN
from service.api.schemas.problems import ProblemSchema

DOCUMENT = "/openapi.json"
REFERENCE = "/docs"

_DESCRIPTION = """\
Games and tournaments of Montego Bay over HTTP.

Tokens go in `Authorization: Bearer …`. Errors are `application/problem+json` (RFC 9457) with a stable `code`.
Requests with unknown members or query parameters are refused; answers may have members that are not described here.
"""


class Converter(MarshmallowPlugin.Converter):
    """Adds what a schema says of itself in `described`, for rules that marshmallow checks in code."""

    def schema2jsonschema(self, schema: Any) -> Any:
        """The JSON Schema of a marshmallow schema."""
        found = {**super().schema2jsonschema(schema), **getattr(schema, "described", {})}
        for member in found.get("properties", {}).values():
            # That a member can be left out is said already; "default: null" makes some generators ask for it.
            if member.get("default", ...) is None:
                del member["default"]
        return found


class Plugin(MarshmallowPlugin):
    """apispec's plugin for marshmallow, with unions (apispec-oneofschema) and the above."""

    Converter = Converter


class IdConverter(BaseConverter):
    """An id, or a name, in a path. Whatever else stands there leads nowhere: 404."""

    regex = ID_PATTERN


class SeatConverter(BaseConverter):
    """A seat in a path."""

    regex = "[0-3]"

    def to_python(self, value: str) -> int:
        """The seat's number."""
        return int(value)


class MontegoApi(Api):
    """flask-smorest, whose errors are handled in `errors.py` and whose document is served below."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None
    DEFAULT_REQUEST_BODY_CONTENT_TYPE = "application/json"

    def _register_error_handlers(self) -> None:
        errors.register(self._app)


def describe(app: Flask, *blueprints: Resource) -> None:
    """Registers the blueprints, their description, `/openapi.json` and `/docs`."""
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
    app.register_blueprint(get_swaggerui_blueprint(REFERENCE, DOCUMENT, {"app_name": "Montego Bay: the HTTP API"}))


def _name_of(schema: Any) -> str:
    """`Action` for ActionSchema."""
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")


def _document(document: dict[str, Any]) -> Blueprint:
    """Serves the document, which stays as it is while the application runs."""
    text = json.dumps(document, ensure_ascii=False)
    blueprint = Blueprint("openapi", __name__)

    @blueprint.get(DOCUMENT)
    def read_document() -> Response:
        response = Response(text, content_type="application/json")
        response.headers["Cache-Control"] = "no-cache"
        return response

    return blueprint
