"""Errors: problem details everywhere, with a stable code, and nothing that is nobody's business."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.game_setup import bearer, new_game, problem


def test_an_unknown_address_is_404(client: FlaskClient) -> None:
    for path in ("/nothing", "/v1", "/v1/", "/v1/game", "/v1//games", "/v1/games/", "/V1/games"):
        problem(client.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/keys", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("POST", "/v1/games/x", {"DELETE", "GET", "HEAD", "OPTIONS"}),
        ("GET", "/v1/games/x/actions", {"OPTIONS", "POST"}),
        ("POST", "/healthz", {"GET", "HEAD", "OPTIONS"}),
        ("TRACE", "/v1/keys", {"GET", "HEAD", "OPTIONS", "POST"}),
    ],
)
def test_a_wrong_method_is_405_with_those_allowed(
    client: FlaskClient, method: str, path: str, allowed: set[str]
) -> None:
    response = client.open(path, method=method)
    problem(response, 405, "method_not_allowed")
    assert set(response.headers["Allow"].split(", ")) == allowed


def test_options_lists_the_methods(client: FlaskClient) -> None:
    response = client.options("/v1/games/x")
    assert response.status_code == 200
    assert set(response.headers["Allow"].split(", ")) == {"DELETE", "GET", "HEAD", "OPTIONS"}
    problem(client.options("/nothing"), 404, "not_found")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": ""},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    ],
)
def test_a_body_of_another_kind_is_415(client: FlaskClient, headers: dict[str, str]) -> None:
    response = client.post("/v1/games", data=b'{"players":2}', headers=headers)
    problem(response, 415, "unsupported_media_type")


def test_json_may_say_its_charset(client: FlaskClient) -> None:
    response = client.post("/v1/games", data=b'{"players":2}', content_type="application/json; charset=UTF-8")
    assert response.status_code == 201


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b" ",
        b'{"players":2}x',
        b'{"players":2,}',
        b"{'players':2}",
        b'{"players":NaN}',
        b'{"players":Infinity}',
        b'{"players":-Infinity}',
        b'{"players":1e999}',
        b'{"players":2,"players":3}',
        b'{"players":2,"variants":{"tally":"circuit","tally":"circuit"}}',
        b'{"players":' + b"9" * 5000 + b"}",
        b"[" * 200_000,
        b'{"name":"\xff"}',
        b'{"name":"\\ud800"}',
        b'{\xef\xbb\xbf"players":2}',
        '{"players":2}'.encode("utf-16"),
    ],
)
def test_what_is_not_strict_json_is_400(client: FlaskClient, body: bytes) -> None:
    problem(client.post("/v1/games", data=body, content_type="application/json"), 400, "malformed_json")


@pytest.mark.parametrize("body", ["[]", '"x"', "3", "null", "true", '[{"players":2}]'])
def test_a_body_that_is_no_object_is_422(client: FlaskClient, body: str) -> None:
    found = problem(client.post("/v1/games", data=body, content_type="application/json"), 422, "invalid_request")
    assert list(found["errors"]) == ["_schema"]


def test_a_body_above_the_limit_is_413(client: FlaskClient) -> None:
    body = json.dumps({"players": 2, "name": "x" * 300_000})
    problem(client.post("/v1/games", data=body, content_type="application/json"), 413, "too_large")


def test_the_first_of_many_errors_is_the_detail_and_all_are_listed(client: FlaskClient) -> None:
    found = problem(client.post("/v1/games", json={"players": 9, "public": 1, "x": 2}), 422, "invalid_request")
    assert set(found["errors"]) == {"players", "public", "x"}
    assert found["detail"].split(":")[0] in found["errors"]


def test_a_defect_of_ours_tells_nothing_but_its_request(app: Flask) -> None:
    broken = Flask("broken")
    # The same handlers over a view that fails as a defect would.
    from_app = app.error_handler_spec[None][None]
    for kind, handler in from_app.items():
        broken.register_error_handler(kind, handler)

    @broken.get("/boom")
    def boom() -> str:
        raise RuntimeError("secret: mb_token in mb1:{g:x}")

    response = broken.test_client().get("/boom")
    found = problem(response, 500, "internal_error")
    assert "secret" not in response.text
    assert "Traceback" not in response.text
    assert response.headers["Retry-After"] == "1"
    assert set(found) == {"type", "title", "status", "code", "detail"}


def test_a_request_id_is_echoed_or_made(client: FlaskClient) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1.2_3"}).headers["X-Request-ID"] == "abc-1.2_3"
    made = client.get("/nothing").headers["X-Request-ID"]
    assert len(made) == 32
    for bad in ("", "x" * 129, "a b", "<script>", "a\tb"):
        assert client.get("/healthz", headers={"X-Request-ID": bad}).headers["X-Request-ID"] != bad


def test_no_error_holds_a_token(client: FlaskClient) -> None:
    game = new_game(client)
    token = game.tokens[0]
    for path in (f"/v1/games/{token}", f"{game.path}/legal-actions", "/v1/keys"):
        response = client.get(path, headers=bearer(token[:-3] + "xyz"))
        assert response.status_code >= 400
        assert token[-20:-3] not in response.text
