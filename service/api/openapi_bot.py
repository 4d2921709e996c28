"""What the service calls: the server of a push bot as a document of its own, and callbacks as a webhook."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

from service.protocol import BOT_PROTOCOL

_DESCRIPTION = """\
The server of a push bot, which the Montego Bay service calls. A server can be generated from this document.

The service calls these paths below the URL that the bot is registered with. Each POST is signed as described by
Standard Webhooks, with the bot's secret. A bot may be asked the same question twice and should give the same answer.
"""
_SIGNATURE_HEADERS = {
    "webhook-id": "The id of the message; the same when it is sent again.",
    "webhook-timestamp": "When it was sent: seconds since 1970.",
    "webhook-signature": "One or more signatures, separated by spaces; one that fits is enough.",
}
_INFORMATION = {
    "type": "object",
    "description": "What the bot says about itself.",
    "required": ["protocol", "name", "version", "author"],
    "properties": {
        "protocol": {"type": "string", "enum": [BOT_PROTOCOL], "description": "The version of the bot protocol."},
        "name": {"type": "string", "description": "The bot's own name."},
        "version": {"type": "string", "description": "The version of the bot, which is kept with each match."},
        "author": {"type": "string", "description": "Who has written it."},
    },
    "example": {"protocol": BOT_PROTOCOL, "name": "my-bot", "version": "1", "author": "Ada"},
}
_ANSWER = {
    "description": "An answer to an ask: an action, or its index in the legal actions; exactly one of the two.",
    "oneOf": [
        {
            "type": "object",
            "title": "BotAnswerWithAction",
            "required": ["action"],
            "properties": {"action": {"$ref": "#/components/schemas/Action"}},
        },
        {
            "type": "object",
            "title": "BotAnswerWithIndex",
            "required": ["index"],
            "properties": {
                "index": {"type": "integer", "minimum": 0, "description": "The index in `legal_actions`, from 0."}
            },
        },
    ],
    "example": {"index": 0},
}
_REFUSED = {"401": {"description": "No signature fits. In `/act` that is the fault *bad_status*."}}
_NOTHING = {"type": "object", "description": "Anything; the service ignores it.", "example": {}}


def bot_document(document: dict[str, Any]) -> dict[str, Any]:
    """The document of a bot's server, with schemas of the service's own document."""
    schemas = document["components"]["schemas"]
    own = {"BotInformation": _INFORMATION, "BotAnswer": _ANSWER, "Nothing": _NOTHING}
    paths = {
        "/": {
            "get": {
                "operationId": "read_information",
                "summary": "Introduce the bot",
                "description": "Called before a match, until it answers 200 or the time to come up is over.",
                "tags": ["bot"],
                "security": [],
                "responses": {
                    "200": _response("BotInformation", "What the bot is."),
                    "404": {"description": "There is no bot here: it does not count as up."},
                },
            }
        },
        "/start": {
            "post": _signed_operation(
                "start",
                "Prepare for a game",
                "Called before the first ask of a game; it may come again for the same game.",
                "Start",
                {"200": _response("Nothing", "The bot is ready."), **_REFUSED},
            )
        },
        "/act": {
            "post": _signed_operation(
                "act",
                "Answer an ask",
                "Called for each decision. Answer within `budget_ms`.",
                "Ask",
                {"200": _response("BotAnswer", "The choice of the bot."), **_REFUSED},
            )
        },
        "/end": {
            "post": _signed_operation(
                "end",
                "Hear of the end of a game",
                "Called once, after the game; nothing depends on the answer.",
                "End",
                {"200": _response("Nothing", "The bot has taken note."), **_REFUSED},
            )
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Montego Bay: a bot's server",
            "version": version("montego-bay"),
            "description": _DESCRIPTION,
            "license": document["info"]["license"],
            "contact": document["info"]["contact"],
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": "bot", "description": "What the server of a push bot offers."}],
        "paths": paths,
        "components": {"schemas": {**_used(schemas, paths, own), **own}},
    }


def webhook_operation() -> dict[str, Any]:
    """The POST to the URL that a game or tournament names as its `callback`."""
    refused = {"description": "The URL wants no more callbacks: this one is given up."}
    return {
        **_signed_operation(
            "receive_callback",
            "Receive a callback",
            'Sent to the `callback` of a game or a tournament when there is news (PROTOCOL "Callbacks").',
            "Callback",
            {"200": {"description": "Any status from 200 to 299 will do; the body is ignored."}, "410": refused},
        ),
        "tags": ["callbacks"],
    }


def _signed_operation(
    name: str, summary: str, description: str, body: str, responses: dict[str, Any]
) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "description": description,
        "tags": ["bot"],
        "security": [],
        "parameters": [
            {"name": header, "in": "header", "required": False, "description": text, "schema": {"type": "string"}}
            for header, text in _SIGNATURE_HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{body}"}}},
        },
        "responses": responses,
    }


def _response(schema: str, description: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": description, "content": content}


def _used(schemas: dict[str, Any], *roots: Any) -> dict[str, Any]:
    """The schemas that are referred to from the roots, directly or by others of them."""
    found: dict[str, Any] = {}
    waiting = list(roots)
    while waiting:
        for name in re.findall(r"#/components/schemas/(\w+)", str(waiting.pop())):
            if name in schemas and name not in found:
                found[name] = schemas[name]
                waiting.append(schemas[name])
    return dict(sorted(found.items()))
