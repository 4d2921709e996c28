"""`GET /v1/games/{id}`: views, tags, waiting."""

from __future__ import annotations

import threading
import time

from flask.testing import FlaskClient

from tests.api.game_setup import bearer, new_game, problem


def test_a_seat_sees_its_own_cards_and_nobody_else_does(client: FlaskClient) -> None:
    game = new_game(client, 3)
    game.play_cards(1, 4, 5)
    assert game.view(1)["cards"] == {"big": 4, "little": 5}
    assert game.view(0)["cards"] is None
    assert game.view()["cards"] is None
    assert [seat["chosen"] for seat in game.view(0)["seats"]] == [False, True, False]


def test_a_seats_view_is_kept_by_nobody(client: FlaskClient) -> None:
    game = new_game(client)
    mine = client.get(game.path, headers=bearer(game.tokens[0]))
    assert mine.headers["Cache-Control"] == "no-store"
    assert "Authorization" in mine.headers["Vary"]
    for path in ("decision", "legal-actions"):
        asked = client.get(f"{game.path}/{path}", headers=bearer(game.tokens[0]))
        assert asked.headers["Cache-Control"] == "no-store"
        assert "Authorization" in asked.headers["Vary"]
    everybodys = client.get(game.path)
    assert everybodys.headers["Cache-Control"] == "no-cache"
    assert "Authorization" in everybodys.headers["Vary"]


def test_the_tag_changes_with_the_version_and_the_viewer(client: FlaskClient) -> None:
    game = new_game(client)
    spectator = client.get(game.path).headers["ETag"]
    mine = client.get(game.path, headers=bearer(game.tokens[0])).headers["ETag"]
    assert len({spectator, mine}) == 2
    game.play_cards(0)
    assert client.get(game.path).headers["ETag"] != spectator


def test_if_none_match_is_answered_304_until_something_happens(client: FlaskClient) -> None:
    game = new_game(client)
    tag = client.get(game.path).headers["ETag"]
    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        response = client.get(game.path, headers={"If-None-Match": known})
        assert response.status_code == 304
        assert response.headers["ETag"] == tag
        assert response.data == b""
    game.play_cards(0)
    assert client.get(game.path, headers={"If-None-Match": tag}).status_code == 200


def test_a_spectators_tag_is_not_a_seats(client: FlaskClient) -> None:
    game = new_game(client)
    tag = client.get(game.path).headers["ETag"]
    response = client.get(game.path, headers={"If-None-Match": tag, **bearer(game.tokens[0])})
    assert response.status_code == 200


def test_the_version_that_the_client_has_is_answered_304(client: FlaskClient) -> None:
    game = new_game(client)
    version = game.view()["version"]
    assert client.get(f"{game.path}?version={version}").status_code == 304
    assert client.get(f"{game.path}?version={version - 1}").status_code == 200
    assert client.get(f"{game.path}?version={version - 1}&wait=30").status_code == 200


def test_waiting_ends_as_soon_as_the_version_differs(client: FlaskClient) -> None:
    game = new_game(client)
    version = game.view()["version"]
    began = time.monotonic()
    later = threading.Timer(0.2, game.play_cards, [0])
    later.start()
    response = client.get(f"{game.path}?wait=20&version={version}")
    later.join()
    assert response.status_code == 200
    assert response.json is not None
    assert response.json["version"] == version + 1
    assert time.monotonic() - began < 10


def test_waiting_in_vain_ends_with_304(client: FlaskClient) -> None:
    game = new_game(client)
    version = game.view()["version"]
    assert client.get(f"{game.path}?wait=0.2&version={version}").status_code == 304


def test_queries_are_checked(client: FlaskClient) -> None:
    game = new_game(client)
    for query, field in (
        ("wait=31", "wait"),
        ("wait=-1", "wait"),
        ("wait=nan", "wait"),
        ("wait=1e", "wait"),
        ("wait=", "wait"),
        ("version=x", "version"),
        ("version=-1", "version"),
        ("version=1_0", "version"),
        ("verison=17", "verison"),
        ("wait=1&wait=2", "wait"),
    ):
        found = problem(client.get(f"{game.path}?{query}"), 422, "invalid_request")
        assert list(found["errors"]) == [field]


def test_ids_of_any_junk_lead_nowhere(client: FlaskClient) -> None:
    for junk in ("nobody", "%00", "a%2Fb", "..", "%7Bx%7D:*", "é", "x" * 300, "-", "a b", "%F0%9F%98%80", "a%0Ab"):
        problem(client.get(f"/v1/games/{junk}"), 404, "not_found")


def test_head_answers_as_get_without_the_body(client: FlaskClient) -> None:
    game = new_game(client)
    head, get = client.head(game.path), client.get(game.path)
    assert head.status_code == 200
    assert head.data == b""
    assert head.headers["ETag"] == get.headers["ETag"]
    assert head.headers["Content-Length"] == get.headers["Content-Length"]
