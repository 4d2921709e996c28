"""Streams of server-sent events that keep an open page up to date."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flask import Response, abort, request

from service.errors import OperationError
from service.operations.context import Context
from service.operations.games.change import load, wait_for_change
from service.operations.games.projection import GameView

HEARTBEAT_S: Final = 15.0
"""A stream sends something at least this often, so that no proxy takes the connection for dead (seconds)."""

BEGIN: Final = b"retry: 1000\n\n"
"""How a stream begins: a browser whose connection is lost comes back after a second."""
NOTHING_NEW: Final = b": nothing new\n\n"
OVER: Final = b"event: over\ndata: over\n\n"


def views(ctx: Context, view: GameView) -> Iterator[tuple[GameView, bool]]:
    """This view, then each later one to the end of the game, each with whether it is a reset (PROTOCOL "Reset").

    The same view comes again when nothing has changed for HEARTBEAT_S. The views end early if the game or the store
    can no longer be read: the browser comes back and says what it has.
    """
    reset = False
    while True:
        yield view, reset
        if view.over:
            return
        try:
            newest = wait_for_change(ctx, view, HEARTBEAT_S)
            if newest.chain == view.chain:
                # Waiting goes on while the store is gone. This does not, so that the page can say so.
                newest = load(ctx, view.id)
        except OperationError:
            return
        reset = not newest.continues(view.chain)
        view = newest


def known(otherwise: int = 0) -> int:
    """The number of the newest event that the page has, as its browser says. Answers 404 for anything that is no
    number."""
    given = request.headers.get("Last-Event-ID") or request.args.get("after", str(otherwise))
    if not (given.isascii() and given.isdigit()):
        abort(404)
    return int(given[:9])


def stream(lines: Iterator[bytes]) -> Response:
    """A response that sends these lines as they come."""
    response = Response(lines, content_type="text/event-stream; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    # Proxies that collect answers before they pass them on (nginx) pass this one on at once.
    response.headers["X-Accel-Buffering"] = "no"
    return response


def event(number: int, parts: str) -> bytes:
    """Parts of a page as an event. `number` is what the browser names when it comes back."""
    data = "\n".join(f"data: {line}" for line in parts.splitlines() if line)
    return f"id: {number}\n{data}\n\n".encode()
