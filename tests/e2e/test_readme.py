"""The README's commands do what it says: its shell blocks and its bot are taken from it and run against a service."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import requests

from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.e2e.running_service import KEY, OrganiserClient

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NEEDED = ("curl", "jq", "sh")
MISSING = [program for program in NEEDED if shutil.which(program) is None]
with_curl = pytest.mark.skipif(bool(MISSING), reason=f"the README's games need {' and '.join(MISSING)}")


def block(language: str, words: str) -> str:
    """The one block of code in the README that contains these words."""
    found = [text for text in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL) if words in text]
    assert len(found) == 1, f"{len(found)} blocks of {language} have {words!r}"
    return str(found[0])


def played(script: str, folder: Path, **variables: str) -> list[str]:
    """Runs a script as a reader would paste it, and stops at the first command that fails; what it printed."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("URL", "PLAYERS")}
    done = subprocess.run(
        ["sh", "-e"],
        input=script,
        cwd=folder,
        env={**inherited, **variables},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def record_in(folder: Path) -> dict[str, Any]:
    """The record that a script has left, as `montego replay --verify` accepts it."""
    file = folder / "record.json"
    command = [sys.executable, "-m", "service.cli.main", "replay", "--verify", str(file)]
    verified = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert verified.returncode == 0, verified.stderr
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@with_curl
def test_the_first_steps_show_a_game_and_choose_cards(service: OrganiserClient, tmp_path: Path) -> None:
    script = block("sh", '"big":3,"little":5')
    assert "URL=http://127.0.0.1:8000\n" in script
    said = played(script.replace("http://127.0.0.1:8000", service.url), tmp_path)
    assert '{"type":"play","big":1,"little":1}' in said
    assert json.loads("".join(said[said.index('{"type":"play","big":5,"little":5}') + 1 :])) == {"big": 3, "little": 5}


@with_curl
@pytest.mark.parametrize(
    "players", [2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
def test_a_whole_game_is_played_with_curl(service: OrganiserClient, tmp_path: Path, players: int) -> None:
    said = played(block("sh", "PLAYERS"), tmp_path, URL=service.url, PLAYERS=str(players))
    record = record_in(tmp_path)
    assert record["players"] == players
    assert record["result"]["ended"] == "played"
    assert json.loads(said[-1]) == record["result"]
    # The script answers for the lowest seat first, and a record lists a round's cards so.
    assert [line.split()[0] for line in said[:-1]] == [entry["decision"] for entry in record["actions"]]
    assert {entry["by"] for entry in record["actions"]} == {"player"}


@with_curl
def test_a_whole_game_is_played_with_curl_against_seated_bots(service: OrganiserClient, tmp_path: Path) -> None:
    said = played(block("sh", '{"bot":"greedy"}'), tmp_path, URL=service.url)
    record = record_in(tmp_path)
    assert [seat["name"] for seat in record["seats"]] == ["player 0", "greedy", "random"]
    assert record["result"]["ended"] == "played"
    assert json.loads(said[-1]) == record["result"]
    assert [line.split()[0] for line in said[:-1]] == [
        entry["decision"] for entry in record["actions"] if entry["seat"] == 0
    ]
    assert {entry["fault"] for entry in record["actions"]} == {None}


@contextlib.contextmanager
def served(source: str, folder: Path) -> Iterator[None]:
    """Runs a program of a bot until the end."""
    file = folder / "mine.py"
    file.write_text(source, encoding="utf-8")
    paths: Mapping[str, str] = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, str(file)], cwd=folder, env=paths, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert "mine listens at" in process.stdout.readline()
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)


def test_the_bot_in_fifteen_lines_plays_a_tournament_without_a_fault(service: OrganiserClient, tmp_path: Path) -> None:
    source = block("python", "run_push")
    assert len([line for line in source.splitlines() if line.strip()]) <= 15
    assert "port=9001" in source
    port = free_port()
    key = {"Authorization": f"Bearer {KEY}"}
    mine = {"name": "mine", "kind": "push", "url": f"http://127.0.0.1:{port}"}
    with served(source.replace("port=9001", f"port={port}"), tmp_path):
        assert requests.post(f"{service.url}/v1/bots", json=mine, headers=key, timeout=10).status_code == 201
        wanted = {"name": "first", "bots": ["mine", "random", "greedy"], "players": 3}
        made = requests.post(f"{service.url}/v1/tournaments", json=wanted, headers=key, timeout=10).json()
        url = f"{service.url}/v1/tournaments/{made['tournament']}"
        over = wait_until(lambda: requests.get(url, timeout=10).json()["status"] == "finished", 90, pause=0.2)
        rows = requests.get(f"{url}/standings", timeout=10).json()["standings"]
    assert over, rows
    row = next(row for row in rows if row["name"] == "mine")
    assert (row["matches"], row["not_started"], set(row["faults"].values())) == (3, 0, {0})


def test_every_target_of_make_that_the_readme_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets
