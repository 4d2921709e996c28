"""Bodies and queries against their schemas: the one place where what comes in is checked."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from flask import Request, g
from marshmallow import EXCLUDE, RAISE, Schema, ValidationError
from webargs.flaskparser import FlaskParser

from service.api import bodies
from service.api.refusals import InvalidMembers


class StrictParser(FlaskParser):
    """webargs, with strict JSON and no unknown members or parameters."""

    DEFAULT_UNKNOWN_BY_LOCATION: ClassVar[dict[str, str | None]] = {  # type: ignore[misc]
        "json": RAISE,
        "query": RAISE,
        "headers": EXCLUDE,
    }

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body; an absent one counts as `{}` where the schema needs nothing."""
        if not bodies.has_body(req) and not any(field.required for field in schema.fields.values()):
            return {}
        value = g.sent = bodies.read_json(req)
        if not isinstance(value, dict):
            raise InvalidMembers({"_schema": ["The body must be an object."]})
        return value

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        """The query, each parameter at most once."""
        found: dict[str, str] = {}
        for name, values in req.args.lists():
            if len(values) > 1:
                raise InvalidMembers({name: ["Given more than once."]})
            found[name] = values[0]
        return found

    def handle_error(
        self,
        error: ValidationError,
        req: Request,
        schema: Schema,
        *,
        error_status_code: int | None,
        error_headers: Any,
    ) -> NoReturn:
        """One error for all that does not fit, with the messages by field."""
        messages: Any = error.messages
        # webargs puts the messages below the name of the location.
        by_field = next(iter(messages.values())) if isinstance(messages, dict) else {"_schema": messages}
        raise InvalidMembers(by_field if isinstance(by_field, dict) else {"_schema": by_field})
