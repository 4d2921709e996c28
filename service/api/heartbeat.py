"""Reports to workers, ten times a second, that this process of the API serves: see `service.store.api_processes`."""

from __future__ import annotations

import logging
from contextlib import suppress
from uuid import uuid4

import gevent

from service.errors import Unavailable
from service.operations.context import Context

HEARTBEAT = "montego-heartbeat"
"""The name of the application's extension. gunicorn starts and stops it, in the process that serves."""
log = logging.getLogger("montego.api")


class Heartbeat:
    """It shares the event loop with all requests: what keeps them waiting makes it late."""

    def __init__(self, ctx: Context) -> None:
        self._processes = ctx.api_processes
        self._process = uuid4().hex
        self._greenlet: gevent.Greenlet[..., None] | None = None

    def start(self) -> None:
        """From now on until `stop`."""
        self._greenlet = gevent.spawn(self._run)

    def stop(self) -> None:
        """Takes the process off the list: it is not expected back."""
        if self._greenlet is not None:
            self._greenlet.kill()
        with suppress(Unavailable):
            self._processes.leave(self._process)

    def _run(self) -> None:
        while True:
            try:
                # A Redis that does not answer makes the next heartbeat late, which reports it.
                with suppress(Unavailable):
                    self._processes.heartbeat(self._process)
            except Exception:
                log.exception("a heartbeat failed")
            gevent.sleep(self._processes.interval_s)
