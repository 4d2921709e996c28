"""`montego report`: a tournament's file as a page to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from service.cli.archives import verified_archive
from service.cli.files import write_text
from service.cli.output import say
from service.tournament.lazy import lazily

#: With a plotting library behind it, which no other command has to wait for.
page: Any = lazily("service.report.page")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[default: beside FILE]")
def report(file: Path, output: Path | None) -> None:
    """Make one HTML page of an exported tournament: ratings, crosstable, faults. It can be read offline.

    The file is verified first.
    """
    archive = verified_archive(file).archive
    path = output or file.with_name(f"{file.name.removesuffix('.gz').removesuffix('.json')}.html")
    write_text(path, page.build(archive))
    say(f"wrote {path}")
