"""`/healthz`, `/readyz` and `/metrics`, for those who run the service."""

from __future__ import annotations

from flask import Response, current_app

from service.api import responses
from service.api.call import Call
from service.api.endpoints import Resource, ResponseSpec
from service.api.metrics import Metrics
from service.api.schemas.health import HealthSchema
from service.errors import Unavailable

METRICS = "montego-metrics"

blueprint = Resource("health", __name__, description="Health: for those who run the service.")


@blueprint.operation("GET", "/healthz", ResponseSpec(200, HealthSchema), auth="none")
def read_health(call: Call) -> Response:
    """Is the process alive?

    It is if it answers.
    """
    return responses.json_response({"status": "ok"})


@blueprint.operation("GET", "/readyz", ResponseSpec(200, HealthSchema), auth="none")
def read_readiness(call: Call) -> Response:
    """Can it serve?

    It can if Redis answers; otherwise the status is 503.
    """
    call.ctx.ping()
    return responses.json_response({"status": "ready"})


@blueprint.operation(
    "GET",
    "/metrics",
    ResponseSpec(200, {"type": "string"}, "Prometheus text.", content_type="text/plain"),
    auth="none",
)
def read_metrics(call: Call) -> Response:
    """Read metrics.

    They are in the text format of Prometheus.
    """
    metrics = current_app.extensions[METRICS]
    assert isinstance(metrics, Metrics), "create_app puts it there"
    try:
        unreadable = call.ctx.unreadable.counts()
    except Unavailable:
        return metrics.text(None)
    return metrics.text(unreadable)
