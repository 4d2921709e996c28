"""Reading the log files of our children."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path


def last_line(log: Path) -> str:
    """The last line of a log file that says something, without the process id and time that Redis puts before it."""
    with contextlib.suppress(OSError):
        for line in reversed(log.read_text("utf-8", "replace").splitlines()):
            if line.strip():
                return re.sub(r"^\d+:\w \d+ \w+ \d+ [\d:.]+ [*#.-] ", "", line.strip())
    return "it said nothing"
