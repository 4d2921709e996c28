"""`montego ladder`, as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bots.reference import RUNGS as REFERENCE
from service.cli.rungs import RUNGS


def montego(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "service.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_line_knows_every_rung_above_the_lowest() -> None:
    assert tuple(rung.name for rung in REFERENCE[1:]) == RUNGS


def test_the_ladder_is_played_from_the_command_line(tmp_path: Path) -> None:
    written = tmp_path / "ladder.json"
    done = montego("ladder", "--to", "greedy", "--deals", "4", "--processes", "1", "--json", str(written))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("greedy") == 3
    assert [line["deals"] for line in json.loads(written.read_text())] == [4, 4, 4]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--quick", "--depth"), "exclude each other"),
        (("--quick", "--from", "duct"), "exclude each other"),
        (("--from", "duct", "--to", "greedy"), "--from duct is above --to greedy"),
        (("--deals", "0"), "--deals"),
    ],
)
def test_what_cannot_be_played_is_one_line(arguments: tuple[str, ...], said: str) -> None:
    done = montego("ladder", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
