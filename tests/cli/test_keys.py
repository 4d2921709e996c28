"""Keys and tokens from the environment: trimmed everywhere, never shown, and named by their variable when unfit."""

from __future__ import annotations

import pytest

from service.processes.ports import free_port
from tests.cli.conftest import Montego, Scripted

HUSH = "hush"


@pytest.mark.parametrize("variable", ["MONTEGO_KEY", "MONTEGO_ORGANISER_KEY"])
def test_white_space_around_a_key_is_not_part_of_it(
    montego: Montego, scripted: Scripted, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    scripted.on("GET /v1/bots", 200, {"items": [], "next": None})
    monkeypatch.setenv(variable, f" {HUSH}\r\n")
    assert montego("bots", "list", "--url", f" {scripted.url} ").code == 0
    assert [headers["Authorization"] for _, headers, _ in scripted.asked] == [f"Bearer {HUSH}"]


@pytest.mark.parametrize("key", [f"{HUSH}\n{HUSH}", f"{HUSH} {HUSH}", f"{HUSH}\x00", f"{HUSH}é"])
def test_a_key_that_cannot_be_sent_is_named_by_its_source_and_not_shown(
    montego: Montego, scripted: Scripted, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    scripted.on("GET /v1/bots", 200, {"items": [], "next": None})
    ran = montego("bots", "list", "--url", scripted.url, "--key", key)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: --key is not a key: ")
    assert HUSH not in ran.err
    if "\x00" not in key:  # which no variable can hold
        for variable in ("MONTEGO_ORGANISER_KEY", "MONTEGO_KEY"):
            monkeypatch.setenv(variable, key)
            ran = montego("bots", "list", "--url", scripted.url)
            assert ran.err.startswith(f"Error: {variable} is not a key: ")
            assert HUSH not in ran.err
    assert scripted.asked == []


@pytest.mark.parametrize("command", ["up", "serve", "worker"])
def test_the_service_refuses_such_a_key_before_it_starts(
    montego: Montego, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("MONTEGO_ORGANISER_KEY", f"{HUSH}\n{HUSH}")
    ran = montego(command, *(() if command == "worker" else ("--port", free_port())))
    assert ran.code == 1
    assert "Error: MONTEGO_ORGANISER_KEY must be visible ASCII characters" in ran.err
    assert HUSH not in ran.err


def test_the_token_of_a_poll_bot_is_trimmed_and_never_shown(
    montego: Montego, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.on("GET /v1/bots/me/decisions", 403, {"code": "forbidden", "title": "no"})
    monkeypatch.setenv("MONTEGO_BOT_TOKEN", f"{HUSH}\n")
    assert montego("bot", "random", "--poll", scripted.url).code == 1
    assert scripted.asked[0][1]["Authorization"] == f"Bearer {HUSH}"
    monkeypatch.setenv("MONTEGO_BOT_TOKEN", f"{HUSH}\n{HUSH}")
    ran = montego("bot", "random", "--poll", scripted.url)
    assert ran.code == 1
    assert ran.err.endswith("Error: the token is empty, or has a space, a line end or a special character in it\n")
    assert HUSH not in ran.err


def test_a_signing_secret_that_is_none_is_named_by_its_variable_and_not_shown(
    montego: Montego, monkeypatch: pytest.MonkeyPatch
) -> None:
    for secret in (HUSH, f"whsec_{HUSH}!", "whsec_"):
        monkeypatch.setenv("MONTEGO_BOT_SECRET", secret)
        for command in (("bot", "random", "--port", 0), ("check", "http://127.0.0.1:9")):
            ran = montego(*command)
            assert ran.code == 1
            assert "MONTEGO_BOT_SECRET" in ran.err.splitlines()[-1]
            assert HUSH not in ran.err


def test_without_a_key_the_variable_to_set_is_named(montego: Montego, scripted: Scripted) -> None:
    refused = {"title": "Unauthorized", "detail": "Send the token.", "code": "unauthorized"}
    scripted.on("GET /v1/keys", 401, refused)
    assert montego("keys", "list", "--url", scripted.url).err == (
        "Error: this needs a key: set MONTEGO_KEY, or give --key (unauthorized)\n"
    )
    assert montego("keys", "list", "--url", scripted.url, "--key", "x").err == "Error: Send the token. (unauthorized)\n"
