"""`montego bot`: serves, polls, ends when told to, and says in one line what is wrong."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import requests

from bots.reference import RUNGS, make_bot
from montego_bot import running
from tests.bots.poll_service import PollService
from tests.bots.positions import cards
from tests.cli.conftest import Montego

TIMEOUT = 30
MONTEGO_BOT = (sys.executable, "-m", "service.cli.main", "bot")
SECRET = "whsec_" + "c2VjcmV0IHNlY3JldCBzZWNyZXQh"


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("MONTEGO_")} | more


@contextmanager
def started(*arguments: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the first line that it prints."""
    command = [*MONTEGO_BOT, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(**variables)) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def refused(montego: Montego, *arguments: object) -> str:
    """The one line that says why a bot cannot be started."""
    ran = montego("bot", *arguments)
    assert ran.code != 0
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    return ran.err


@pytest.mark.parametrize("rung", [rung.name for rung in RUNGS])
def test_every_rung_is_served(rung: str) -> None:
    with started(rung, "--port", "0") as (_, line):
        url = line.split()[-1]
        assert line == f"{rung} listens at {url}"
        assert requests.get(url, timeout=TIMEOUT).json()["name"] == rung
        answer = requests.post(url + "/act", json=cards(), timeout=TIMEOUT).json()
        assert answer["action"] in cards()["legal_actions"]


def test_a_number_behind_the_name_is_another_bot_of_that_rung() -> None:
    one, two = make_bot("random"), make_bot("random-2")
    assert (one.name, two.name) == ("random", "random-2")
    assert type(one) is type(two)
    assert getattr(one, "seed", None) != getattr(two, "seed", None)


def test_name_and_seed_can_be_given() -> None:
    bot = make_bot("greedy-2", name="rosa", seed="7")
    assert (bot.name, getattr(bot, "seed", None)) == ("rosa", "7")


def test_a_secret_in_the_environment_turns_signatures_on() -> None:
    with started("random", "--port", "0", MONTEGO_BOT_SECRET=SECRET) as (_, line):
        assert requests.post(line.split()[-1] + "/act", json=cards(), timeout=TIMEOUT).status_code == 401


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_to(sign: signal.Signals) -> None:
    with started("greedy", "--port", "0") as (process, line):
        url = line.split()[-1]
        with requests.Session() as session:
            # A kept connection holds nothing up.
            session.get(url, timeout=TIMEOUT)
            process.send_signal(sign)
            assert process.wait(TIMEOUT) == 0


def test_it_polls_a_service_until_the_game_is_over() -> None:
    service = PollService(2, "command")
    with (
        running(service.app) as url,
        started("greedy", "--poll", url, MONTEGO_BOT_TOKEN=service.tokens[0]) as (process, line),
        started("random", "--poll", url, MONTEGO_BOT_TOKEN=service.tokens[1]),
    ):
        assert line == f"greedy polls {url}"
        assert service.over.wait(TIMEOUT)
        process.terminate()
        assert process.wait(TIMEOUT) == 0


def test_an_unknown_name_is_answered_with_the_known_ones(montego: Montego) -> None:
    line = refused(montego, "gredy")
    assert "'gredy'" in line
    assert all(rung.name in line for rung in RUNGS)


def test_a_port_in_use_is_named(montego: Montego) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused(montego, "random", "--port", str(port))
    assert str(port) in line
    assert "in use" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["random", "--port", "99999"], "99999"),
        (["random", "--port", "-1"], "-1"),
        (["random", "--host", "no.such.host.invalid"], "no.such.host.invalid"),
        (["random", "--name", "A B"], "A B"),
        (["random", "--poll", "http://127.0.0.1:9"], "MONTEGO_BOT_TOKEN"),
        (["random", "--iterations", "10"], "does not search"),
        (["duct", "--iterations", "10", "--by-clock"], "exclude each other"),
        ([], "NAME"),
    ],
)
def test_what_cannot_be_is_one_clear_line(montego: Montego, arguments: list[str], said: str) -> None:
    assert said in refused(montego, *arguments)


def test_a_bad_secret_is_one_clear_line(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTEGO_BOT_SECRET", "hush")
    assert "whsec_" in refused(montego, "random", "--port", "0")


def test_an_unknown_token_is_one_clear_line(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTEGO_BOT_TOKEN", "nobody's")
    with running(PollService(2, "refused").app) as url:
        ran = montego("bot", "random", "--poll", url)
    assert ran.code == 1
    assert ran.err.startswith("Error: ")
    assert "401 unauthorized" in ran.err
