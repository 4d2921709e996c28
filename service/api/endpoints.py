"""How an endpoint is declared: what goes in, what comes out, who may call. One declaration serves and documents it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal

from flask import Response, g, request
from flask_smorest import Blueprint
from marshmallow import Schema

from service.api.call import Call, context
from service.api.errors import CODES, EXAMPLE_DETAILS, problem_text
from service.api.parsing import load_body, load_headers, load_query, receive
from service.api.schemas.common import CreatingHeaders
from service.errors import OperationError, Unauthorized
from service.operations.access.tokens import check_known

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
    """Those of a creating operation are CreatingHeaders."""
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

    def operation(self, method: str, rule: str, *responses: ResponseSpec, **declared: Any) -> Callable[[View], View]:
        """Registers a view, which is called with a Call and the parts of the path. `declared`: fields of Operation."""
        operation = Operation(method, rule, responses, **declared)
        if operation.creates:
            operation = replace(operation, headers=CreatingHeaders)

        def register(view: View) -> View:
            served = _served(operation, view)
            served._apidoc = self._documentation(operation, view)  # type: ignore[attr-defined]
            setattr(served, CREATES, operation.creates)
            self.add_url_rule(rule, endpoint=view.__name__, view_func=served, methods=[method])
            return view

        return register

    def _documentation(self, operation: Operation, view: View) -> Any:
        """What the OpenAPI document says of a view. flask-smorest's decorators carry it, each on one more function
        around the view; none of them is served."""
        documented: Any = view
        if operation.query is not None:
            documented = self.arguments(operation.query, location="query")(documented)
        if operation.headers is not None:
            documented = self.arguments(operation.headers, location="headers")(documented)
        if operation.body is not None:
            documented = self.arguments(
                operation.body,
                location="json",
                required=any(field.required for field in operation.body().fields.values()),
                example=None if operation.body_example is None else dict(operation.body_example),
            )(documented)
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
        return documented._apidoc


def _served(operation: Operation, view: View) -> View:
    """The view as it is served. It checks the token first, then whether the request is whole, then what is in it."""
    checks_token = operation.auth != "none" and operation.checks_token
    # A schema's fields are set up when it is made: once here, not for every request.
    query_schema = None if operation.query is None else operation.query()
    header_schema = None if operation.headers is None else operation.headers()
    body_schema = None if operation.body is None else operation.body()

    @wraps(view)
    def served(**path: Any) -> Response:
        ctx, caller = context(), g.caller
        if operation.auth == "required" and caller.kind == "anonymous":
            raise Unauthorized("This needs a token: Authorization: Bearer <token>.")
        if checks_token:
            check_known(ctx, caller)
        try:
            receive(request)
            query = load_query(request, query_schema)
            headers = {} if header_schema is None else load_headers(request, header_schema)
            body = {} if body_schema is None else load_body(request, body_schema)
            return view(Call(ctx, caller, query, headers, body, g.get("json")), **path)
        except OperationError as error:
            # A body that the client has announced and not sent is not an answer.
            if operation.on_invalid_body is not None and error.code in _OF_BODY and "raw_body" in g:
                invalid = InvalidBody(error, g.get("json"), g.raw_body)
                error.extra.update(operation.on_invalid_body(Call(ctx, caller), invalid, **path))
            raise

    return served


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
