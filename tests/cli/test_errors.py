"""Whatever goes wrong is one clear line."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from importlib.metadata import version

import pytest

from service.processes.ports import free_port
from tests.cli.conftest import Montego, Ran, Scripted


def _one_line(ran: Ran) -> str:
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("Error: ")
    return ran.err.removeprefix("Error: ").rstrip("\n")


def test_the_version_is_that_of_the_package(montego: Montego) -> None:
    ran = montego("--version")
    assert (ran.code, ran.out) == (0, f"montego, version {version('montego-bay')}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["up", "--port", "70000"], "70000 is not in the range"),
        (["up", "--port", "eighty"], "'eighty' is not a valid integer"),
        (["demo", "--players", "5"], "5 is not in the range 2<=x<=4"),
        (["demo", "--against", "http://127.0.0.1:1"], "--against needs at least one --bot"),
        (["demo", "--bot", "greedy=http://127.0.0.1:1"], "--bot needs --against"),
        (["demo", "--against", "ftp://x", "--bot", "a=http://x"], "'ftp://x' is not an address such as"),
        (["tournament", "create"], "a tournament needs bots, or --images"),
        (["tournament", "create", "a", "b", "--variant", "tally"], "'tally' is not NAME=VALUE"),
        (["keys", "create", "--role", "king", "--name", "x"], "'king' is not one of"),
        (["bots", "register", "x"], "either the URL of the bot or --poll"),
        (["bots", "list", "--url", "127.0.0.1:8000"], "'127.0.0.1:8000' is not an address such as"),
        (["bots", "list", "--url", "http://127.0.0.1:99999"], "is not an address such as"),
        (["replay", "a", "b"], "several only with --verify"),
        (["worker", "--processes", "0"], "0 is not in the range"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(montego: Montego, arguments: list[str], words: str) -> None:
    ran = montego(*arguments)
    assert ran.code == 2
    line = _one_line(ran)
    assert words in line
    assert "--help)" in line


def test_a_service_that_is_not_there_is_one_line(montego: Montego) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        ran = montego("bots", "list", "--url", url)
    assert ran.code == 1
    assert _one_line(ran) == f"{url} does not answer: connection refused (is the service running?)"


def test_a_port_in_use_is_one_line(montego: Montego) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for command in (("up",), ("serve",), ("bot", "random")):
            ran = montego(*command, "--port", port)
            assert ran.code == 1
            assert f"cannot listen at 127.0.0.1 port {port}: Address already in use" in ran.err
            assert ran.err.count("Error:") == 1
            assert "Traceback" not in ran.err


def test_a_redis_that_is_given_and_not_there_is_one_line(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        port = taken.getsockname()[1]
        monkeypatch.setenv("REDIS_URL", f"redis://:secret@127.0.0.1:{port}/0")
        ran = montego("demo")
    assert ran.code == 1
    assert f"Error: REDIS_URL: nothing answers at 127.0.0.1:{port} (Connection refused)\n" in ran.err
    assert "secret" not in ran.err


def test_a_redis_url_that_is_none_is_one_line(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("127.0.0.1:6379", "http://:secret@127.0.0.1/"):
        monkeypatch.setenv("REDIS_URL", url)
        for command in (("up", "--port", free_port()), ("serve", "--port", free_port()), ("worker",)):
            ran = montego(*command)
            assert ran.code == 1
            assert ran.err.splitlines()[-1].startswith("Error: REDIS_URL must begin with one of redis://, rediss://, ")
            assert "secret" not in ran.err


def test_a_setting_that_cannot_be_used_is_one_line(montego: Montego, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTEGO_API_PROCESSES", "many")
    for command in ("serve", "worker"):
        ran = montego(command)
        assert ran.code == 1
        assert "MONTEGO_API_PROCESSES must be a whole number" in _one_line(ran)


def test_a_problem_is_its_detail_its_fields_and_its_code(montego: Montego, scripted: Scripted) -> None:
    problem = {
        "title": "Unprocessable",
        "detail": "the body cannot be used",
        "code": "invalid_request",
        "errors": {"bots": {"1": ["no bot is called \x1b[31mgreddy"]}, "_schema": ["unfit"]},
    }
    scripted.on("POST /v1/tournaments", 422, problem, Content_Type="application/problem+json")
    ran = montego("tournament", "create", "greedy", "greddy", "--url", scripted.url)
    assert ran.code == 1
    assert _one_line(ran) == ("the body cannot be used; bots.1: no bot is called [31mgreddy; unfit (invalid_request)")


def test_what_the_detail_says_of_a_field_is_said_once(montego: Montego, scripted: Scripted) -> None:
    problem = {
        "detail": "bots.1: There is no bot 'greddy'.",
        "code": "invalid_request",
        "errors": {"bots": {"1": ["There is no bot 'greddy'."]}, "deals": ["Too many."]},
    }
    scripted.on("POST /v1/tournaments", 422, problem, Content_Type="application/problem+json")
    ran = montego("tournament", "create", "greedy", "greddy", "--url", scripted.url)
    assert _one_line(ran) == "bots.1: There is no bot 'greddy'.; deals: Too many. (invalid_request)"


def test_an_answer_that_is_no_json_is_one_line(montego: Montego, scripted: Scripted) -> None:
    scripted.on("GET /v1/bots", 200, b"<html>")
    ran = montego("bots", "list", "--url", scripted.url)
    assert ran.code == 1
    assert "is not JSON; is this a Montego Bay service?" in _one_line(ran)


def test_another_kind_of_service_is_one_line(montego: Montego, scripted: Scripted) -> None:
    scripted.on("GET /v1/bots", 200, {"bots": []})
    ran = montego("bots", "list", "--url", scripted.url)
    assert "is not a list; is this a Montego Bay service?" in _one_line(ran)


def test_a_bug_shows_its_traceback_only_when_asked_for() -> None:
    program = (
        "import sys, click; from service.cli import main\n"
        "main.cli.add_command(click.command('broken')(lambda: [].pop()))\n"
        "sys.exit(main.run(['broken']))\n"
    )
    for debug in ("", "1"):
        ran = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "MONTEGO_DEBUG": debug},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 1
        assert "Error: this is a bug: IndexError: pop from empty list" in ran.stderr
        assert ("Traceback" in ran.stderr) == bool(debug)


def test_a_reader_that_goes_away_is_not_complained_about() -> None:
    command = [sys.executable, "-m", "service.cli.main", "settings"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.close()
    _, said = program.communicate(timeout=60)
    assert said == b""
