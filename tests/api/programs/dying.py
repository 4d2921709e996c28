"""A server of the API whose process is killed at a step of the first creating call; prints its port.

Usage: python -m tests.api.programs.dying <URL of Redis> <organiser's key> creating|queueing|keeping
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from werkzeug.serving import make_server

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.operations.context import Context
from service.store import clients
from service.store.games import GameStore
from service.store.idempotency import IdempotencyStore, Kept, Turn
from service.store.queues import JobQueue


def die(*_: Any, **__: Any) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process does nothing")


class Impatient(IdempotencyStore):
    """A lease runs out at once, so that no test has to wait for it."""

    def claim(self, name: str, fingerprint: str, salt: str, *, lease_ms: int, kept_ms: int) -> Turn | Kept:
        return super().claim(name, fingerprint, salt, lease_ms=0, kept_ms=kept_ms)


class DiesKeeping(Impatient):
    """All is created, and nobody has the answer."""

    keep = die


class DiesCreating(GameStore):
    """Nothing is created."""

    create = die


class DiesQueueing(JobQueue):
    """The game is created, and no worker knows."""

    enqueue_turn = die


def _creating(ctx: Context, url: str) -> Context:
    return replace(ctx, games=DiesCreating(clients.commands(url)))


def _queueing(ctx: Context, url: str) -> Context:
    return replace(ctx, queue=DiesQueueing(clients.queue_commands(url)))


def _keeping(ctx: Context, url: str) -> Context:
    return replace(ctx, idempotency=DiesKeeping(clients.commands(url)))


STEPS: dict[str, Callable[[Context, str], Context]] = {
    "creating": _creating,
    "queueing": _queueing,
    "keeping": _keeping,
}


def main(url: str, organiser_key: str, step: str) -> None:
    built = wiring.build(Settings(redis_url=url, organiser_key=organiser_key))
    impatient = replace(built, idempotency=Impatient(clients.commands(url)))
    server = make_server("127.0.0.1", 0, create_app(STEPS[step](impatient, url)))
    print(server.server_port, flush=True)
    server.serve_forever()


main(*sys.argv[1:])
