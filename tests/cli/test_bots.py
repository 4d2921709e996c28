"""`montego bots`: what is shown, sent and refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import Montego, Scripted

ANN = {
    "bot": "b1",
    "name": "ann",
    "kind": "push",
    "casual": True,
    "max_games": 4,
    "version": None,
    "status": "unknown",
    "last_seen": None,
    "created": "2026-01-02T03:04:05Z",
    "url": "http://127.0.0.1:9001",
    "not_started": None,
}


@pytest.fixture
def service(scripted: Scripted) -> Scripted:
    """A service with one bot."""
    scripted.on("GET /v1/bots", 200, {"items": [ANN], "next": None})
    for name in ("ann", "b1"):
        scripted.on(f"GET /v1/bots/{name}", 200, ANN)
    return scripted


def sent(service: Scripted, call: str) -> Any:
    """The body of the one call of this kind."""
    (body,) = [body for asked, _, body in service.asked if asked == call]
    return body


@pytest.mark.parametrize("name", ["ann", "b1"])
def test_a_bot_is_shown_and_its_status_explained(montego: Montego, service: Scripted, name: str) -> None:
    ran = montego("bots", "show", name, "--url", service.url)
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "bot        b1",
        "name       ann",
        "kind       push",
        "url        http://127.0.0.1:9001",
        "casual     yes, others may seat it in casual games",
        "max games  4",
        "status     unknown (it has not been called yet)",
        "created    2026-01-02T03:04:05Z",
    ]


@pytest.mark.parametrize("status", ["online", "offline", "unknown"])
def test_every_status_is_explained(montego: Montego, scripted: Scripted, status: str) -> None:
    scripted.on("GET /v1/bots/ann", 200, {**ANN, "status": status})
    assert f"\nstatus     {status} (it " in montego("bots", "show", "ann", "--url", scripted.url).out


def test_the_list_shows_status_version_and_games_at_once(montego: Montego, service: Scripted) -> None:
    out = montego("bots", "list", "--url", service.url).out
    cells = [cell.strip() for cell in out.splitlines()[3].strip("│").split("│")]
    assert cells == ["b1", "ann", "push", "unknown", "", "4", "yes"]


def test_a_bot_is_changed_in_what_is_given(montego: Montego, service: Scripted) -> None:
    service.on("PATCH /v1/bots/b1", 200, ANN)
    arguments = ("--bot-url", "http://x:1", "--no-casual", "--max-games", 1, "--display-name", "")
    assert montego("bots", "update", "ann", *arguments, "--url", service.url).code == 0
    assert sent(service, "PATCH /v1/bots/b1") == {
        "url": "http://x:1", "casual": False, "max_games": 1, "display_name": None,
    }  # fmt: skip
    ran = montego("bots", "update", "ann", "--url", service.url)
    assert ran.code == 2
    assert "give what to change: --bot-url, --casual, --max-games or --display-name" in ran.err


@pytest.mark.parametrize("what", ["token", "secret"])
def test_a_token_or_secret_is_replaced_and_the_end_of_the_old_one_told(
    montego: Montego, service: Scripted, what: str
) -> None:
    service.on(f"POST /v1/bots/b1/{what}", 200, {what: "new", f"old_{what}_valid_until": "tomorrow"})
    ran = montego("bots", "rotate", what, "ann", "--url", service.url)
    assert (ran.code, ran.out) == (0, "new\n")
    assert "the old one stays valid until tomorrow" in ran.err
    assert sent(service, f"POST /v1/bots/b1/{what}") == {}


def test_what_leaked_is_replaced_at_once(montego: Montego, service: Scripted) -> None:
    service.on("POST /v1/bots/b1/token", 200, {"token": "new", "old_token_valid_until": None})
    ran = montego("bots", "rotate", "token", "ann", "--at-once", "--url", service.url)
    assert "the old one is no longer valid" in ran.err
    assert sent(service, "POST /v1/bots/b1/token") == {"at_once": True}


def test_a_bot_is_registered_with_how_many_games_it_plays_at_once_and_how_it_is_shown(
    montego: Montego, service: Scripted
) -> None:
    service.on("POST /v1/bots", 201, {**ANN, "token": "t", "secret": "s"})
    register = ("bots", "register", "ann", "http://x:1", "--url", service.url)
    assert montego(*register, "--max-games", 1, "--display-name", "Ann").code == 0
    assert sent(service, "POST /v1/bots") == {
        "name": "ann", "kind": "push", "casual": False, "url": "http://x:1", "max_games": 1, "display_name": "Ann",
    }  # fmt: skip


def test_a_bot_that_is_there_is_not_registered_again_if_that_is_wanted(montego: Montego, service: Scripted) -> None:
    service.on("POST /v1/bots", 409, {"title": "Conflict", "detail": "There is a bot.", "code": "name_taken"})
    again = ("bots", "register", "ann", "http://127.0.0.1:9001/", "--url", service.url)
    assert montego(*again).code == 1
    ran = montego(*again, "--if-missing")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    elsewhere = ("bots", "register", "ann", "http://127.0.0.1:9002", "--if-missing", "--url", service.url)
    assert "a bot 'ann' is already registered" in montego(*elsewhere).err
