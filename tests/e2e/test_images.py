"""Container images as bots, in a tournament of one command: good ones, and those that flood everything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.running_service import KEY, OrganiserClient

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

BASE = os.environ.get("MONTEGO_TEST_IMAGE", "python:3.12-slim-bookworm")
"""An image with python3 that is on this machine: nothing is pulled."""
ENGINE = os.environ.get("MONTEGO_TEST_ENGINE", "docker")
GOOD = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"index": 0}), flush=True)
"""
#: What each does when it is asked first. All of them would answer afterwards.
FLOODS = {
    "memory": "held = []\nwhile True: held.append(bytearray(10_000_000))",
    "cpu": "while True: pass",
    "processes": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "disk": "import os\nfor n in range(10**9):\n    open(f'/tmp/{n}', 'wb').write(bytes(1_000_000))",
    "output": "while True: print('x' * 10_000)",
    "network": "import socket\nsocket.create_connection(('1.1.1.1', 80), timeout=5)",
    "root": "open('/etc/passwd', 'a').write('x')",
}


def run_engine(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ENGINE, *arguments], capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module", autouse=True)
def _engine_and_an_image() -> None:
    if shutil.which(ENGINE) is None or run_engine("info").returncode:
        pytest.skip(f"there is no {ENGINE} that answers")
    if run_engine("image", "inspect", BASE).returncode:
        pytest.skip(f"there is no image {BASE} here")


def built(name: str, source: str, folder: Path) -> str:
    """The image of a program in Python."""
    folder.mkdir()
    (folder / "bot.py").write_text(source)
    (folder / "Dockerfile").write_text(f'FROM {BASE}\nCOPY bot.py /bot.py\nCMD ["python3", "-u", "/bot.py"]\n')
    image = f"montego-test-{name}"
    done = run_engine("build", "--network", "none", "--tag", image, str(folder))
    assert done.returncode == 0, done.stderr
    return image


def create(service: OrganiserClient, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """`montego tournament create`, run in that folder."""
    command = [sys.executable, "-m", "service.cli.main", "tournament", "create", *map(str, arguments)]
    environ = {**os.environ, "MONTEGO_URL": service.url, "MONTEGO_KEY": KEY}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=800)


def test_images_play_a_tournament_by_one_command_and_floods_harm_only_themselves(
    service: OrganiserClient, tmp_path: Path
) -> None:
    images = {
        name: built(name, f"import sys\nsys.stdin.readline()\n{flood}\n{GOOD}", tmp_path / name)
        for name, flood in FLOODS.items()
    }
    images["good"] = built("good", GOOD, tmp_path / "good")
    listed = tmp_path / "list.txt"
    listed.write_text("# good and bad\n" + "".join(f"{name}={image}\n" for name, image in images.items()))
    run = ["--images", listed, "--engine", ENGINE]
    terms = ["--challenger", "good", "--players", 2, "--deals", 1, "--move-ms", 5000]
    done = create(service, tmp_path, "greedy", *run, *terms)
    assert done.returncode == 0, done.stderr
    tournament = next(service.items("/v1/tournaments"))["tournament"]
    matches = service.matches(tournament)
    assert {match["status"] for match in matches} == {"finished"}
    rows = service.standings(tournament)
    assert sum(rows["good"]["faults"].values()) == 0, json.dumps(rows)
    for name in FLOODS:
        assert rows[name]["forfeits"] or sum(rows[name]["faults"].values()), name
    left = run_engine("ps", "--all", "--format", "{{.Names}}").stdout.split()
    assert not [name for name in left if name.startswith("montego-")]


def test_an_image_that_is_absent_is_named(service: OrganiserClient, tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("nowhere/no-such-image:1\n")
    done = create(service, tmp_path, "greedy", "--images", listed, "--engine", ENGINE)
    assert done.returncode == 1
    assert "no image nowhere/no-such-image:1" in done.stderr
