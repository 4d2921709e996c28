"""Redocly's strict rules and Spectral's `oas` rules have nothing to say against the two OpenAPI documents."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from flask.testing import FlaskClient

LINTERS = Path(__file__).with_name("openapi_lint")
DOCUMENTS = ("openapi.json", "openapi-bot.json")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("npm") is None or shutil.which("node") is None, reason="needs node and npm")
def test_both_documents_have_no_errors_and_no_warnings(client: FlaskClient, tmp_path: Path) -> None:
    shutil.copytree(LINTERS, tmp_path, dirs_exist_ok=True)
    for name in DOCUMENTS:
        (tmp_path / name).write_bytes(client.get(f"/{name}").data)

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command.split(), *DOCUMENTS], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )

    install = "npm install --no-audit --no-fund --no-package-lock --prefer-offline"
    if subprocess.run(install.split(), cwd=tmp_path, capture_output=True, timeout=500, check=False).returncode != 0:
        pytest.skip("needs Redocly and Spectral from npm")
    redocly = run("npx --no-install redocly lint --extends=recommended-strict --max-problems=100")
    assert redocly.returncode == 0, redocly.stdout + redocly.stderr
    spectral = run("npx --no-install spectral lint --fail-severity=warn")
    assert spectral.returncode == 0, spectral.stdout + spectral.stderr
