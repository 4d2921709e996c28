"""The rules for language models."""

from __future__ import annotations

from importlib.resources import files


def rules_for_models() -> str:
    """The rules and the actions in a page of plain text."""
    return files("bots.llm").joinpath("rules.md").read_text(encoding="utf-8")
