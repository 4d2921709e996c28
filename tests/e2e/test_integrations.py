"""What docs/integrations.md shows works, and the GitHub Action's script reports what it finds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from service.processes.ports import free_port
from tests import event_loop
from tests.e2e.running_service import KEY, OrganiserClient
from tests.e2e.terminal import OWN_SETTINGS

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "integrations.md").read_text("utf-8")
ACTION = ROOT / "bots" / "action"
BOT = """
import os
from montego_bot import run_push

run_push(lambda ask: {choice}, port=int(os.environ["PORT"]), name="mine")
"""


def snippets(kind: str) -> list[str]:
    """The guide's blocks of one language."""
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)


def ran(command: list[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A program that has run in the project's folder, with `montego` on its path."""
    kept = {name: value for name, value in os.environ.items() if name not in OWN_SETTINGS}
    path = f"{Path(sys.executable).parent}:{kept['PATH']}"
    more = {"PATH": path, "MONTEGO_WORKER_PROCESSES": "2", **environ}
    return subprocess.run(
        command, check=False, cwd=ROOT, env={**kept, **more}, capture_output=True, text=True, timeout=150
    )


def acted(tmp_path: Path, start: str, **environ: str) -> tuple[int, str]:
    """Exit status and report of the action's script."""
    ports = {"BOT_PORT": str(free_port()), "API_PORT": str(free_port())}
    report, summary = tmp_path / "report.md", tmp_path / "summary.md"
    found = ran(
        ["bash", str(ACTION / "check_and_play.sh")],
        {"START": start, "REPORT": str(report), "GITHUB_STEP_SUMMARY": str(summary), **ports, **environ},
    )
    assert summary.read_text("utf-8") == report.read_text("utf-8"), found.stderr
    return found.returncode, report.read_text("utf-8")


def test_the_action_checks_a_bot_and_plays_it(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT.replace("{choice}", "0"), "utf-8")
    code, report = acted(tmp_path, f"{sys.executable} {bot}", OPPONENTS="random", DEALS="1")
    assert code == 0, report
    assert "each decision" in report
    assert "mine against random: finished, 2 matches (2 finished)" in report
    assert "No faults." in report


@pytest.mark.slow
def test_the_action_fails_for_a_bot_that_answers_illegally(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT.replace("{choice}", "9999"), "utf-8")
    code, report = acted(tmp_path, f"{sys.executable} {bot}", OPPONENTS="random", DEALS="1")
    assert code == 1
    assert "faulty" in report
    assert "**Faults**" in report


def test_the_action_fails_for_a_bot_that_does_not_come_up(tmp_path: Path) -> None:
    code, report = acted(tmp_path, "echo no such module; exit 3")
    assert code == 1
    assert "The bot did not come up" in report
    assert "no such module" in report


def test_the_action_hands_every_input_on_and_the_guide_names_only_inputs_that_there_are() -> None:
    text = (ACTION / "action.yml").read_text("utf-8")
    declared = set(re.findall(r"^  ([a-z]+):$", text.split("runs:")[0], re.MULTILINE))
    assert declared == {"start", "opponents", "players", "deals", "python", "comment"}
    assert declared == set(re.findall(r"inputs\.([a-z]+)", text))
    [workflow] = snippets("yaml")
    assert set(re.findall(r"([a-z]+): \"", workflow)) <= declared


@pytest.mark.slow
def test_the_guides_command_for_the_action_works_without_github(tmp_path: Path) -> None:
    command, _ = snippets("sh")
    report = tmp_path / "report.md"
    found = ran(
        ["bash", "-c", command],
        {"REPORT": str(report), "BOT_PORT": str(free_port()), "API_PORT": str(free_port())},
    )
    assert found.returncode == 0, found.stdout
    assert "12 matches (12 finished)" in report.read_text("utf-8")


def test_the_guides_command_for_discord_is_taken(service: OrganiserClient) -> None:
    _, curl = snippets("sh")
    environ = {"MONTEGO_URL": service.url, "MONTEGO_KEY": KEY}
    created = json.loads(ran(["bash", "-c", curl], environ).stdout)
    assert created["status"] == "open"
    assert created["callback_secret"].startswith("whsec_")


def test_the_guides_mcp_server_starts(service: OrganiserClient) -> None:
    mcp = pytest.importorskip("mcp", reason="needs the extra mcp")
    configuration, _ = snippets("json")
    server = json.loads(configuration)["mcpServers"]["montego-bay"]
    command = str(Path(sys.executable).parent / server["command"])
    started = mcp.StdioServerParameters(command=command, args=server["args"], env={"MONTEGO_URL": service.url})

    async def games() -> object:
        async with mcp.Client(started) as client:
            return (await client.call_tool("list_games", {})).structured_content

    assert "items" in str(event_loop.run(games()))
