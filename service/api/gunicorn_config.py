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
"""Seconds that open requests get when the server is told to stop. Long-polls would use up any time, and their clients
reconnect."""
accesslog = None
errorlog = "-"
loglevel = "warning"
forwarded_allow_ips = ""
"""gunicorn believes no proxy: MONTEGO_TRUSTED_PROXIES is for the application."""
proc_name = "montego-api"
http_parser = "python"
"""gunicorn would take its parser in C (gunicorn-h1c) where that is installed. It saves 7 of some 800 microseconds a
request, and cannot say what is wrong with a request that cannot be read."""
control_socket_disable = True
"""All servers of a user would share one socket in the home directory, which need not be writable."""

_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The folder in which the processes combine their numbers. prometheus_client looks for it when it is imported, so it is
set before any process imports the application, and this module imports nothing that does."""
_HEARTBEAT = "montego-heartbeat"
"""As `service.api.heartbeat` calls it, which this module must not import."""
_OTHER_FILES = 64
"""Files a process has open besides connections."""


def on_starting(server: Any) -> None:
    """Makes the folder in which the processes combine their numbers."""
    if _METRICS_FOLDER not in os.environ:
        os.environ[_METRICS_FOLDER] = tempfile.mkdtemp(prefix="montego-metrics-")
        server.montego_metrics = os.environ[_METRICS_FOLDER]


def post_fork(server: Any, worker: Any) -> None:
    """Raises the limit of open files to what `worker_connections` needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = worker_connections + _OTHER_FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def post_worker_init(worker: Any) -> None:
    """Starts the heartbeat. Takes the application out of garbage collection: it stays as long as the process.
    Collections are rarer too, since a request leaves hardly any cycles behind."""
    heartbeat = _heartbeat_of(worker)
    if heartbeat is not None:
        heartbeat.start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def worker_exit(server: Any, worker: Any) -> None:
    """Ends the heartbeat of a process that has served its last request."""
    heartbeat = _heartbeat_of(worker)
    if heartbeat is not None:
        heartbeat.stop()


def _heartbeat_of(worker: Any) -> Any:
    """None where the application could not be loaded, and for one without a heartbeat: benchmarks serve a bare view by
    these settings."""
    application = worker.app.callable
    return None if application is None else application.extensions.get(_HEARTBEAT)


def on_exit(server: Any) -> None:
    """Removes the folder that on_starting made."""
    made = getattr(server, "montego_metrics", None)
    if made is not None:
        shutil.rmtree(made, ignore_errors=True)
