"""Lines of text for standard output and standard error, and texts from elsewhere made harmless."""

from __future__ import annotations

import sys

from service.names import is_of_names


def plain(text: object, limit: int = 500) -> str:
    """A text that somebody else wrote, fit for one line of a terminal: nothing in it moves the cursor, changes colours
    or the direction of writing. What is cut off is marked by an ellipsis."""
    shown = "".join(" " if char in "\n\r\t" else char for char in str(text)[: limit * 4] if _may_show(char))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _may_show(char: str) -> bool:
    return char in "\n\r\t" or is_of_names(char)


def say(line: str) -> None:
    """One line about what is going on, on standard error."""
    print(line, file=sys.stderr, flush=True)


def show(line: str = "") -> None:
    """One line of the result, on standard output."""
    print(line)
