"""A blueprint whose operations are declared in one place: what goes in, what comes out, who may call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from flask import Response, g, request
from flask_smorest import Blueprint
from marshmallow import Schema

from service.api.call import Call, context
from service.api.errors import STATUS, InvalidMembers
from service.api.idempotency import once
from service.api.parsing import StrictParser
from service.api.schemas.common import CreatingHeaders
from service.errors import OperationError, Unauthorized
from service.operations.access.tokens import Caller, check_known

View = Callable[..., Response]
Refused = Callable[..., Mapping[str, Any]]
"""Called as the view would have been, with a Refusal in its second place. Returns members that are added to the
problem."""
CREATES = "montego_creates"
"""The mark of a view that makes something new, which is limited and can be repeated by `Idempotency-Key`."""

LOCATED: Mapping[str, str] = {"Location": "Where it is."}
"""The headers of an answer that says where something is."""

_SECURITY: Mapping[str, list[dict[str, list[str]]]] = {
    "anyone": [],
    "optional": [{}, {"token": []}],
    "token": [{"token": []}],
}
_ALWAYS = ("bad_request", "internal_error", "unavailable")
_OF_BODY = ("malformed_json", "too_large", "unsupported_media_type", "invalid_request")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A body that could not be used: why, its JSON value (None where it has none), and its bytes as far as read."""

    error: OperationError
    sent: Any
    received: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """One way in which an operation can succeed. `also`: further media types of the same answer, with their schemas."""

    status: int
    schema: type[Schema] | Mapping[str, Any] | None = None
    description: str | None = None
    headers: Mapping[str, str] | None = None
    content_type: str = "application/json"
    example: Mapping[str, Any] | None = None
    also: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as its module declares it.

    `who`: `anyone` (a token is not looked at), `optional`, or `token` (401 without one). `of_game`: the use case checks
    a game's tokens by the game that it reads; else that is done here. `errors`: the codes it can answer with, those
    aside that every operation has. `refused` is told of a request that could not be used, and may
    have something to add to the answer. `creates`: it makes something new, so it has CreatingHeaders.
    """

    method: str
    rule: str
    answers: tuple[Answer, ...]
    query: type[Schema] | None = None
    headers: type[Schema] | None = None
    body: type[Schema] | None = None
    body_example: Mapping[str, Any] | None = None
    who: str = "optional"
    of_game: bool = False
    errors: tuple[str, ...] = ()
    creates: bool = False
    refused: Refused | None = None

    def codes(self) -> list[str]:
        """All codes that it can answer with."""
        found = [*self.errors, *_ALWAYS]
        if self.body is not None:
            found += _OF_BODY
        found.append("invalid_request")
        if self.who != "anyone":
            found.append("unauthorized")
        if self.creates:
            # The latter while an earlier call with the same Idempotency-Key is at work.
            found += ["too_many_requests", "wrong_state"]
        if "<" in self.rule:
            found.append("not_found")
        return list(dict.fromkeys(found))


class Resource(Blueprint):
    """flask-smorest's blueprint with one decorator instead of five."""

    ARGUMENTS_PARSER = StrictParser()

    def operation(self, declared: Operation) -> Callable[[View], View]:
        """Registers a view, which is called with a Call and the parts of the path, and returns an answer."""

        def decorate(view: View) -> View:
            registered = self._documented(declared, self._parsed(declared, view))
            setattr(registered, CREATES, declared.creates)
            self.add_url_rule(declared.rule, endpoint=view.__name__, view_func=registered, methods=[declared.method])
            return view

        return decorate

    def _parsed(self, declared: Operation, view: View) -> View:
        @wraps(view)
        def entry(
            query: dict[str, Any] | None = None,
            headers: dict[str, Any] | None = None,
            body: dict[str, Any] | None = None,
            **path: Any,
        ) -> Response:
            call = Call(context(), g.caller, query or {}, headers or {}, body or {}, g.get("sent"))
            key = call.headers.get("idempotency_key") if declared.creates else None
            if key is None:
                return view(call, **path)
            return once(call, request, key, g.get("sent", {}), lambda ctx: view(replace(call, ctx=ctx), **path))

        parsed: View = entry
        headers = CreatingHeaders if declared.creates else declared.headers
        # Schemas go in as instances: of a class, one would be made for every request.
        if declared.query is not None:
            parsed = self.arguments(declared.query(), location="query", arg_name="query")(parsed)
        if headers is not None:
            parsed = self.arguments(headers(), location="headers", arg_name="headers")(parsed)
        if declared.body is not None:
            parsed = self.arguments(
                declared.body(),
                location="json",
                arg_name="body",
                required=any(field.required for field in declared.body().fields.values()),
                example=None if declared.body_example is None else dict(declared.body_example),
            )(parsed)
        return _guarded(declared, parsed)

    def _documented(self, declared: Operation, view: View) -> View:
        documented = view
        for answer in reversed(declared.answers):
            documented = self.alt_response(
                answer.status,
                schema=answer.schema,
                description=answer.description,
                headers=_headers(answer.headers),
                content_type=answer.content_type,
                example=None if answer.example is None else dict(answer.example),
                success=True,
            )(documented)
        problems = {status: _problems(codes) for status, codes in _by_status(declared.codes()).items()}
        also = {answer.status: {"content": dict(answer.also)} for answer in declared.answers if answer.also}
        documented = self.doc(
            operationId=view.__name__, security=_SECURITY[declared.who], responses={**problems, **also}
        )(documented)
        # Each decorator wraps the view once more only to carry its words; the view itself is served without them.
        view._apidoc = documented._apidoc  # type: ignore[attr-defined]
        return view


def _guarded(declared: Operation, parsed: View) -> View:
    """Asks for a token before anything else is judged."""
    needs_token = declared.who == "token"
    checks_token = declared.who != "anyone" and not declared.of_game

    @wraps(parsed)
    def guarded(**path: Any) -> Response:
        caller: Caller = g.caller
        if needs_token and caller.kind == "anonymous":
            raise Unauthorized("This needs a token: Authorization: Bearer <token>.")
        if checks_token:
            check_known(context(), caller)
        try:
            if declared.query is None and request.args:
                raise InvalidMembers({name: ["Unknown field."] for name in request.args})
            return parsed(**path)
        except OperationError as error:
            if declared.refused is not None and error.code in _OF_BODY:
                refusal = Refusal(error, g.get("sent"), g.get("received", b""))
                error.extra.update(declared.refused(Call(context(), caller), refusal, **path))
            raise

    return guarded


def _headers(headers: Mapping[str, str] | None) -> dict[str, Any] | None:
    if headers is None:
        return None
    return {name: {"description": text, "schema": {"type": "string"}} for name, text in headers.items()}


def _by_status(codes: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for code in codes:
        found.setdefault(int(STATUS[code]), []).append(code)
    return dict(sorted(found.items()))


def _problems(codes: list[str]) -> dict[str, Any]:
    """The documented error answer of one status: which codes it can have.

    One schema for all of them: generators of clients make a class of each schema.
    """
    return {
        "description": ", ".join(f"`{code}`" for code in codes),
        "x-codes": codes,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
