"""Names as a page shows them. Strangers choose them: they can hold anything."""

from __future__ import annotations

import unicodedata
from typing import Final

from service.names import is_blank, is_of_names

MAX_SHOWN: Final = 40
"""Characters of a name that are shown."""
_RIGHT_TO_LEFT: Final = frozenset(("R", "AL", "AN"))


def one_line(text: str) -> str:
    """A longer text of a stranger without characters that control how text is laid out. The page isolates it."""
    return "".join(filter(is_of_names, text)).strip()


def shown(name: str) -> str:
    """A name on one line, without characters that control how text is laid out, cut where it gets long; empty where
    nothing is left to see. A name with letters that run from right to left is isolated, so that it does not turn what
    stands around it."""
    seen = "".join(filter(is_of_names, name[: 8 * MAX_SHOWN])).strip()
    if is_blank(seen):
        return ""
    if len(seen) > MAX_SHOWN:
        seen = f"{seen[: MAX_SHOWN - 1].rstrip()}…"
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in seen):
        return f"\u2068{seen}\u2069"
    return seen
