"""What came of a call: an answer, or a failure of a kind that PROTOCOL's "Faults" names."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

FailureKind = Literal["late", "unreachable", "bad_status", "bad_body"]

DETAIL_LIMIT = 200
"""Characters of `Failed.detail`."""
RECEIVED_LIMIT = 200
"""Characters of `Failed.received`."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Status 200 and a whole, plain body of at most 64 KiB, the last byte of which came before the deadline."""

    status: int
    body: bytes
    elapsed_ms: int
    """From the call to the last byte."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that brought no answer. A fact for the author: neither text holds secrets or control characters."""

    kind: FailureKind
    detail: str
    """What went wrong, in plain words; at most `DETAIL_LIMIT` characters."""
    received: str
    """The beginning of what came: of the body if one began, else of all; at most `RECEIVED_LIMIT` characters."""
    status: int | None
    """None if no status line came."""
    elapsed_ms: int
    """From the call to the failure; at least 1, since a failure takes time."""


Exchange = Answered | Failed


def printable(text: str | bytes, limit: int) -> str:
    """The text cut to `limit` characters and safe to print: one line, no control, format or unassigned characters.

    Bytes are read as UTF-8; what is none, and what must not reach a terminal, becomes U+FFFD.
    """
    if isinstance(text, bytes):
        # A character has at most 4 bytes, so more of them cannot show.
        text = text[: 4 * (limit + 1)].decode("utf-8", "replace")
    shown = text[: limit + 1]
    if not (shown.isascii() and shown.isprintable()):
        shown = "".join(map(_safe, shown))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _safe(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\r\n" or category.startswith("Z"):
        return " "
    return "\N{REPLACEMENT CHARACTER}" if category.startswith("C") else character
