"""The OpenAPI document, made from the schemas, and the reference that shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
from inspect import getdoc
from pathlib import Path
from typing import Any

from apispec_oneofschema import MarshmallowPlugin
from flask import Blueprint, Flask, Response
from flask_smorest import Api
from werkzeug.routing import BaseConverter

from service.api import errors
from service.api.endpoints import Resource
from service.api.openapi_bot import bot_document, webhook_operation
from service.api.schemas.bots import EndSchema, StartSchema
from service.api.schemas.callbacks import CallbackSchema
from service.api.schemas.common import ID_PATTERN, RequestSchema
from service.api.schemas.games import AskSchema, SeatPlanField, SubmissionSchema
from service.api.schemas.problems import ProblemSchema

DOCUMENT_PATH = "/openapi.json"
_OF_BOTS = (StartSchema, EndSchema)
"""What only the servers of bots receive."""
EXAMPLES = Path(__file__).with_name("examples.json")
"""Operation id -> status -> the body of a response, recorded from a running service (`make examples`)."""
BOT_DOCUMENT_PATH = "/openapi-bot.json"
DOCS_PATH = "/docs"

_DESCRIPTION = """\
Games and tournaments of Montego Bay over HTTP.

Tokens go in `Authorization: Bearer …`. Errors are `application/problem+json` (RFC 9457) with a stable `code`.
Requests with unknown members or query parameters are refused; responses may have members that are not described here.
The document of what a bot's server offers is at `/openapi-bot.json`.
"""

_PATH_PARAMETERS = {
    "ladder": "The id of the ladder.",
    "number": "The number of the season, from 1.",
    "game": "The id of the game.",
    "seat": "The seat, from 0.",
    "bot": "The id or the name of the bot.",
    "check": "The id of the check.",
    "tournament": "The id of the tournament.",
    "key": "The id of the key.",
}


class Converter(MarshmallowPlugin.Converter):
    """Describes what marshmallow checks in code: members of which exactly one is given, and the plans of seats."""

    def schema2jsonschema(self, schema: Any) -> Any:
        """The JSON Schema of a marshmallow schema."""
        found = {"description": getdoc(type(schema)), **super().schema2jsonschema(schema)}
        for member in found.get("properties", {}).values():
            # A member with "default: null" counts as required for some generators; `required` says enough.
            if member.get("default", ...) is None:
                del member["default"]
        if isinstance(schema, RequestSchema) and schema.exactly_one_of:
            return one_of_variants(_name_of(schema), found, schema.exactly_one_of)
        return found

    def field2property(self, field: Any) -> Any:
        """The JSON Schema of a field."""
        return {**SeatPlanField.json_schema} if isinstance(field, SeatPlanField) else super().field2property(field)


def one_of_variants(name: str, schema: dict[str, Any], choices: Sequence[str]) -> dict[str, Any]:
    """A schema with one variant for each of the members of which exactly one is given."""
    variants = [
        {
            **schema,
            "title": f"{name}With{choice.title()}",
            "properties": {
                member: value
                for member, value in schema["properties"].items()
                if member == choice or member not in choices
            },
            "required": [*schema.get("required", []), choice],
        }
        for choice in choices
    ]
    return {"description": schema["description"], "oneOf": variants}


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
            "info": {
                "description": _DESCRIPTION,
                "license": {"name": "MIT", "identifier": "MIT"},
                "contact": {"name": "Montego Bay contributors"},
            },
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
    for schema in (CallbackSchema, AskSchema, SubmissionSchema, *_OF_BOTS):
        if _name_of(schema) not in api.spec.components.schemas:
            api.spec.components.schema(_name_of(schema), schema=schema)
    document = _finished(api.spec.to_dict())
    document_of_bots = bot_document(document)
    for schema in _OF_BOTS:
        del document["components"]["schemas"][_name_of(schema)]
    app.register_blueprint(_documents({DOCUMENT_PATH: document, BOT_DOCUMENT_PATH: document_of_bots}))
    app.register_blueprint(_reference())


def _name_of(schema: Any) -> str:
    """`Action` for ActionSchema."""
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")


def _finished(document: dict[str, Any]) -> dict[str, Any]:
    """The document with descriptions of the parameters in paths, and the callbacks as webhooks."""
    # flask-smorest always adds this one, for pages that are described in a header.
    document["components"]["schemas"].pop("PaginationMetadata", None)
    for item in document["paths"].values():
        for parameter in item.get("parameters", []):
            parameter["description"] = _PATH_PARAMETERS[parameter["name"]]
    examples = json.loads(EXAMPLES.read_text("utf-8"))
    for item in document["paths"].values():
        for operation in item.values():
            for status, example in examples.get(_id_of(operation), {}).items():
                operation["responses"][status]["content"]["application/json"]["example"] = example
    document["webhooks"] = {"callback": {"post": webhook_operation()}}
    return document


def _id_of(operation: Any) -> str:
    """The id of an operation; empty for what else stands beside operations in a path."""
    return operation["operationId"] if isinstance(operation, dict) else ""


def _documents(documents: Mapping[str, dict[str, Any]]) -> Blueprint:
    """The routes of documents, which do not change while the application runs."""
    blueprint = Blueprint("openapi", __name__)
    for path, document in documents.items():
        blueprint.add_url_rule(
            path, path[1:].removesuffix(".json"), partial(_json, json.dumps(document, ensure_ascii=False))
        )
    return blueprint


def _json(text: str) -> Response:
    response = Response(text, content_type="application/json")
    response.headers["Cache-Control"] = "no-cache"
    return response


def _reference() -> Blueprint:
    """`/docs`: the document as a page. Redoc, which shows it, is packaged with the service."""
    blueprint = Blueprint("docs", __name__, url_prefix=DOCS_PATH, static_folder="static", static_url_path="/static")

    @blueprint.get("")
    def lead_to_reference() -> Response:
        # Werkzeug's own redirect would repeat the Host header of the client.
        return Response(status=HTTPStatus.PERMANENT_REDIRECT, headers={"Location": f"{DOCS_PATH}/"})

    @blueprint.get("/")
    def show_reference() -> Response:
        return blueprint.send_static_file("docs.html")

    return blueprint
