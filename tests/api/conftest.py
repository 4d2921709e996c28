"""The application over a real Redis, and a client that holds every answer to the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.operations.context import Context
from service.processes.redis_server import RedisServer
from service.store.hub import Hub
from tests.api.checked_client import CheckedClient
from tests.api.serving import Served, serve
from tests.fixtures_redis import started_redis

ORGANISER = "the-organisers-key"


@pytest.fixture(scope="session")
def app_of_process(redis_server: RedisServer) -> Flask:
    """Made once: the document takes a moment."""
    app = create_app(wiring.build(Settings(redis_url=redis_server.url, organiser_key=ORGANISER)))
    app.test_client_class = CheckedClient
    return app


@pytest.fixture
def app(app_of_process: Flask, redis_url: str) -> Iterator[Flask]:
    """The application over an empty database."""
    yield app_of_process
    hub = app_of_process.extensions["montego"].hub
    assert isinstance(hub, Hub)
    # Tests of other rooms count who listens to the Redis that all share.
    hub.close()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Sends requests; fails when an answer is not as documented."""
    return app.test_client()


@pytest.fixture
def context(app: Flask) -> Context:
    """What the application was built over."""
    found = app.extensions["montego"]
    assert isinstance(found, Context)
    return found


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    """gunicorn, as it is shipped, over a Redis of its own."""
    with started_redis() as redis_server, serve(redis_server.url, ORGANISER) as served:
        yield served
