"""The application over a real Redis, and a client that holds every answer to the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.local.redis_server import RedisServer
from service.operations.context import Context
from tests.api.checked import CheckedClient
from tests.api.serving import Served, serve

ORGANISER = "the-organisers-key"


@pytest.fixture(scope="session")
def app_of_process(redis_server: RedisServer) -> Flask:
    """Made once: the document takes a moment."""
    app = create_app(wiring.build(Settings(redis_url=redis_server.url, organiser_key=ORGANISER)))
    app.test_client_class = CheckedClient
    return app


@pytest.fixture
def app(app_of_process: Flask, redis_url: str) -> Flask:
    """The application over an empty database."""
    return app_of_process


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
def server_of_process(redis_server: RedisServer) -> Iterator[Served]:
    """gunicorn, as it is shipped."""
    with serve(redis_server.url, ORGANISER) as served:
        yield served


@pytest.fixture
def server(server_of_process: Served, redis_url: str) -> Served:
    """gunicorn over an empty database."""
    return server_of_process
