"""The scripts that others wrote are the ones that their hashes name."""

from __future__ import annotations

import hashlib
from importlib.resources import files

STATIC = files("service.web") / "static"


def test_the_scripts_of_htmx_are_as_they_were_published() -> None:
    lines = (STATIC / "htmx.sha256").read_text().split("\n")
    for line in filter(None, lines):
        digest, name = line.split()
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == digest
