"""The glossary of docs/architecture.md: words that it rules out stand nowhere, and a class name means one thing."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = ROOT / "docs" / "architecture.md"
ROOMS = ("service", "workers", "bots", "tests", "docs")
TEXTS = {".py", ".lua", ".md", ".html", ".js", ".css", ".toml", ".yml"}
# The glossary itself; its own test; what already happened.
EXEMPT = {ARCHITECTURE, Path(__file__).resolve(), ROOT / "CHANGELOG.md"}
#: The bots' kit knows nothing of the service and repeats words of the protocol.
KIT = ROOT / "bots" / "python"


def table(heading: str) -> list[list[str]]:
    """The rows of the first table below a line of the architecture page."""
    below = ARCHITECTURE.read_text(encoding="utf-8").split(heading, 1)[1]
    lines = [line for line in below.split("\n## ")[0].splitlines() if line.startswith("|")]
    end = next((n for n, line in enumerate(lines) if n > 1 and line.startswith("| ---")), len(lines) + 1)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2 : end - 1]]


def ruled_out() -> list[str]:
    return [word for row in table("Words that are ruled out") for word in re.findall(r"`([^`]+)`", row[0])]


def named_classes() -> set[str]:
    return {name for row in table("## Glossary") for name in re.findall(r"`(\w+)`", row[2])}


@functools.cache
def texts() -> dict[str, str]:
    """Every text of the project by its path, with white space folded."""
    pages = [*ROOT.glob("*.md"), *(path for room in ROOMS for path in sorted((ROOT / room).rglob("*")))]
    return {
        str(path.relative_to(ROOT)): " ".join(path.read_text(encoding="utf-8").split())
        for path in pages
        if path.suffix in TEXTS and path not in EXEMPT and path.is_file()
    }


def source(room: str) -> Iterator[Path]:
    yield from sorted(path for path in (ROOT / room).rglob("*.py") if "starters" not in path.parts)


@functools.cache
def classes() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = defaultdict(list)
    for room in ("service", "workers", "bots"):
        for path in source(room):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(path)
    return found


@functools.cache
def aliases() -> set[str]:
    """Names of unions and other types that are assigned, not defined."""
    return {
        target.id
        for room in ("service", "workers", "bots")
        for path in source(room)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


@functools.cache
def constants() -> list[tuple[str, str]]:
    """Every constant that is assigned, with its file."""
    return [
        (str(path.relative_to(ROOT)), node.id)
        for room in ("service", "workers", "bots")
        for path in source(room)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id.isupper()
    ]


def test_the_glossary_is_read() -> None:
    assert len(ruled_out()) > 15
    assert {"Decision", "Steward"} <= named_classes()


@pytest.mark.parametrize("word", ruled_out())
def test_a_word_that_is_ruled_out_stands_nowhere(word: str) -> None:
    first, rest = word[0], re.escape(word[1:])
    pattern = re.compile(rf"\b[{first}{first.upper()}]{rest}\b")
    assert [path for path, text in texts().items() if pattern.search(text)] == []


@pytest.mark.parametrize("name", sorted(named_classes()))
def test_a_class_of_the_glossary_exists(name: str) -> None:
    assert name in classes() or name in aliases()


def test_two_classes_share_no_name() -> None:
    shared = {
        name: [str(path.relative_to(ROOT)) for path in paths]
        for name, paths in classes().items()
        if len([path for path in paths if KIT not in path.parents]) > 1
    }
    assert shared == {}


@pytest.mark.parametrize("wrong", ["MOST_", "LONGEST_", "LARGEST_", "WIDEST_", "LEAST_", "FEWEST_"])
def test_a_limit_is_a_maximum_or_a_minimum(wrong: str) -> None:
    assert [f"{path}: {name}" for path, name in constants() if name.strip("_").startswith(wrong)] == []


def test_a_duration_says_its_unit_in_one_way() -> None:
    assert [f"{path}: {name}" for path, name in constants() if name.endswith("_SECONDS")] == []
