"""Small programs for a supervisor to run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from service.processes.supervisor import Child, Supervisor


def script(name: str, program: str, *, ready: Path | None = None, last: bool = False) -> Child:
    """A child that prints its pid and runs this Python program; ready when the file is there (None: at once)."""
    command = (sys.executable, "-S", "-c", f"import os\nprint(os.getpid(), flush=True)\n{program}")
    return Child(name, command, os.environ, ready.exists if ready else lambda: True, ready_s=10, last=last)


def pids(log: Path) -> list[int]:
    """The pids that a script has had so far, by its log."""
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    return [int(line) for line in lines if line.isdecimal()]


def watched_until(supervisor: Supervisor, holds: Callable[[], bool], seconds: float) -> bool:
    """Lets the supervisor watch until `holds` does, at most for so long; whether it came to hold."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        supervisor.watch(0.02)
    return True


def is_alive(pid: int) -> bool:
    """Whether that process runs; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before the file was opened, or before it was read
        return False
