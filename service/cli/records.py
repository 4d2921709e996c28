"""Game records: `montego replay`, and how records are found in files, folders and at URLs, and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.progress import track

from service.cli.client import checked_url, download
from service.cli.output import plain
from service.cli.terminal import console
from service.engine.errors import DamagedRecord
from service.engine.record import verify
from service.engine.transcript import render
from service.strict_json import StrictJsonError, parse_strict

#: Bytes. A record takes 8 to 12 KB, that of a long game with an odd component set a few hundred.
MAX_RECORD = 16 * 1024 * 1024


class Refused(click.ClickException):
    """A source without a sound record. The message says why, and does not name the source."""


def is_url(source: str) -> bool:
    """Whether the source is a URL, not a path."""
    return source.lower().startswith(("http://", "https://"))


def sources_in(source: str) -> list[str]:
    """The sources that an argument stands for: itself, or every *.json file in that folder and its subfolders."""
    if is_url(source) or not Path(source).is_dir():
        return [source]
    return [str(path) for path in sorted(Path(source).rglob("*.json"))]


def verified(source: str) -> dict[str, Any]:
    """The record at a path or URL, replayed and found sound. Raises Refused."""
    record = parse(_read(source))
    if not isinstance(record, dict):
        raise Refused("is not a record: a record is a JSON object")
    try:
        verify(record)
    except DamagedRecord as error:
        raise Refused(str(error)) from None
    return record


def _read(source: str) -> bytes:
    if is_url(source):
        try:
            return download(checked_url(source), MAX_RECORD)
        except click.ClickException as error:
            raise Refused(error.format_message()) from None
    try:
        with Path(source).open("rb") as file:
            content = file.read(MAX_RECORD + 1)
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_RECORD:
        raise Refused(f"is longer than {MAX_RECORD} bytes")
    return content


def parse(content: bytes) -> Any:
    """The JSON value that these bytes encode. Raises Refused."""
    try:
        return parse_strict(content)
    except StrictJsonError as error:
        raise Refused(f"is not strict JSON: {error.reason}") from None


def expand(arguments: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """Every source of the arguments; for an argument that stands for none, what is wrong with it."""
    for argument in arguments:
        found = sources_in(argument)
        if not found:
            yield argument, "there is no *.json file in this folder"
        for source in found:
            yield source, None


MAX_LINE = 1000
#: With fewer records a progress bar would only flash.
MANY = 20


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE-OR-URL...")
@click.option(
    "--verify", "only_verify", is_flag=True, help="Only verify, with a line for each record; also *.json in folders."
)
def replay(sources: tuple[str, ...], only_verify: bool) -> None:
    """Verify the record of a game, and print the game round by round.

    For a damaged record, the entry at which it goes wrong is named.
    """
    if only_verify:
        _verify_all(sources)
        return
    if len(sources) > 1:
        raise click.UsageError("give one record; several only with --verify", click.get_current_context())
    try:
        record = verified(sources[0])
    except Refused as error:
        raise click.ClickException(f"{sources[0]}: {error.format_message()}") from None
    for line in render(record):
        click.echo(plain(line, MAX_LINE))


def _verify_all(arguments: tuple[str, ...]) -> None:
    """Prints "ok" or "refused" for each source. Raises click.ClickException if one was refused."""
    found = list(expand(arguments))
    terminal = console(errors=True)
    shown = terminal.is_terminal and len(found) >= MANY
    refused = 0
    for source, wrong in track(found, "verifying", console=terminal, disable=not shown, transient=True):
        try:
            if wrong:
                raise Refused(wrong)
            verified(source)
        except Refused as error:
            refused += 1
            click.echo(f"refused  {plain(source, MAX_LINE)}: {plain(error.format_message(), MAX_LINE)}")
        else:
            click.echo(f"ok       {plain(source, MAX_LINE)}")
    if refused:
        raise click.ClickException(f"{refused} of {len(found)} refused")
    click.echo(f"{len(found)} of {len(found)} sound", err=True)
