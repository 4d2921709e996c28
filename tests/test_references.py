"""References from code to the docs: `PROTOCOL "Heading"` and `RULES "Heading"` name headings that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"PROTOCOL": ROOT / "docs" / "protocol.md", "RULES": ROOT / "docs" / "rules.md"}
REFERENCE = re.compile(r"\b(PROTOCOL|RULES)\s+\"([^\"]*)\"")
#: The name of a page that is followed by no heading, or by the possessive: such a reference cannot be followed.
VAGUE = re.compile(r"\b(?:PROTOCOL|RULES)'s\b|\((?:see )?(?:PROTOCOL|RULES)[):]")


def headings(page: Path) -> set[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE))


def sources() -> Iterator[Path]:
    for room in ("service", "workers", "bots", "tests"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in {".py", ".lua"} and path != Path(__file__):
                yield path


def joined(path: Path) -> str:
    """The text of a file with comments and strings that run over several lines put on one."""
    return re.sub(r"\s*\n\s*(?:#:? ?|-- ?)?", " ", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_heading_that_the_code_refers_to_exists(page: str) -> None:
    known = headings(PAGES[page])
    lost = [
        f'{path.relative_to(ROOT)}: {page} "{heading}"'
        for path in sources()
        for name, heading in REFERENCE.findall(joined(path))
        if name == page and heading not in known
    ]
    assert lost == []


def test_every_reference_names_a_heading() -> None:
    vague = [
        f"{path.relative_to(ROOT)}: {found}" for path in sources() for found in VAGUE.findall(joined(path)) if found
    ]
    assert vague == []


def test_there_are_references_to_follow() -> None:
    assert sum(len(REFERENCE.findall(joined(path))) for path in sources()) > 30
