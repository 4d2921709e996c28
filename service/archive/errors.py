"""What is wrong with a file that does not hold together."""

from __future__ import annotations

from service.engine.errors import Path, path_text


class DamagedArchive(Exception):
    """The first thing in the file that does not fit, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.reason}" if self.path else self.reason
