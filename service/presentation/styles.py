"""The styles that pages and reports share."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def document() -> str:
    """Colours, texts, panels, tables and charts, as CSS."""
    static = files("service.presentation") / "static"
    return "\n".join((static / name).read_text(encoding="utf-8") for name in ("tokens.css", "document.css"))
