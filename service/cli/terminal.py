"""Tables and progress bars. Apart from `output`, since the library behind them takes its time to load."""

from __future__ import annotations

from rich.console import Console

WIDTH_OF_FILES = 120


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
