"""Headers: security, compression, CORS, limits."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from limits import RateLimitItemPerMinute

from service.api import limits
from service.api.app import create_app
from service.config import Settings
from service.operations.context import Context
from tests.api.conftest import ORGANISER
from tests.api.game_setup import bearer, new_game, problem

ORIGIN = "https://play.example"


def test_every_answer_has_the_security_headers(client: FlaskClient) -> None:
    for path in ("/healthz", "/nothing", "/openapi.json", "/docs/"):
        headers = client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_large_answers_are_compressed_for_those_who_ask(client: FlaskClient) -> None:
    plain = client.get("/openapi.json")
    packed = client.get("/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert gzip.decompress(packed.data) == plain.data
    small = client.get("/healthz", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in small.headers


@pytest.fixture
def open_to_origin(context: Context, redis_url: str) -> FlaskClient:
    """A service that pages of one origin may call."""
    settings = Settings(redis_url=redis_url, cors_origins=(ORIGIN,))
    return create_app(replace(context, settings=settings)).test_client()


def test_pages_of_a_configured_origin_may_call(open_to_origin: FlaskClient) -> None:
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, idempotency-key",
    }
    preflight = open_to_origin.options("/v1/games", headers=asked)
    assert preflight.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    assert "authorization" in preflight.headers["Access-Control-Allow-Headers"].lower()
    for path in ("/healthz", "/nothing"):
        answer = open_to_origin.get(path, headers={"Origin": ORIGIN})
        assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
        exposed = answer.headers["Access-Control-Expose-Headers"]
        for name in ("ETag", "Link", "Location", "Retry-After", "RateLimit", "X-Request-ID"):
            assert name in exposed


def test_other_origins_get_no_leave(open_to_origin: FlaskClient, client: FlaskClient) -> None:
    for asked, origin in ((open_to_origin, "https://evil.example"), (client, ORIGIN)):
        answer = asked.get("/healthz", headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_creating_says_what_is_left(client: FlaskClient) -> None:
    first, second = (client.post("/v1/games", json={"players": 2}).headers for _ in range(2))
    assert first["RateLimit-Policy"] == '"creating";q=1800;w=60'
    assert first["RateLimit"].startswith('"creating";r=1799;t=')
    assert second["RateLimit"].startswith('"creating";r=1798;t=')


def test_who_creates_without_end_is_told_when_to_go_on(
    context: Context, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ANONYMOUS_LIMIT", RateLimitItemPerMinute(2))
    client = create_app(context).test_client()
    for _ in range(2):
        assert client.post("/v1/games", json={"players": 2}).status_code == 201
    response = client.post("/v1/games", json={"players": 2})
    problem(response, 429, "too_many_requests")
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert response.headers["RateLimit"].startswith('"creating";r=0')
    organisers = client.post("/v1/games", json={"players": 2}, headers=bearer(ORGANISER))
    assert organisers.status_code == 201
    assert "RateLimit" not in organisers.headers


def remaining(client: FlaskClient, token: str, name: str) -> int:
    """How many more the bearer of a token may create, after it has created one."""
    made = client.post("/v1/games", json={"players": 2, "name": name}, headers=bearer(token))
    return int(made.headers["RateLimit"].split(";")[1].removeprefix("r="))


def test_a_key_and_its_bots_share_a_budget(client: FlaskClient) -> None:
    made = [client.post("/v1/keys", json={"role": "author", "name": name}, headers=bearer(ORGANISER)) for name in "ab"]
    mine, anothers = ((key.json or {})["key"] for key in made)
    bot = client.post("/v1/bots", json={"name": "mine", "kind": "poll"}, headers=bearer(mine)).json or {}
    assert [remaining(client, token, "x") for token in (mine, bot["token"], mine)] == [5998, 5997, 5996]
    assert remaining(client, anothers, "x") == 5999


def test_asking_what_is_allowed_is_not_counted(client: FlaskClient) -> None:
    for _ in range(3):
        assert "RateLimit" not in client.options("/v1/games").headers
    assert client.post("/v1/games", json={"players": 2}).headers["RateLimit"].startswith('"creating";r=1799;')


def test_playing_and_reading_are_never_limited(client: FlaskClient) -> None:
    game = new_game(client)
    for path in (game.path, f"{game.path}/events", "/v1/bots"):
        assert "RateLimit" not in client.get(path).headers
    acted = client.post(
        f"{game.path}/actions",
        data=json.dumps({"decision": "1.play.0.0", "index": 0}),
        content_type="application/json",
        headers=bearer(game.tokens[0]),
    )
    assert acted.status_code == 200
    assert "RateLimit" not in acted.headers
