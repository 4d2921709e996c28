"""docs/bots.md as a new user follows it: every command and program of its first part is run as it stands there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.e2e.running_service import KEY, OrganiserClient

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "bots.md").read_text("utf-8").partition("## The ask")[0]


def blocks(kind: str) -> list[str]:
    """The fenced blocks of that language, in order."""
    return re.findall(rf"^```{kind}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def block_with(kind: str, words: str) -> str:
    return next(block for block in blocks(kind) if words in block)


class UserShell:
    """Where the new user sits: a folder, a shell with what the guide has exported, and bots left running."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self._environ = {
            **os.environ,
            "MONTEGO_URL": url,
            "MONTEGO_ORGANISER_KEY": KEY,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }

    def sh(self, command: str) -> str:
        """What a command of the guide prints; it must succeed."""
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self._environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def answer(self, command: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.sh(command))
        return found

    @contextmanager
    def left_running(self, *command: str, **environ: str) -> Iterator[None]:
        """A program in a terminal of its own."""
        with subprocess.Popen(
            command, cwd=self.folder, env={**self._environ, **environ}, stdout=subprocess.DEVNULL
        ) as process:
            try:
                yield
            finally:
                process.terminate()

    def play(self, *bots: str) -> dict[str, dict[str, Any]]:
        """The tournament of the guide with these bots for `mine`; its rows at the end."""
        names = json.dumps([*bots, "random", "greedy"])
        command = block_with("sh", "/v1/tournaments -H").replace('["mine","random","greedy"]', names)
        made = self.answer(command)
        path = f"{self.url}/v1/tournaments/{made['tournament']}"
        assert wait_until(lambda: requests.get(path, timeout=10).json()["status"] == "finished", 120, pause=0.2)
        assert self.answer(f"curl -s $MONTEGO_URL/v1/tournaments/{made['tournament']}/matches")["items"]
        found = self.answer(f"curl -s $MONTEGO_URL/v1/tournaments/{made['tournament']}/standings")
        return {row["name"]: row for row in found["standings"]}


@pytest.fixture(scope="module")
def shell(service: OrganiserClient, tmp_path_factory: pytest.TempPathFactory) -> UserShell:
    return UserShell(tmp_path_factory.mktemp("shell"), service.url)


def can_play(report: str) -> bool:
    """Whether a check found nothing to fix. On a busy machine it may advise a bot to answer sooner."""
    return "ready: nothing to fix" in report or "fair: it can play" in report


def faultless(row: dict[str, Any]) -> bool:
    return row["matches"] > 0 and not sum(row["faults"].values()) and not row["forfeits"]


def test_the_bot_in_python_is_checked_registered_and_plays(shell: UserShell) -> None:
    port = str(free_port())
    (shell.folder / "mine.py").write_text(block_with("python", "run_push(choose").replace("9001", port), "utf-8")
    with shell.left_running(sys.executable, "mine.py"):
        url = f"http://127.0.0.1:{port}"
        assert wait_until(lambda: is_up(url), 15, pause=0.1)
        assert can_play(shell.sh(block_with("sh", "montego check").replace("9001", port)))
        made = shell.answer(block_with("sh", '"kind":"push"').replace("9001", port))
        assert made["secret"].startswith("whsec_")
        assert faultless(shell.play("mine")["mine"])
        last = block_with("sh", "montego bots faults").splitlines()
        commands = [line.partition("#")[0] for line in last if line.startswith("montego bots")]
        assert len(commands) == 2
        for command in commands:
            shell.sh(command)


def test_the_same_bot_polls(shell: UserShell) -> None:
    source = block_with("python", "run_push(choose")
    poll = block_with("python", "run_poll(choose").replace("http://127.0.0.1:8000", shell.url)
    (shell.folder / "mine_poll.py").write_text(source.partition("if __name__")[0] + poll, "utf-8")
    command = block_with("sh", '"kind":"push"')
    body = '{"name":"mine-poll","kind":"poll"}'
    assert body in GUIDE
    made = shell.answer(re.sub(r"-d '.*'", f"-d '{body}'", command))
    with shell.left_running(sys.executable, "mine_poll.py", MONTEGO_BOT_TOKEN=made["token"]):
        path = f"{shell.url}/v1/bots/{made['bot']}"
        assert wait_until(lambda: requests.get(path, timeout=10).json()["status"] == "online", 15, pause=0.1)
        assert faultless(shell.play("mine-poll")["mine-poll"])


@pytest.mark.skipif(shutil.which("node") is None, reason="push.js needs node, which this machine does not have")
def test_the_bot_in_javascript_checks_signatures_and_plays(shell: UserShell) -> None:
    example = (ROOT / "bots" / "starters" / "javascript" / "push.js").read_text("utf-8")
    idea = block_with("js", "function choose(ask)")
    source, replaced = re.subn(
        r"^(//[^\n]*\n)*function choose\(ask\) \{.*?^\}\n", lambda _: idea, example, flags=re.MULTILINE | re.DOTALL
    )
    assert replaced == 1
    (shell.folder / "mine.js").write_text(source, "utf-8")
    port = str(free_port())
    check, register = block_with("sh", "register mine-js").replace("9002", port).splitlines()
    with shell.left_running("node", "mine.js", port):
        assert wait_until(lambda: is_up(f"http://127.0.0.1:{port}"), 15, pause=0.1)
        assert can_play(shell.sh(check))
    secret = re.findall(r"^secret +(whsec_\S+)$", shell.sh(register), re.MULTILINE)[0]
    with shell.left_running("node", "mine.js", port, MONTEGO_BOT_SECRET=secret):
        assert wait_until(lambda: is_up(f"http://127.0.0.1:{port}"), 15, pause=0.1)
        checked = shell.sh("montego bots check mine-js")
        assert can_play(checked)
        assert "An ask with a wrong signature is refused." in checked
        assert faultless(shell.play("mine-js")["mine-js"])


def is_up(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).ok
    except requests.RequestException:
        return False
