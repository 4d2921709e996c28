"""docs/api.md is tried as a person would try it: its commands one after another, in a shell, against a server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.api.serving import Served

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_every_command_of_the_guide_works(server: Served, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 15
    script = "\n".join(["set -eu -o pipefail", f"API={server.url}", *blocks])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    record = json.loads((tmp_path / "record.json").read_text())
    assert record["result"]["ended"] == "played"
    assert "event: chosen" in done.stdout
    assert '"places": [\n    1,\n    2\n  ]' in done.stdout
    assert "\n204\n" in done.stdout
    assert '"code": "invalid_request"' in done.stdout
    created = re.findall(r"^[a-z0-9]{16}$", done.stdout, re.MULTILINE)
    assert len(created) == 2 and created[0] == created[1]
