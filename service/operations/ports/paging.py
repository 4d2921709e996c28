"""Pages of ids."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """A page of ids, newest first, and the cursor of the next page (opaque, None at the end)."""

    ids: tuple[str, ...]
    next: str | None
