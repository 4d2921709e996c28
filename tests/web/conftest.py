"""The application over a real Redis, a real server, and a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.processes.redis_server import RedisServer
from service.store.hub import Hub
from tests.api.serving import Served, serve
from tests.fixtures_redis import started_redis

ORGANISER = "the-organisers-key"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def app_of_process(redis_server: RedisServer) -> Flask:
    return create_app(wiring.build(Settings(redis_url=redis_server.url, organiser_key=ORGANISER)))


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
    return app.test_client()


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    """gunicorn, as it is shipped, over a Redis of its own."""
    with started_redis() as redis_server, serve(redis_server.url, ORGANISER) as served:
        yield served


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's chromium. Skips where there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser window of 1280 × 900 with nothing in it. Fails the test where a page had an error, or a request left
    for another host."""
    window = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    window.set_default_timeout(20_000)
    wrong: list[str] = []
    window.on("weberror", lambda error: wrong.append(str(error.error)))
    window.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    window.on(
        "request",
        lambda request: None if request.url.startswith("http://127.0.0.1:") else wrong.append(f"asked {request.url}"),
    )
    yield window
    window.close()
    assert wrong == []
