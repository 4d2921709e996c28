"""The starters that are compiled first play a game each: a push bot over HTTP, the one in Rust over standard input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bots.random_bot import RandomBot
from montego_bot import answer as answer_of
from montego_bot import read_ask
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.bots.poll_service import PollService
from tests.bots.test_push import SECRET
from tests.bots.test_starters import STARTERS, TIMEOUT, check_signatures, is_up, play_a_game

pytestmark = pytest.mark.slow

BUILD_S = 170
BUILDS = {
    "typescript": (["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"], ["npm", "run", "build"]),
    "go": (["go", "build", "-o", "mine", "."],),
    # .NET is not in Debian. Mono's compiler takes the same file.
    "csharp": (["mcs", "Push.cs"],),
    "rust": (["cargo", "build", "--release", "--locked", "--offline"],),
}
STARTS = {
    "typescript": ["node", "push.js"],
    "go": ["./mine"],
    "csharp": ["mono", "Push.exe"],
    "rust": ["target/release/mine"],
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where copies of the starters are built."""
    return tmp_path_factory.mktemp("starters")


def built(folders: Path, language: str) -> Path:
    """The copy of a starter in which it was built; skips the test where its compiler is absent."""
    folder = folders / language
    if folder.exists():
        return folder
    for program in (BUILDS[language][0][0], STARTS[language][0]):
        if "/" not in program and shutil.which(program) is None:
            pytest.skip(f"the starter in {language} needs {program}, which this machine does not have")
    shutil.copytree(STARTERS / language, folder)
    for command in BUILDS[language]:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=BUILD_S)
        if command[:2] == ["npm", "install"] and done.returncode:
            pytest.skip("the compiler of TypeScript cannot be had from npm")
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@contextmanager
def serving(folder: Path, **variables: str) -> Iterator[str]:
    port = str(free_port())
    process = subprocess.Popen([*STARTS[folder.name], port], cwd=folder, env={**os.environ, **variables})
    try:
        url = f"http://127.0.0.1:{port}"
        assert wait_until(lambda: is_up(url), TIMEOUT, pause=0.1)
        yield url
    finally:
        process.kill()
        process.wait()


PUSH = sorted(set(STARTS) - {"rust"})


@pytest.mark.parametrize("language", PUSH)
def test_a_compiled_push_starter_plays_a_game(folders: Path, language: str) -> None:
    with serving(built(folders, language)) as url:
        play_a_game(url)


@pytest.mark.parametrize("language", PUSH)
def test_a_compiled_push_starter_checks_signatures(folders: Path, language: str) -> None:
    with serving(built(folders, language), MONTEGO_BOT_SECRET=f"{SECRET}\n") as url:
        check_signatures(url)


def test_the_starter_in_rust_plays_a_game_over_standard_input(folders: Path) -> None:
    folder = built(folders, "rust")
    service, other = PollService(2, "starter-rust"), RandomBot()
    with subprocess.Popen(
        STARTS["rust"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        chosen = set()
        while not service.over.is_set():
            for decision, ask in service.open_asks():
                if ask["decision"]["seat"] == 0:
                    process.stdin.write(json.dumps(ask) + "\n")
                    process.stdin.flush()
                    index = json.loads(process.stdout.readline())["index"]
                    chosen.add(index)
                    action = ask["legal_actions"][index]
                else:
                    action = answer_of(other, read_ask(ask))["action"]
                service.settle(decision, action)
        process.stdin.close()
        assert process.wait(TIMEOUT) == 0
    assert len(chosen) > 1, "it draws"
