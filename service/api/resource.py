"""A blueprint whose operations are declared in one place: what goes in, what comes out, who may call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

from flask import Response, g, request
from flask_smorest import Blueprint
from marshmallow import Schema

from service.api.call import Call, context
from service.api.errors import CODES, EXAMPLE_DETAILS, InvalidMembers, problem_text
from service.api.parsing import StrictParser, receive
from service.api.schemas.common import CreatingHeaders
from service.errors import OperationError, Unauthorized
from service.operations.access.tokens import Caller, check_known

View = Callable[..., Response]
Auth = Literal["none", "optional", "required"]
CREATES = "montego_creates"
"""The mark of a view that creates something. Such calls are rate limited, and take an `Idempotency-Key`."""

LOCATION_HEADER: Mapping[str, str] = {"Location": "Where it is."}

_SECURITY: Mapping[Auth, list[dict[str, list[str]]]] = {
    "none": [],
    "optional": [{}, {"token": []}],
    "required": [{"token": []}],
}
_ALWAYS = ("bad_request", "internal_error", "unavailable")
_OF_BODY = ("malformed_json", "too_large", "unsupported_media_type", "invalid_request")


@dataclass(frozen=True, slots=True)
class InvalidBody:
    """A body that could not be used: why, its JSON value (None if it has none), and its bytes as far as read."""

    error: OperationError
    json: Any
    raw: bytes


OnInvalidBody = Callable[..., Mapping[str, Any]]
"""Called like the view, with an InvalidBody after the Call. Returns members to add to the problem."""


@dataclass(frozen=True, slots=True)
class ResponseSpec:
    """One way in which an operation can succeed. `also`: the content of further media types of the same response."""

    status: int
    schema: type[Schema] | Mapping[str, Any] | None = None
    description: str | None = None
    headers: Mapping[str, str] | None = None
    content_type: str = "application/json"
    also: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as its module declares it."""

    method: str
    rule: str
    responses: tuple[ResponseSpec, ...]
    query: type[Schema] | None = None
    headers: type[Schema] | None = None
    """`creates` takes CreatingHeaders instead."""
    body: type[Schema] | None = None
    body_example: Mapping[str, Any] | None = None
    auth: Auth = "optional"
    """`none` ignores tokens; `required` answers 401 without one."""
    checks_token: bool = True
    """False: the use case checks a game's token against the game that it reads anyway."""
    errors: tuple[str, ...] = ()
    """Codes that it can answer with, besides those of every operation."""
    creates: bool = False
    """It creates something: it is rate limited, and can be repeated with an `Idempotency-Key`."""
    on_invalid_body: OnInvalidBody | None = None

    def codes(self) -> list[str]:
        """All error codes that it can answer with."""
        found = [*self.errors, *_ALWAYS]
        if self.body is not None:
            found += _OF_BODY
        found.append("invalid_request")
        if self.auth != "none":
            found.append("unauthorized")
        if self.creates:
            # `wrong_state`: an earlier call with the same Idempotency-Key is still at work.
            found += ["too_many_requests", "wrong_state"]
        if "<" in self.rule:
            found.append("not_found")
        return list(dict.fromkeys(found))


class Resource(Blueprint):
    """flask-smorest's blueprint with one decorator instead of five."""

    ARGUMENTS_PARSER = StrictParser()

    def operation(self, method: str, rule: str, *responses: ResponseSpec, **declared: Any) -> Callable[[View], View]:
        """Registers a view, which is called with a Call and the parts of the path. `declared`: fields of Operation."""
        operation = Operation(method, rule, responses, **declared)

        def register(view: View) -> View:
            registered = self._documented(operation, _guarded(operation, self._parsed(operation, view)))
            setattr(registered, CREATES, operation.creates)
            self.add_url_rule(rule, endpoint=view.__name__, view_func=registered, methods=[method])
            return view

        return register

    def _parsed(self, operation: Operation, view: View) -> View:
        """The view behind parsers of query, headers and body."""

        @wraps(view)
        def entry(
            query: dict[str, Any] | None = None,
            headers: dict[str, Any] | None = None,
            body: dict[str, Any] | None = None,
            **path: Any,
        ) -> Response:
            return view(Call(context(), g.caller, query or {}, headers or {}, body or {}, g.get("json")), **path)

        parsed: View = entry
        headers = CreatingHeaders if operation.creates else operation.headers
        # Schemas go in as instances: webargs would make one of a class for every request.
        if operation.query is not None:
            parsed = self.arguments(operation.query(), location="query", arg_name="query")(parsed)
        if headers is not None:
            parsed = self.arguments(headers(), location="headers", arg_name="headers")(parsed)
        if operation.body is not None:
            parsed = self.arguments(
                operation.body(),
                location="json",
                arg_name="body",
                required=any(field.required for field in operation.body().fields.values()),
                example=None if operation.body_example is None else dict(operation.body_example),
            )(parsed)
        return parsed

    def _documented(self, operation: Operation, view: View) -> View:
        """The same view, with what the OpenAPI document says of it."""
        documented = view
        for response in reversed(operation.responses):
            documented = self.alt_response(
                response.status,
                schema=response.schema,
                description=response.description,
                headers=_headers(response.headers),
                content_type=response.content_type,
                success=True,
            )(documented)
        problems = {status: _problems(codes) for status, codes in _by_status(operation.codes()).items()}
        also = {spec.status: {"content": dict(spec.also)} for spec in operation.responses if spec.also}
        documented = self.doc(
            operationId=view.__name__, security=_SECURITY[operation.auth], responses={**problems, **also}
        )(documented)
        # Each decorator wraps the view once more, only to carry its text: serve the view without them.
        view._apidoc = documented._apidoc  # type: ignore[attr-defined]
        return view


def _guarded(operation: Operation, parsed: View) -> View:
    """Checks the token, then whether the request is whole, before anything else."""
    checks_token = operation.auth != "none" and operation.checks_token

    @wraps(parsed)
    def guarded(**path: Any) -> Response:
        caller: Caller = g.caller
        if operation.auth == "required" and caller.kind == "anonymous":
            raise Unauthorized("This needs a token: Authorization: Bearer <token>.")
        if checks_token:
            check_known(context(), caller)
        try:
            receive(request)
            if operation.query is None and request.args:
                raise InvalidMembers({name: ["Unknown field."] for name in request.args})
            return parsed(**path)
        except OperationError as error:
            # A body that the client has announced and not sent is not an answer.
            if operation.on_invalid_body is not None and error.code in _OF_BODY and "raw_body" in g:
                invalid = InvalidBody(error, g.get("json"), g.raw_body)
                error.extra.update(operation.on_invalid_body(Call(context(), caller), invalid, **path))
            raise

    return guarded


def _headers(headers: Mapping[str, str] | None) -> dict[str, Any] | None:
    if headers is None:
        return None
    return {name: {"description": text, "schema": {"type": "string"}} for name, text in headers.items()}


def _by_status(codes: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for code in codes:
        found.setdefault(int(CODES[code].status), []).append(code)
    return dict(sorted(found.items()))


def _problems(codes: list[str]) -> dict[str, Any]:
    """The documented error response of one status, with the codes that it can have.

    All of them share one schema: generators of clients make a class of each schema.
    """
    examples = {
        code: {"summary": CODES[code].title, "value": json.loads(problem_text(code, EXAMPLE_DETAILS[code]))}
        for code in codes
    }
    return {
        "description": "; ".join(f"`{code}`: {CODES[code].title.lower()}" for code in codes),
        "x-codes": codes,
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": examples}
        },
    }
