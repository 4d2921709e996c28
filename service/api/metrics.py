"""Counters for Prometheus: requests by operation and status, and how long they took; nothing of their contents."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cache

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client.exposition import CONTENT_TYPE_LATEST

MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
"""The folder in which the processes of a server combine their numbers (prometheus_client); gunicorn_config sets it."""
_METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS")
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)


class Metrics:
    """The numbers of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "montego_http_requests",
            "Requests answered, by operation, method and status.",
            ("operation", "method", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "montego_http_request_seconds",
            "Seconds to the answer, time spent waiting for news included, by operation.",
            ("operation",),
            buckets=_BUCKETS,
            registry=self.registry,
        )

    def register(self, app: Flask) -> None:
        """Counts every request of the application."""
        # prometheus_client looks a series up anew each time, under a lock.
        requests_of, seconds_of = cache(self._requests.labels), cache(self._seconds.labels)

        @app.before_request
        def start_clock() -> None:
            g.started_at = time.perf_counter()

        @app.after_request
        def count(response: Response) -> Response:
            operation = request.endpoint or "none"
            # A client can make up any number of methods: each would be a time series for ever.
            method = request.method if request.method in _METHODS else "other"
            requests_of(operation, method, response.status_code).inc()
            started_at = g.get("started_at")
            if started_at is not None:
                seconds_of(operation).observe(time.perf_counter() - started_at)
            return response

    def text(self, unreadable: Mapping[str, int] | None) -> Response:
        """The numbers of all processes of the server, in Prometheus' text format. `unreadable`: how many documents in
        Redis cannot be read, by kind; None where Redis does not answer."""
        registry = self.registry
        if MULTIPROCESS in os.environ:
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        text = generate_latest(registry)
        if unreadable is not None:
            text += _unreadable(unreadable)
        return Response(text, content_type=CONTENT_TYPE_LATEST)


def _unreadable(counts: Mapping[str, int]) -> bytes:
    registry = CollectorRegistry()
    about = "Documents in Redis that cannot be read and were set aside."
    gauge = Gauge("montego_unreadable", about, ("kind",), registry=registry)
    for kind in ("game", "tournament"):
        gauge.labels(kind).set(counts.get(kind, 0))
    return generate_latest(registry)
