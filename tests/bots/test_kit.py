"""The Python kit as a distribution of its own: its command, its messages without msgspec, what its wheel contains."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from montego_bot import Ask, Bot, Choice, Commented, answer, cli, messages, read_ask, reading
from tests.benchmarks.builds import copy_sources
from tests.bots.positions import cards
from tests.test_architecture import imports_of

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "bots" / "python"
SOURCES = sorted((KIT / "montego_bot").glob("*.py"))
LAST = "def choose(ask):\n    return ask.legal_actions[-1]\n"


def test_messages_are_read_without_msgspec_as_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with_msgspec = read_ask(cards())
    monkeypatch.setattr(messages, "convert", reading.convert)
    monkeypatch.setattr(messages, "ValidationError", reading.ValidationError)
    assert read_ask(cards()) == with_msgspec


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"budget_ms": True}, r"Expected `int`, got `bool` - at `\$\.budget_ms`"),
        (
            {"decision": {"id": "1", "seat": "0", "type": "play"}},
            r"Expected `int`, got `str` - at `\$\.decision\.seat`",
        ),
        ({"decision": {"id": "1", "seat": 0}}, r"missing required field `type` - at `\$\.decision`"),
        ({"decision": {"id": "1", "seat": 0, "type": "sing"}}, r"Invalid enum value 'sing' - at `\$\.decision\.type`"),
        ({"legal_actions": [{"type": "decline"}, 7]}, r"Expected `object`, got `int` - at `\$\.legal_actions\[1\]`"),
        (
            {"legal_actions": [{"type": "load", "ships": {"s01": None}}]},
            r"at `\$\.legal_actions\[0\]\.ships\[\.\.\.\]`",
        ),
    ],
)
def test_without_msgspec_a_bad_member_is_named_by_its_path(change: dict[str, Any], path: str) -> None:
    with pytest.raises(reading.ValidationError, match=path):
        reading.convert(cards() | change, messages.Ask)


def test_a_comment_goes_with_the_action_and_is_cut_to_its_longest() -> None:
    class Talking(Bot):
        def act(self, ask: Ask) -> Choice:
            return Commented(ask.legal_actions[0], "x" * 1000)

    ask = read_ask(cards())
    sent = answer(Talking(), ask)
    assert sent == {"action": ask.legal_actions[0].to_json(), "comment": "x" * 500}


@pytest.mark.parametrize(
    "source",
    [
        LAST,
        LAST.replace("choose", "other") + "bot = other\n",
        "import montego_bot\n\nclass Mine(montego_bot.Bot):\n"
        "    def act(self, ask):\n        return len(ask.legal_actions) - 1\n",
    ],
)
def test_a_file_has_a_function_a_variable_or_a_class(tmp_path: Path, source: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(source)
    ask = read_ask(cards())
    assert answer(cli.load_bot(file), ask) == {"action": ask.legal_actions[-1].to_json()}


def test_a_file_without_a_bot_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text("x = 1\n")
    assert cli.main(["push", str(file)]) == 1
    assert "no function `choose`" in capsys.readouterr().err
    assert cli.main(["push", str(tmp_path / "absent.py")]) == 1
    assert "there is no file" in capsys.readouterr().err
    assert cli.main(["replay", str(file), "record.json", "the third"]) == 1
    assert "not the id of a decision" in capsys.readouterr().err


def test_the_kit_imports_no_more_than_it_asks_for() -> None:
    project = tomllib.loads((KIT / "pyproject.toml").read_text("utf-8"))["project"]
    assert [line.partition(">")[0] for line in project["dependencies"]] == ["requests", "standardwebhooks"]
    tops = {module.partition(".")[0] for path in SOURCES for module in imports_of(path)}
    assert tops - set(sys.stdlib_module_names) == {"montego_bot", "requests", "standardwebhooks", "msgspec"}


def test_the_kit_is_written_in_the_syntax_of_python_3_9() -> None:
    assert len(SOURCES) > 8
    for path in SOURCES:
        ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 9))


def built(project: Path, folder: Path) -> dict[str, bytes]:
    """The wheel and the source distribution, made from a copy of the project, by name."""
    copy = folder / "source"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "dist"))
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    command = [sys.executable, "-m", "build", "--outdir", str(folder / "out"), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in (folder / "out").iterdir()}


@pytest.mark.slow
def test_two_builds_of_the_kit_are_equal_to_the_last_byte(tmp_path: Path) -> None:
    first, second = built(KIT, tmp_path / "1"), built(KIT, tmp_path / "2")
    wheel, source = "montego_bot-0.1.0-py3-none-any.whl", "montego_bot-0.1.0.tar.gz"
    assert first.keys() == second.keys() == {wheel, source}
    assert first[wheel] == second[wheel]
    with zipfile.ZipFile(tmp_path / "1" / "out" / wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("montego_bot/")}
    assert names == {f"montego_bot/{path.name}" for path in [*SOURCES, KIT / "py.typed"]}


@pytest.mark.slow
def test_the_wheel_of_the_service_has_the_kit_and_leaves_out_what_only_the_repository_needs(tmp_path: Path) -> None:
    copy = tmp_path / "project"
    copy_sources(copy, ("service", "workers", "bots", "setup.py", "pyproject.toml", "README.md", "LICENSE"))
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"service/engine/game.py", "bots/greedy/bot.py", "montego_bot/push.py", "montego_bot/py.typed"} <= {*names}
    left_out = tuple(
        f"bots/{room}/" for room in ("action", "faulty", "python", "starters", "training", "tune", "typescript")
    )
    assert [name for name in names if name.startswith((*left_out, "tests/"))] == []


@pytest.mark.slow
def test_a_file_plays_against_a_reference_bot_by_one_command(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LAST)
    command = [sys.executable, "-m", "montego_bot", "play", "mine.py", "--against", "greedy", "--deals", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stderr
    assert "mine" in done.stdout
    assert "greedy" in done.stdout
