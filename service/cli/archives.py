"""Files of whole tournaments: reading them, with or without gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.progress import track

from service.archive.errors import DamagedArchive
from service.archive.verify import Verified, verify
from service.cli.output import console, plain
from service.cli.records import Refused, parse

#: Unpacked: 100,000 matches take about a gigabyte.
LONGEST_ARCHIVE = 2 * 1024**3
GZIP = b"\x1f\x8b"
#: Fewer matches than this and a bar would only flash.
MANY = 100


def read_archive(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises click.ClickException naming the file and what is wrong."""
    try:
        value = parse(_content(path))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise click.ClickException(f"{path} is damaged: {error}") from None
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror or error}") from None
    except Refused as error:
        raise click.ClickException(f"{path} {error.format_message()}") from None
    if not isinstance(value, dict):
        raise click.ClickException(f"{path} is no tournament: that is a JSON object")
    return value


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    with gzip.open(path) if packed else path.open("rb") as file:
        content: bytes = file.read(LONGEST_ARCHIVE + 1)
    if len(content) > LONGEST_ARCHIVE:
        raise Refused(f"is longer than {LONGEST_ARCHIVE} bytes")
    return content


def verified_archive(path: Path, commitment: str | None = None) -> tuple[dict[str, Any], Verified]:
    """The tournament in a file, everything in it checked. Raises click.ClickException with what does not fit."""
    value = read_archive(path)
    try:
        return value, verify(value, commitment, _shown)
    except DamagedArchive as error:
        raise click.ClickException(f"{path}: {plain(error, 2000)}") from None


def _shown(matches: Sequence[Any]) -> Iterable[Any]:
    terminal = console(errors=True)
    shown = terminal.is_terminal and len(matches) >= MANY
    return track(matches, "replaying", console=terminal, disable=not shown, transient=True)
