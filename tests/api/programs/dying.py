"""A server of the API whose process is killed at a step of the first creating call; prints its port.

Usage: python -m tests.api.programs.dying <URL of Redis> <organiser's key> creating|queueing|answering
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from typing import Any, NoReturn

from flask import Flask, Response
from werkzeug.serving import make_server

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.operations.context import Context
from service.store import clients
from service.store.games import GameStore
from service.store.idempotency import IdempotencyStore
from service.store.queues import JobQueue

CLAIM_MS = 1000
"""How long the claim of a call that died stands, so that no test has to wait for the usual ten seconds."""


def die(*_: Any, **__: Any) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process does nothing")


class DiesCreating(GameStore):
    """Nothing is created."""

    create = die


class DiesQueueing(JobQueue):
    """The game is created, and no worker knows."""

    enqueue_turn = die


def dies_creating(ctx: Context, url: str) -> Flask:
    client = clients.commands(url)
    return create_app(replace(ctx, games=DiesCreating(client), idempotency=IdempotencyStore(client, CLAIM_MS)))


def dies_queueing(ctx: Context, url: str) -> Flask:
    return create_app(replace(ctx, queue=DiesQueueing(clients.queue_commands(url))))


def dies_answering(ctx: Context, url: str) -> Flask:
    """All is created, and nobody has the answer."""
    app = create_app(ctx)

    @app.after_request
    def die_if_created(response: Response) -> Response:
        return die() if response.status_code in (201, 202) else response

    return app


STEPS = {"creating": dies_creating, "queueing": dies_queueing, "answering": dies_answering}


def main(url: str, organiser_key: str, step: str) -> None:
    ctx = wiring.build(Settings(redis_url=url, organiser_key=organiser_key))
    server = make_server("127.0.0.1", 0, STEPS[step](ctx, url))
    print(server.server_port, flush=True)
    server.serve_forever()


main(*sys.argv[1:])
