"""gunicorn's worker class of the service, which measures how long its event loop is held.

`GET /stall` answers with the longest stall since the last such call: `{"late_ms": …, "cpu_ms": …}`, by the clock and by
the CPU time of the thread that runs the loop.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

import gevent

from service.api import gunicorn_worker

BEAT_S = 0.002


class Worker(gunicorn_worker.Worker):
    """A greenlet that wants to run every two milliseconds notes how late it was."""

    wsgi: Any
    late_s = 0.0
    cpu_s = 0.0

    def load_wsgi(self) -> None:
        """The application, with the measurement beside it."""
        super().load_wsgi()
        served: Any = self.wsgi

        def watched(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            if environ["PATH_INFO"] != "/stall":
                response: Iterable[bytes] = served(environ, start_response)
                return response
            found = {"late_ms": self.late_s * 1000, "cpu_ms": self.cpu_s * 1000}
            self.late_s = self.cpu_s = 0.0
            body = json.dumps(found).encode()
            start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
            return [body]

        self.wsgi = watched

    def run(self) -> None:
        """Serves, and measures meanwhile."""
        gevent.spawn(self._beat)
        super().run()

    def _beat(self) -> None:
        while True:
            clock, cpu = time.perf_counter(), time.thread_time()
            gevent.sleep(BEAT_S)
            self.late_s = max(self.late_s, time.perf_counter() - clock - BEAT_S)
            self.cpu_s = max(self.cpu_s, time.thread_time() - cpu)
