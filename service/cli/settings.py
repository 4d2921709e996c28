"""`montego settings`: the settings of the service, as `service.config` documents them."""

from __future__ import annotations

from dataclasses import fields

import click
from rich.table import Table

from service.cli.terminal import console
from service.config import Settings


@click.command()
def settings() -> None:
    """List the environment variables that the service reads, with their defaults."""
    table = Table(show_lines=False)
    for heading in ("variable", "default", "meaning"):
        table.add_column(heading, no_wrap=heading == "variable", overflow="fold")
    for item in fields(Settings):
        table.add_row(item.metadata["variable"], _shown(item.default), item.metadata["doc"])
    console().print(table)


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return "1" if default else "0"
    if isinstance(default, tuple):
        return " ".join(map(str, default))
    return str(default)
