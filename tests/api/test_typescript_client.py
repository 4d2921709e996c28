"""A TypeScript client, with types that openapi-typescript generates from the document, plays a whole game."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import requests

from tests.api.serving import Served

PROGRAM = Path(__file__).with_name("typescript")
COMPILE = "tsc --strict --module nodenext --moduleResolution nodenext --target es2022 --skipLibCheck play.ts"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None or shutil.which("node") is None, reason="needs node and npm")
def test_a_typescript_client_plays_a_whole_game(server: Served, tmp_path: Path) -> None:
    shutil.copytree(PROGRAM, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "openapi.json").write_bytes(requests.get(f"{server.url}/openapi.json", timeout=10).content)

    def run(command: str, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command.split(), *more], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )

    if run("npm install --no-audit --no-fund --no-package-lock --prefer-offline").returncode != 0:
        pytest.skip("needs openapi-typescript from npm")
    generated = run("npx --no-install openapi-typescript openapi.json -o api.d.ts --default-non-nullable=false")
    assert generated.returncode == 0, generated.stderr
    compiled = run(f"npx --no-install {COMPILE}")
    assert compiled.returncode == 0, compiled.stdout
    played = run("node play.js", server.url)
    assert played.returncode == 0, played.stderr
    assert played.stdout.startswith("played [")
