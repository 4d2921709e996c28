"""gunicorn's worker class of the service, with a shorter time for request bodies."""

from __future__ import annotations

from service.api import gunicorn_worker


class Worker(gunicorn_worker.Worker):
    """A body has to arrive within half a second."""

    body_timeout_s = 0.5
