"""A server process as users run it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import requests

from service.processes.commands import api_command
from service.processes.ports import LOOPBACK, free_port
from service.processes.supervisor import wait_until


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    url: str
    process: subprocess.Popen[bytes]

    def stop(self, seconds: float = 20) -> int:
        """Interrupts it as Ctrl-C does, and returns its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(seconds)


def answers(url: str) -> bool:
    """Whether the server is ready."""
    try:
        return requests.get(f"{url}/readyz", timeout=5).ok
    except requests.RequestException:
        return False


@contextmanager
def serve(redis_url: str, organiser_key: str, port: int | None = None, **environ: str) -> Iterator[Served]:
    """gunicorn with its shipped settings, on a free port unless one is given."""
    port = port or free_port()
    given = {**os.environ, "REDIS_URL": redis_url, "MONTEGO_ORGANISER_KEY": organiser_key, **environ}
    process = subprocess.Popen(api_command(LOOPBACK, port), env=given)
    served = Served(f"http://{LOOPBACK}:{port}", process)
    try:
        assert wait_until(lambda: answers(served.url), 30), "the server did not come up"
        yield served
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(20)
