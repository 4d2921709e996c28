"""Alive, able to serve, and counted: for those who run the service."""

from __future__ import annotations

from flask import Response, current_app

from service.api import responses
from service.api.call import Call
from service.api.metrics import Metrics
from service.api.resource import Answer, Operation, Resource
from service.api.schemas.health import HealthSchema

METRICS = "montego-metrics"

blueprint = Resource("health", __name__, description="Health: for those who run the service.")


@blueprint.operation(Operation("GET", "/healthz", answers=(Answer(200, HealthSchema),), who="anyone"))
def read_health(call: Call) -> Response:
    """Is the process alive?"""
    return responses.reply({"status": "ok"})


@blueprint.operation(Operation("GET", "/readyz", answers=(Answer(200, HealthSchema),), who="anyone"))
def read_readiness(call: Call) -> Response:
    """Can it serve? It can when Redis answers; 503 when it cannot."""
    call.ctx.ping()
    return responses.reply({"status": "ready"})


@blueprint.operation(
    Operation(
        "GET",
        "/metrics",
        answers=(Answer(200, {"type": "string"}, "Prometheus text.", content_type="text/plain"),),
        who="anyone",
    )
)
def read_metrics(call: Call) -> Response:
    """Numbers for Prometheus."""
    metrics = current_app.extensions[METRICS]
    assert isinstance(metrics, Metrics), "create_app puts it there"
    return metrics.text()
