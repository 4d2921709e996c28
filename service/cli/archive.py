"""Exported tournaments: `montego verify` and `montego report`, which read a file offline, with or without gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import click
import msgspec
from rich.progress import track

from service.archive.file import DamagedArchive
from service.cli.output import plain
from service.cli.records import Refused, parse
from service.cli.terminal import console
from service.lazy_import import lazily
from service.presentation.languages import LANGUAGES
from service.report import page

if TYPE_CHECKING:
    from service.archive.verify import Verified
from service.cli.files import OUTPUT, write_text

#: Loads a numeric library. `montego tournament` imports this module, too, and seldom verifies a file.
checking: Any = lazily("service.archive.verify")

#: Bytes when unpacked: 100,000 matches take about a gigabyte.
MAX_ARCHIVE = 2 * 1024**3
GZIP = b"\x1f\x8b"
#: With fewer matches a progress bar would only flash.
MANY = 100


class Entries(Sequence[Any]):
    """The matches of a file, each parsed when it is read: all at once would take ten times the file's length."""

    def __init__(self, entries: Sequence[msgspec.Raw]) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> Entries: ...

    def __getitem__(self, index: int | slice) -> Any:
        """Raises Refused for a match that is not strict JSON."""
        if isinstance(index, slice):
            return Entries(self._entries[index])
        return parse(bytes(self._entries[index]))


def read_archive(path: Path) -> dict[str, Any]:
    """The JSON object in a file, with its matches as `Entries`. Raises click.ClickException with the name of the file
    and what is wrong with it."""
    try:
        value = _parsed(_content(path))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise click.ClickException(f"{path} is damaged: {error}") from None
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror or error}") from None
    except Refused as error:
        raise click.ClickException(f"{path} {error.format_message()}") from None
    if not isinstance(value, dict):
        raise click.ClickException(f"{path} is not a tournament: that would be a JSON object")
    return value


def _parsed(content: bytes) -> Any:
    """The JSON value that these bytes encode. Raises Refused."""
    try:
        listed = msgspec.json.decode(content, type=dict[str, msgspec.Raw])["matches"]
        entries = msgspec.json.decode(listed, type=list[msgspec.Raw])
    except (KeyError, RecursionError, ValueError):
        return parse(content)  # which names what is wrong
    if not entries:
        return parse(content)
    # What stands around the matches is short, and parsed as strictly as each of them.
    before, _, after = content.partition(listed)
    value = parse(before + b"[]" + after)
    if value["matches"]:
        raise Refused("has its matches under another name as well")
    return {**value, "matches": Entries(entries)}


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    with gzip.open(path) if packed else path.open("rb") as file:
        content: bytes = file.read(MAX_ARCHIVE + 1)
    if len(content) > MAX_ARCHIVE:
        raise Refused(f"is longer than {MAX_ARCHIVE} bytes")
    return content


def verified_archive(path: Path, commitment: str | None = None) -> Verified:
    """The tournament in a file, with everything in it checked. Raises click.ClickException with what does not fit."""
    value = read_archive(path)
    try:
        found: Verified = checking.verify(value, commitment, _shown)
    except Refused as error:
        raise click.ClickException(f"{path}: one of its matches {error.format_message()}") from None
    except DamagedArchive as error:
        raise click.ClickException(f"{path}: {plain(error, 2000)}") from None
    return found


def _shown(matches: Sequence[Any]) -> Iterable[Any]:
    terminal = console(errors=True)
    shown = terminal.is_terminal and len(matches) >= MANY
    return track(matches, "replaying", console=terminal, disable=not shown, transient=True)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--commitment", metavar="HEX", help="The commitment that was published before the first game.")
def verify(file: Path, commitment: str | None) -> None:
    """Verify an exported tournament, offline.

    This derives the deals from the seed, replays every game, computes every table again, and names the first thing that
    does not fit. Without --commitment it trusts the commitment in the file.
    """
    found = verified_archive(file, commitment.strip().lower() if commitment else None)
    voids = f", {found.voids} of them void" if found.voids else ""
    click.echo(
        f"sound: tournament {plain(found.tournament, 100)}, {found.games} games replayed{voids}, "
        f"{found.finished} matches counted"
    )


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=OUTPUT, help="The page; - prints it. [default: FILE with .html]")
@click.option("--language", type=click.Choice(list(LANGUAGES)), default="en", help="Of the page. [default: en]")
def report(file: Path, output: Path | None, language: str) -> None:
    """Make one HTML page of an exported tournament: what it shows, all tables and matches, to be read offline.

    The file is verified first.
    """
    archive = verified_archive(file).archive
    default = file.with_name(f"{file.name.removesuffix('.gz').removesuffix('.json')}.html")
    write_text(output or default, page.build(archive, language))
