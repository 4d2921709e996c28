"""`montego --help`, and what each command loads."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import click
import pytest

from service.cli.main import COMMANDS
from tests.cli.conftest import Montego

NUMERIC = {"choix", "numpy", "scipy"}
SERVERS = {"flask", "gevent", "gunicorn", "marshmallow", "redis", "rq"}
SLOW = NUMERIC | SERVERS | {"jinja2", "requests", "rich"}


def loaded_by(*arguments: str) -> set[str]:
    """Which of the slow libraries a command line imports."""
    program = (
        "import sys\n"
        "from service.cli.main import run\n"
        "code = run(sys.argv[1:])\n"
        f"print(*[name for name in {sorted(SLOW)} if name in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.split())


def test_the_list_of_commands_loads_none_of_them() -> None:
    assert loaded_by("--help") == set()


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"check", "ask", "rungs", "worker"}))
def test_a_command_loads_no_numeric_or_server_library_before_it_runs(name: str) -> None:
    allowed = {"flask"} if name == "bot" else set()
    assert loaded_by(name, "--help") & (NUMERIC | SERVERS) <= allowed


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_the_list_says_and_describes_itself(montego: Montego, name: str) -> None:
    command = pkgutil.resolve_name(COMMANDS[name][0])
    assert isinstance(command, click.Command)
    assert command.name == name
    ran = montego(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: montego {name} ")


def test_a_group_without_a_command_shows_its_help(montego: Montego) -> None:
    ran = montego("tournament")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: montego tournament ")
    assert "\n  create " in ran.err
