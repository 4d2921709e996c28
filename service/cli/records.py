"""Finding and reading game records: files, folders of them, URLs."""

from __future__ import annotations

import json
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

#: A record takes 8 to 12 KB; one of a long game with an odd component set a few hundred.
MAX_RECORD = 16 * 1024 * 1024


class Refused(click.ClickException):
    """A source that holds no sound record; the message says why, without naming the source."""


def is_url(source: str) -> bool:
    """Whether it is to be fetched, not opened."""
    return source.lower().startswith(("http://", "https://"))


def sources_in(source: str) -> list[str]:
    """The sources that an argument stands for: itself, or every *.json file in that folder and below, by name."""
    if is_url(source) or not Path(source).is_dir():
        return [source]
    return [str(path) for path in sorted(Path(source).rglob("*.json"))]


def verified(source: str) -> dict[str, Any]:
    """The record at a path or URL, read, replayed and found sound. Raises Refused."""
    record = parse(_read(source))
    if not isinstance(record, dict):
        raise Refused("is no record: a record is a JSON object")
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
    """The JSON value that these bytes are, strictly. Raises Refused."""
    try:
        return json.loads(content.decode(), object_pairs_hook=_object, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise Refused(f"is not UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError) as error:
        raise Refused(f"is no JSON: {error}") from None


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, each name once: of two members with one name, readers would see different ones."""
    made = dict(members)
    if len(made) < len(members):
        names = [name for name, _ in members]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {double!r} stands in one object twice")
    return made


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def expand(arguments: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """Every source of the arguments, with what is wrong with an argument that stands for none."""
    for argument in arguments:
        found = sources_in(argument)
        if not found:
            yield argument, "there is no *.json file in this folder"
        for source in found:
            yield source, None


MAX_LINE = 1000
#: Fewer than this and a bar would only flash.
MANY = 20


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE-OR-URL...")
@click.option("--verify", "only_verify", is_flag=True, help="Only verify, a line each; folders too (*.json in them).")
def replay(sources: tuple[str, ...], only_verify: bool) -> None:
    """Replay the record of a game, verify it, and print it round by round.

    A damaged record is refused, naming the entry at which it goes wrong.
    """
    if only_verify:
        _verify_all(sources)
        return
    if len(sources) > 1:
        raise click.UsageError("one record at a time; several only with --verify", click.get_current_context())
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
