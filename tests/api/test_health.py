"""`/healthz`, `/readyz`, `/metrics`, and what happens while Redis is gone."""

from __future__ import annotations

import os
import signal

import pytest
from flask.testing import FlaskClient

from service import wiring
from service.api.app import create_app
from service.config import Settings
from service.processes.ports import free_port
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from tests.api.game_setup import bearer, new_game, problem


def test_alive_and_ready(client: FlaskClient) -> None:
    assert client.get("/healthz").json == {"status": "ok"}
    assert client.get("/readyz").json == {"status": "ready"}


def test_requests_are_counted_by_operation_and_status(client: FlaskClient) -> None:
    client.get("/v1/games/nobody")
    text = client.get("/metrics").text
    assert 'montego_http_requests_total{method="GET",operation="games.read_game",status="404"}' in text
    assert "nobody" not in text


def test_methods_that_a_client_makes_up_are_counted_as_one(client: FlaskClient) -> None:
    for method in ("BREW", "WHEN", "PROPFIND"):
        client.open("/v1/games", method=method)
    text = client.get("/metrics").text
    assert 'montego_http_requests_total{method="other",operation="none",status="405"}' in text
    assert "BREW" not in text


@pytest.fixture
def lost() -> FlaskClient:
    """A service whose Redis is nowhere."""
    settings = Settings(redis_url=f"redis://127.0.0.1:{free_port()}/0")
    return create_app(wiring.build(settings)).test_client()


def test_without_redis_it_is_alive_and_not_ready(lost: FlaskClient) -> None:
    assert lost.get("/healthz").status_code == 200
    response = lost.get("/readyz")
    problem(response, 503, "unavailable")
    assert int(response.headers["Retry-After"]) >= 1


def test_without_redis_calls_are_503_and_tell_no_address(lost: FlaskClient) -> None:
    for response in (
        lost.get("/v1/games/x"),
        lost.post("/v1/games", json={"players": 2}),
        lost.get("/v1/games/x/events?wait=1"),
        lost.get("/v1/games/x/events", headers={"Accept": "text/event-stream"}),
        lost.get("/v1/bots"),
        lost.get("/v1/keys", headers=bearer("mbk_a.b")),
    ):
        problem(response, 503, "unavailable")
        assert "127.0.0.1" not in response.text


def test_the_work_goes_on_when_redis_is_back(client: FlaskClient, redis_server: RedisServer) -> None:
    game = new_game(client)
    game.play_cards(0)
    os.kill(redis_server.pid, signal.SIGKILL)
    assert wait_until(lambda: not redis_server.running, 10)
    problem(client.get(game.path), 503, "unavailable")
    redis_server.restart()
    assert game.view(0)["cards"] == {"big": 1, "little": 2}
    game.play_cards(1)
    assert game.view()["round"] >= 1
