"""`montego hidden`."""

from __future__ import annotations

from tests.cli.conftest import Montego, Scripted


def test_texts_are_hidden_listed_and_shown_again(montego: Montego, scripted: Scripted) -> None:
    scripted.on("POST /v1/hidden-texts", 200, {"items": ["a rude name"]})
    scripted.on("GET /v1/hidden-texts", 200, {"items": ["a rude\x1b[2J name"]})
    scripted.on("POST /v1/hidden-texts/removals", 200, {"items": []})
    at = ("--url", scripted.url, "--key", "key")
    assert montego("hidden", "add", "a rude name", *at).code == 0
    assert montego("hidden", "remove", "a rude name", *at).code == 0
    listed = montego("hidden", "list", *at)
    assert listed.code == 0
    assert "\x1b" not in listed.out
    assert [request for request, _, _ in scripted.asked] == [
        "POST /v1/hidden-texts",
        "POST /v1/hidden-texts/removals",
        "GET /v1/hidden-texts",
    ]
