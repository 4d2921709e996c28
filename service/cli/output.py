"""What the command shows: the two consoles, and texts from elsewhere made harmless."""

from __future__ import annotations

import unicodedata

from rich.console import Console

#: Control, format (direction marks among them), surrogate and unassigned characters, line and paragraph separators.
_UNSHOWN = frozenset(("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"))


WIDTH_OF_FILES = 120


def plain(text: object, limit: int = 500) -> str:
    """A text that somebody else wrote, fit for one line of a terminal: nothing in it moves the cursor, changes colours
    or the direction of writing. What is cut off is marked by an ellipsis."""
    shown = "".join(" " if char in "\n\r\t" else char for char in str(text)[: limit * 4] if _may_show(char))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _may_show(char: str) -> bool:
    return char in "\n\r\t" or unicodedata.category(char) not in _UNSHOWN


def console(*, errors: bool = False) -> Console:
    """Where to print: results on standard output, all else on standard error.

    Square brackets, numbers and :names: mean nothing in what it prints: texts of bots and servers are shown as they
    are. Streams are looked up now, since tests and callers replace them.
    """
    made = Console(stderr=errors, markup=False, highlight=False, emoji=False, soft_wrap=False)
    if not made.is_terminal:
        # A file or a pipe has no edge at which to cut a table off.
        made.width = max(made.width, WIDTH_OF_FILES)
    return made


def say(line: str) -> None:
    """One line about what is going on, on standard error."""
    console(errors=True).print(line, soft_wrap=True)


def show(line: str = "") -> None:
    """One line of the result, on standard output, never wrapped."""
    console().print(line, soft_wrap=True)
