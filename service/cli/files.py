"""Files that the command writes for its user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


def write_text(path: Path, text: str) -> None:
    """Writes a file. Raises click.ClickException with the reason if that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None


def write_record(directory: Path, game: str, record: dict[str, Any]) -> Path:
    """Writes a record as GAME.json. The id comes from a service: only what cannot lead out of the folder is kept."""
    name = "".join(char for char in game if char.isascii() and (char.isalnum() or char in "-_")) or "game"
    path = directory / f"{name}.json"
    write_text(path, json.dumps(record, ensure_ascii=True) + "\n")
    return path
