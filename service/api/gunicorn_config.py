"""Settings of gunicorn.

    python -m gunicorn --config python:service.api.gunicorn_config 'service.api.app:create_app()'

gevent workers, because most requests wait: a thousand long-polls cost a thousand greenlets, and one reader of Redis a
process wakes them. gunicorn reads this module in its master process before it forks; gevent patches the standard
library in each worker, before the application (and with it redis) is imported there.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import tempfile
from typing import Any

from service.config import Settings

bind = "127.0.0.1:8000"
worker_class = "service.api.gunicorn_worker.Worker"
workers = Settings.from_env().api_processes
worker_connections = 10_000
"""Long-polls and streams hold a connection each (gevent's own limit is 1,000)."""
backlog = 2048
keepalive = 75
"""Seconds for which an idle connection is kept for the next request."""
timeout = 60
graceful_timeout = 2
"""Seconds that open requests get when the server is told to stop. Those that only wait would use up any time that they
were given, and clients come back to whoever serves next."""
accesslog = None
errorlog = "-"
loglevel = "warning"
forwarded_allow_ips = ""
"""gunicorn believes no proxy: MONTEGO_TRUSTED_PROXIES is for the application."""
proc_name = "montego-api"

_METRICS = "PROMETHEUS_MULTIPROC_DIR"
"""Where processes put their numbers together. prometheus_client looks for it when it is imported, so it is set before
any process imports the application, and this module imports nothing that does."""
_FILES_EACH = 64
"""Files a process has open besides connections."""


def on_starting(server: Any) -> None:
    """Makes a place where the processes put their numbers together."""
    if _METRICS not in os.environ:
        os.environ[_METRICS] = tempfile.mkdtemp(prefix="montego-metrics-")
        server.montego_metrics = os.environ[_METRICS]


def post_fork(server: Any, worker: Any) -> None:
    """Lets a process hold as many connections as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = worker_connections + _FILES_EACH
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def post_worker_init(worker: Any) -> None:
    """What the application consists of stays as long as the process: the collector of cycles need not look through it
    again and again, nor so often, since a request leaves next to none behind."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def on_exit(server: Any) -> None:
    """Removes what on_starting made."""
    made = getattr(server, "montego_metrics", None)
    if made is not None:
        shutil.rmtree(made, ignore_errors=True)
