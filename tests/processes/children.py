"""Small programs for the supervisor to run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from service.processes.supervisor import Child


def script(name: str, program: str, *, ready: Path | None = None, last: bool = False) -> Child:
    """A child that runs this Python program; ready when the file is there (None: at once)."""
    command = (sys.executable, "-S", "-c", program)
    return Child(name, command, os.environ, ready.exists if ready else lambda: True, ready_seconds=10, last=last)


def is_alive(pid: int) -> bool:
    """Whether that process runs; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
