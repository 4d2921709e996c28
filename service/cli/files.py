"""Files that the commands write for their user."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

STDOUT = Path("-")
#: What an option takes that names a file to write.
OUTPUT = click.Path(dir_okay=False, allow_dash=True, path_type=Path)


def write_text(path: Path, text: str) -> None:
    """Writes a file, and says so on standard error. Raises click.ClickException with the reason if that fails."""
    with writing(path) as file:
        file.write(text.encode())
    if path != STDOUT:
        click.echo(f"wrote {path}", err=True)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Opens a file to write; "-" is standard output.

    An ordinary file appears under its name, or where its link points to, once all of it is written, and not at all if
    that fails. A pipe or device is written into. Raises click.ClickException with the reason if the file cannot be
    written.
    """
    try:
        if path == STDOUT:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
        else:
            with _replacing(path.resolve()) as file:
                yield file
    except BrokenPipeError:
        raise  # the reader has seen enough
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file beside the one at `path`, whose place and permissions it takes over at the end. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        if path.exists():
            shutil.copymode(path, part)
        else:
            part.chmod(0o666 & ~_umask())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def file_name(identifier: str) -> str:
    """An id that came from elsewhere as a file name: only what cannot lead out of the folder is kept."""
    return "".join(char for char in identifier if char.isascii() and (char.isalnum() or char in "-_")) or "unnamed"
