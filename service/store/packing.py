"""The compressed form of a log: its lines with zlib, in base 85, so that it is text like all else in the store."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

_LEVEL = 9


def pack(lines: Sequence[str]) -> str:
    """The lines in about a third of their size. None of them has a line break."""
    return base64.b85encode(zlib.compress("\n".join(lines).encode(), _LEVEL)).decode("ascii")


def unpack(text: str) -> tuple[str, ...]:
    """Undoes `pack`. Raises ValueError or zlib.error for a text that `pack` has not written: the store is damaged."""
    return tuple(zlib.decompress(base64.b85decode(text)).decode().split("\n"))
