"""Files that the command writes for its user."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click


def write_text(path: Path, text: str) -> None:
    """Writes a file. Raises click.ClickException with the reason if that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file that is there under its name once all of it is written, and not at all if that fails.

    Raises click.ClickException with the reason if it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        part = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
            # As a file that is opened for writing would be, not as a private one.
            part.chmod(0o666 & ~_umask())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def file_name(identifier: str) -> str:
    """An id that came from elsewhere as a file name: only what cannot lead out of the folder is kept."""
    return "".join(char for char in identifier if char.isascii() and (char.isalnum() or char in "-_")) or "unnamed"


def write_record(directory: Path, game: str, record: dict[str, Any]) -> Path:
    """Writes a record as GAME.json."""
    path = directory / f"{file_name(game)}.json"
    write_text(path, json.dumps(record, ensure_ascii=True) + "\n")
    return path
