"""Every starter plays a whole game against random, over the transport that it is written for."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests

import bots
from bots.random_bot import RandomBot
from montego_bot import Poller, read_ask, running
from montego_bot import answer as answer_of
from service.processes.ports import free_port
from service.processes.supervisor import wait_until
from tests.bots.poll_service import PollService
from tests.bots.positions import cards
from tests.bots.test_push import SECRET, signed
from tests.pollers import running_pollers

STARTERS = Path(bots.__path__[0]) / "starters"
TIMEOUT = 60
PUSH = {"push.py": sys.executable, "push.js": "node", "Push.java": "java"}
POLL = {"poll.py": sys.executable, "poll.pl": "perl", "poll.sh": "sh"}
ALSO = {"poll.sh": ("curl", "jq")}
COMPILED = {"typescript": ("npm", "node"), "go": ("go",), "csharp": ("dotnet",), "rust": ("cargo",)}
"""Folders whose bots are compiled first, and what that needs. tests/bots/test_compiled_starters.py plays them."""


def source_of(name: str) -> Path:
    """The file of a starter, in the folder of its language."""
    (found,) = STARTERS.glob(f"*/{name}")
    return found


def command(name: str) -> list[str]:
    """How a starter is started; skips the test where its runtime is absent."""
    runtime = (PUSH | POLL)[name]
    for program in (runtime, *ALSO.get(name, ())):
        if shutil.which(program) is None:
            pytest.skip(f"{name} needs {program}, which this machine does not have")
    return [runtime, str(source_of(name))]


@contextmanager
def started(name: str, argument: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MONTEGO_")} | variables
    process = subprocess.Popen(
        [*command(name), argument], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def serving(name: str, **variables: str) -> Iterator[str]:
    with started(name, "0", **variables) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]


@pytest.mark.parametrize("name", sorted(PUSH | POLL))
def test_a_starter_is_short(name: str) -> None:
    assert len(source_of(name).read_text().splitlines()) < 100


@pytest.mark.parametrize("name", sorted(PUSH))
def test_a_push_starter_plays_a_game(name: str) -> None:
    with serving(name) as url:
        play_a_game(url)


def play_a_game(url: str) -> None:
    """A game of two of the push bot that is served there and random."""
    service, other = PollService(2, "starter"), RandomBot()
    with requests.Session() as session:
        told = session.get(url + "/", timeout=TIMEOUT).json()
        assert told["protocol"] == "montego-bay/1"
        assert session.post(url + "/start", json={}, timeout=TIMEOUT).status_code == 200
        while not service.over.is_set():
            for decision, ask in service.open_asks():
                if ask["decision"]["seat"] == 0:
                    answer = session.post(url + "/act", json=ask, timeout=TIMEOUT).json()
                    action = answer["action"] if "action" in answer else ask["legal_actions"][answer["index"]]
                else:
                    action = answer_of(other, read_ask(ask))["action"]
                service.settle(decision, action)
        assert session.post(url + "/end", json={}, timeout=TIMEOUT).status_code == 200
        assert session.get(url + "/nothing", timeout=TIMEOUT).status_code == 404


@pytest.mark.parametrize("name", sorted(PUSH))
def test_a_push_starter_checks_signatures(name: str) -> None:
    with serving(name, MONTEGO_BOT_SECRET=SECRET) as url:
        check_signatures(url)


def check_signatures(url: str) -> None:
    """What the push bot does that is served there with the secret: signed asks are answered, others refused."""
    body = requests.Request("POST", "http://bot", json=cards()).prepare().body
    assert isinstance(body, bytes)
    good = signed(body)
    refused = [
        {},
        good | {"webhook-id": "g2_2-play-0-0"},
        good | {"webhook-timestamp": str(int(good["webhook-timestamp"]) - 400)},
        good | {"webhook-timestamp": "soon"},
        good | {"webhook-signature": "v1,AAAA"},
        good | {"webhook-signature": "v2," + good["webhook-signature"].split(",")[1]},
    ]
    assert requests.get(url, timeout=TIMEOUT).status_code == 200
    two = good | {"webhook-signature": "v1,AAAA " + good["webhook-signature"]}
    for headers in (good, two):
        assert requests.post(url + "/act", data=body, headers=headers, timeout=TIMEOUT).status_code == 200
    for headers in refused:
        assert requests.post(url + "/act", data=body, headers=headers, timeout=TIMEOUT).status_code == 401


@pytest.mark.parametrize("name", sorted(POLL))
def test_a_poll_starter_plays_a_game(name: str) -> None:
    service = PollService(2, f"starter-{name}")
    with (
        running(service.app) as url,
        started(name, url, MONTEGO_BOT_TOKEN=service.tokens[0]),
        running_pollers([Poller(RandomBot(), url, service.tokens[1], wait=1)]),
    ):
        assert service.over.wait(TIMEOUT)
    assert service.refused == []


@pytest.mark.parametrize("name", sorted(POLL))
def test_a_poll_starter_ends_when_its_token_is_refused(name: str) -> None:
    with running(PollService(2, "token").app) as url, started(name, url, MONTEGO_BOT_TOKEN="nobody's") as process:
        assert process.wait(TIMEOUT) != 0
        assert process.stderr is not None
        assert "unauthorized" in process.stderr.read()


@pytest.mark.parametrize("name", sorted(POLL))
def test_a_token_with_a_line_end_is_used_without_it_and_one_that_cannot_be_sent_is_not_shown(name: str) -> None:
    service = PollService(2, f"trimmed-{name}")
    with running(service.app) as url:
        with started(name, url, MONTEGO_BOT_TOKEN=service.tokens[0] + "\n"):
            assert wait_until(lambda: bool(service.versions), TIMEOUT)
        with started(name, url, MONTEGO_BOT_TOKEN="hush\nhush") as process:
            out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode != 0
    assert "hush" not in out + err


@pytest.mark.parametrize("name", sorted(PUSH))
def test_a_secret_with_a_line_end_is_used_without_it(name: str) -> None:
    body = requests.Request("POST", "http://bot", json=cards()).prepare().body
    assert isinstance(body, bytes)
    with serving(name, MONTEGO_BOT_SECRET=f"{SECRET}\n") as url:
        assert requests.post(url + "/act", data=body, headers=signed(body), timeout=TIMEOUT).status_code == 200
        assert requests.post(url + "/act", data=body, timeout=TIMEOUT).status_code == 401


def test_each_folder_stands_alone() -> None:
    folders = sorted(path for path in STARTERS.iterdir() if path.is_dir())
    assert {source_of(name).parent for name in PUSH | POLL} | {STARTERS / name for name in COMPILED} == set(folders)
    for folder in folders:
        for name in ("README.md", "Dockerfile", ".github/workflows/check.yml"):
            assert (folder / name).is_file(), f"{folder.name} has no {name}"
        copied = re.findall(r"^COPY (\S+) \./$", (folder / "Dockerfile").read_text(), re.MULTILINE)
        assert copied
        assert all((folder / name).is_file() for name in copied)


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted({*COMPILED, *(source_of(name).parent.name for name in PUSH | POLL)}))
def test_the_workflow_of_a_starter_checks_its_bot(folder: str, tmp_path: Path) -> None:
    for program in COMPILED.get(folder, ()):
        if shutil.which(program) is None:
            pytest.skip(f"the starter in {folder} needs {program}, which this machine does not have")
    for name in PUSH | POLL:
        if source_of(name).parent.name == folder:
            command(name)  # skips where the runtime is absent
    shutil.copytree(STARTERS / folder, tmp_path, dirs_exist_ok=True)
    workflow = (tmp_path / ".github/workflows/check.yml").read_text()
    # The ports of the workflow may be in use on this machine.
    for port in ("9001", "8000"):
        workflow = workflow.replace(port, str(free_port()))
    text = textwrap.dedent(workflow.partition("        run: |\n")[2])
    variables = dict(re.findall(r"^          (MONTEGO_\w+): (\S+)$", workflow, re.MULTILINE))
    environ = os.environ | variables | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen(
        ["bash", "-e", "-c", text], cwd=tmp_path, env=environ, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as step:
        try:
            out, _ = step.communicate(timeout=150)
        finally:
            # Also what a step that failed has left running.
            with suppress(ProcessLookupError):
                os.killpg(step.pid, signal.SIGTERM)
    assert step.returncode == 0, out
    assert re.search(r"^(ready|fair): ", out, re.MULTILINE), out


def docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted({source_of(name).parent.name for name in PUSH}))
def test_the_image_of_a_push_starter_is_built_and_passes_the_check(folder: str) -> None:
    if shutil.which("docker") is None or docker("version").returncode:
        pytest.skip("there is no Docker that answers")
    base = (STARTERS / folder / "Dockerfile").read_text().split()[1]
    if docker("image", "inspect", base).returncode:
        pytest.skip(f"there is no image {base} here")
    image, container, port = f"montego-starter-{folder}", f"montego-starter-{folder}-{os.getpid()}", str(free_port())
    built = docker("build", "--network", "none", "--tag", image, str(STARTERS / folder))
    assert built.returncode == 0, built.stderr
    words = (STARTERS / folder / "Dockerfile").read_text().rpartition("CMD ")[2]
    start = [port if word == "9001" else word for word in json.loads(words)]
    run = docker("run", "--detach", "--rm", "--init", "--network", "host", "--name", container, image, *start)
    assert run.returncode == 0, run.stderr
    try:
        url = f"http://127.0.0.1:{port}"
        assert wait_until(lambda: is_up(url), TIMEOUT, pause=0.1), docker("logs", container).stderr
        checked = subprocess.run(
            [sys.executable, "-m", "service.cli.main", "check", url], capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr
    finally:
        docker("rm", "--force", container)


def is_up(url: str) -> bool:
    with suppress(requests.RequestException):
        return requests.get(url, timeout=2).ok
    return False
