"""`montego verify`: a tournament's file, checked without the service that wrote it."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.archives import verified_archive
from service.cli.output import plain, show


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--commitment", metavar="HEX", help="The commitment that was published before the first game.")
def verify(file: Path, commitment: str | None) -> None:
    """Verify an exported tournament, offline.

    The deals are derived from the seed, every game is replayed, every table is computed again. The first thing that
    does not fit is named. Without --commitment, the one in the file is believed.
    """
    found = verified_archive(file, commitment.strip().lower() if commitment else None)
    voids = f", {found.voids} of them void" if found.voids else ""
    show(
        f"sound: tournament {plain(found.tournament, 100)}, {found.games} games replayed{voids}, "
        f"{found.finished} matches counted"
    )
