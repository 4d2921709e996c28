"""Names as a page shows them. Strangers choose them: they can hold anything."""

from __future__ import annotations

import unicodedata
from typing import Final

MAX_SHOWN: Final = 40
"""Characters of a name that are shown."""
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and symbols that show nothing."""
_RIGHT_TO_LEFT: Final = frozenset(("R", "AL", "AN"))


def shown(name: str) -> str:
    """A name on one line, without characters that control how text is laid out, cut where it gets long; empty where
    nothing is left to see. A name with letters that run from right to left is isolated, so that it does not turn what
    stands around it."""
    seen = "".join(
        letter for letter in name[: 8 * MAX_SHOWN] if unicodedata.category(letter)[0] not in "CZ" or letter == " "
    )
    seen = " ".join(seen.split())
    if all(letter in _BLANK or unicodedata.category(letter)[0] == "M" for letter in seen):
        return ""
    if len(seen) > MAX_SHOWN:
        seen = f"{seen[: MAX_SHOWN - 1].rstrip()}…"
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in seen):
        return f"\u2068{seen}\u2069"
    return seen
