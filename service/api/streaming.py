"""Events, as JSON or as `text/event-stream` (HTML, "Server-sent events")."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from flask import Request, Response
from marshmallow import Schema

from service.api.call import Call
from service.api.endpoints import ResponseSpec
from service.api.responses import json_response, no_content
from service.errors import OperationError

MEDIA_TYPE = "text/event-stream"
COMMENT_S = 15.0
"""A stream sends a comment after this much silence, so that proxies do not take it for dead."""
RETRY_MS = 1000
_VARY = {"Vary": "Accept, Authorization"}
_RESET = 'id: 0\nevent: reset\ndata: {"type":"reset"}\n\n'
"""What was sent before does not count any more: all events follow (PROTOCOL "Reset")."""


class Batch(Protocol):
    """Events after a number: of a game or of a tournament."""

    @property
    def events(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def last(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def reset(self) -> bool: ...


B = TypeVar("B", bound=Batch)
B_co = TypeVar("B_co", bound=Batch, covariant=True)


class Wait(Protocol[B_co]):
    """Gives the events after a number, and waits for some at most so many seconds. `at`: the time of the event of that
    number, as the client got it."""

    def __call__(self, after: int, timeout_s: float, at: str | None = None) -> B_co: ...


Observe = Callable[[B], Mapping[str, Any]]
"""What the caller sees after a batch of events."""


def response_specs(schema: type[Schema], example: str) -> tuple[ResponseSpec, ...]:
    """The responses of an operation that gives events. `example`: lines of a stream."""
    lines = {MEDIA_TYPE: {"schema": {"type": "string"}, "example": example}}
    return (
        ResponseSpec(200, schema, "Events after a number, or a stream of them.", also=lines),
        ResponseSpec(204, None, "A stream that was resumed after the last event."),
    )


def respond(call: Call, request: Request, wait: Wait[B], observe: Observe[B] | None = None) -> Response:
    """Events as the client accepts them: a stream, or JSON after waiting as long as `wait` says. With `observe` they
    come with what the caller sees after them.

    For a call with EventsQuery and StreamHeaders. Raises what the first call of `wait` raises.
    """
    after, at = call.headers.get("last_event_id", (call.query["after"], None))
    if _prefers_stream(request):
        return _stream(wait, observe, after, at)
    found = wait(after, call.query["wait"], at)
    reset = {"reset": True} if found.reset else {}
    observation = {} if observe is None else {"observation": observe(found)}
    return json_response({"events": found.events, "last": found.last, **reset, **observation}, headers=_VARY)


def _prefers_stream(request: Request) -> bool:
    """Whether the client prefers a stream to JSON."""
    accepted = request.accept_mimetypes
    return accepted[MEDIA_TYPE] > accepted["application/json"]


def _stream(wait: Wait[B], observe: Observe[B] | None, after: int, at: str | None) -> Response:
    """A stream from the event after number `after` to the last one. If the client has that one already: 204, which
    tells a browser not to reconnect."""
    first = wait(after, 0, at)
    if first.over and not first.events and not first.reset:
        return no_content()
    response = Response(_lines(wait, observe, after, at, first), content_type=f"{MEDIA_TYPE}; charset=utf-8")
    response.headers.update({"Cache-Control": "no-store", **_VARY})
    # Tells nginx not to buffer the response.
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _lines(wait: Wait[B], observe: Observe[B] | None, after: int, at: str | None, batch: B) -> Iterator[str]:
    yield f"retry: {RETRY_MS}\n\n"
    if observe is not None and not batch.events:
        yield _observation(observe(batch))
    while True:
        if batch.reset:
            after, at = 0, None
            yield _RESET
        if batch.events:
            lines = [_event(event) for event in batch.events]
            # Together: a client that has the events has what it sees after them.
            yield "".join(lines if observe is None else [*lines, _observation(observe(batch))])
            after, at = batch.events[-1]["n"], batch.events[-1]["at"]
        if batch.over and batch.last <= after:
            return
        try:
            batch = wait(after, COMMENT_S, at)
        except OperationError:
            # The game is gone, or the store does not answer: the client reconnects, and gets the error then.
            return
        if not batch.events:
            yield ": nothing new\n\n"


def _observation(seen: Mapping[str, Any]) -> str:
    """Without an id, so that a stream is resumed after the last event."""
    return f"event: observation\ndata: {json.dumps(seen, separators=(',', ':'), ensure_ascii=False)}\n\n"


def _event(event: Mapping[str, Any]) -> str:
    data = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
    return f"id: {event['n']}@{event['at']}\nevent: {event['type']}\ndata: {data}\n\n"
