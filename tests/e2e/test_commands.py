"""`montego keys`, `bots` and `tournament` against a service that runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.cli.main import run
from tests.e2e.running_service import KEY, OrganiserClient

Montego = Callable[..., tuple[int, str, str]]


@pytest.fixture
def montego(service: OrganiserClient, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Montego:
    """Runs a command line as the organiser, or with the key that is given."""
    monkeypatch.setenv("MONTEGO_URL", service.url)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("MONTEGO_ORGANISER_KEY", KEY)
    monkeypatch.delenv("MONTEGO_KEY", raising=False)

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_key_is_made_listed_without_its_text_used_and_revoked(montego: Montego) -> None:
    code, out, _ = montego("keys", "create", "--role", "author", "--name", "spring league")
    key = out.strip()
    assert code == 0
    _, listed, _ = montego("keys", "list")
    row = next(line for line in listed.splitlines() if "spring league" in line)
    assert "author" in row
    assert key not in listed
    assert montego("bots", "register", "by-author", "--poll", "--key", key)[0] == 0
    assert montego("keys", "revoke", row.split("│")[1].strip())[0] == 0
    code, _, err = montego("bots", "register", "too-late", "--poll", "--key", key)
    assert (code, err.count("\n")) == (1, 1)
    assert "(unauthorized)" in err
    assert montego("bots", "delete", "by-author")[0] == 0


def test_an_author_may_not_create_tournaments(montego: Montego) -> None:
    key = montego("keys", "create", "--role", "author", "--name", "a")[1].strip()
    code, _, err = montego("tournament", "create", "greedy", "random", "--players", 2, "--key", key)
    assert code == 1
    assert "(forbidden)" in err


def test_a_bot_is_registered_listed_and_deleted(montego: Montego) -> None:
    code, out, _ = montego("bots", "register", "mine", "http://127.0.0.1:9", "--casual")
    assert code == 0
    assert "whsec_" in out
    listed = montego("bots", "list")[1]
    assert [line for line in listed.splitlines() if "mine" in line and "push" in line and "yes" in line]
    code, _, err = montego("bots", "register", "mine", "http://127.0.0.1:9")
    assert code == 1
    assert "(name_taken)" in err
    assert montego("bots", "delete", "mine")[0] == 0
    assert "mine" not in montego("bots", "list")[1]
    code, _, err = montego("bots", "delete", "mine")
    assert code == 1
    assert "no bot 'mine' is registered" in err


def test_a_tournament_is_created_watched_and_shown(montego: Montego) -> None:
    create = ("tournament", "create", "greedy", "random", "--players", 2, "--deals", 1, "--seed", "s", "--name", "cup")
    code, out, _ = montego(*create)
    identifier = out.strip()
    assert code == 0
    code, out, err = montego("tournament", "watch", identifier)
    assert code == 0
    assert "2 of 2 matches finished" in err
    assert "cup: finished, 2 matches (2 finished)" in out
    assert montego("tournament", "show", identifier)[1] == out


def test_a_tournament_is_paused_resumed_and_cancelled(montego: Montego) -> None:
    identifier = montego("tournament", "create", "greedy", "random", "--players", 2, "--deals", 200)[1].strip()
    assert montego("tournament", "pause", identifier)[0] == 0
    assert ": paused, " in montego("tournament", "show", identifier)[1]
    assert montego("tournament", "resume", identifier)[0] == 0
    assert ": running, " in montego("tournament", "show", identifier)[1]
    assert montego("tournament", "cancel", identifier)[0] == 0
    assert ": cancelled, " in montego("tournament", "show", identifier)[1]
    code, _, err = montego("tournament", "pause", identifier)
    assert code == 1
    assert "(wrong_state)" in err


def test_a_bot_is_withdrawn_and_the_others_play_on(montego: Montego) -> None:
    names = ("greedy", "greedy-2", "random")
    identifier = montego("tournament", "create", *names, "--players", 2, "--deals", 5)[1].strip()
    assert montego("tournament", "withdraw", identifier, "greedy-2")[0] == 0
    code, out, _ = montego("tournament", "watch", identifier)
    assert code == 0
    assert ": finished, " in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("greedy",), "(invalid_request)"),
        (("greedy", "greddy"), "'greddy'"),
        (("greedy", "greedy"), "(invalid_request)"),
        (("greedy", "random", "--players", 2, "--move-ms", 0), "move_ms"),
        (("greedy", "random", "--players", 2, "--variant", "tally=moon"), "tally"),
    ],
)
def test_a_tournament_that_cannot_be_is_one_clear_line(
    montego: Montego, arguments: tuple[object, ...], words: str
) -> None:
    code, out, err = montego("tournament", "create", *arguments)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert words in err


def test_an_unknown_tournament_is_one_clear_line(montego: Montego) -> None:
    code, _, err = montego("tournament", "show", "nothing")
    assert (code, err.count("\n")) == (1, 1)
    assert "(not_found)" in err
