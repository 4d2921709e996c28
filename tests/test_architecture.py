"""The two rules of docs/architecture.md that import-linter cannot keep.

What must be pure imports the standard library, numeric libraries and itself, whatever else is installed; and what the
service names in workers and bots by a string, since it may not import them, is really there.
"""

from __future__ import annotations

import ast
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PURE = ("chance", "protocol", "engine", "ids", "names", "tournament", "addresses", "lazy_import", "strict_json")
# Below these two, which know nothing of each other.
BELOW, ABOVE = {"service.chance", "service.lazy_import", "service.protocol"}, ("engine", "tournament")
NUMERIC = {"choix", "numpy", "scipy"}
# "workers.jobs.play_block", "bots.greedy:create_app", also with the call that gunicorn allows: "bots.greedy:app()".
DOTTED_NAME = re.compile(r"(?P<name>(?:workers|bots)(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_][\w.]*)?)(?:\(.*\))?")
# The start of one that is put together while the program runs: f"bots.{name}".
BUILT_NAME = re.compile(r"(?:workers|bots)\.[\w.]*:?")


def sources_of(room: str) -> list[Path]:
    """The source files of a module or package of the service."""
    single = ROOT / "service" / f"{room}.py"
    return [single] if single.exists() else sorted((ROOT / "service" / room).rglob("*.py"))


def imports_of(path: Path) -> Iterator[str]:
    """Every module that a file imports, at its top or anywhere else, by its full name."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            yield f"{base}.{node.module}".strip(".") if node.module else base


def is_pure(module: str, room: str) -> bool:
    """Whether the pure `room` may import `module`."""
    own = f"service.{room}"
    top = module.partition(".")[0]
    if module in BELOW and room in ABOVE:
        return True
    return module == own or module.startswith(f"{own}.") or top in sys.stdlib_module_names or top in NUMERIC


def strings_of(path: Path) -> Iterator[tuple[str, bool]]:
    """Every string in a file, and whether it is the constant start of an f-string."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = {
        id(part): node.values[0] is part
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and parts.get(id(node), True):
            yield node.value, id(node) in parts


def dotted_names() -> set[tuple[str, str]]:
    """What the service names in workers and bots: the file that does, and the name."""
    return {
        (str(path.relative_to(ROOT)), match["name"])
        for path in sorted((ROOT / "service").rglob("*.py"))
        for text, _ in strings_of(path)
        if (match := DOTTED_NAME.fullmatch(text))
    }


@pytest.mark.parametrize("room", PURE)
def test_a_pure_room_imports_only_the_standard_library_numeric_libraries_and_itself(room: str) -> None:
    paths = sources_of(room)
    assert paths, f"service/{room} has no source files"
    impure = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in paths
        for module in imports_of(path)
        if not is_pure(module, room)
    }
    assert impure == set()


@pytest.mark.parametrize("module", ["redis", "service", "service.enginery", "service.tournament.schedule", "workers"])
def test_an_engine_that_imports_anything_else_is_found_out(module: str) -> None:
    assert not is_pure(module, "engine")


def test_the_service_names_the_workers_jobs_by_dotted_names() -> None:
    tops = {name.partition(".")[0] for _, name in dotted_names()}
    assert tops == {"workers"}


@pytest.mark.parametrize(("path", "name"), sorted(dotted_names()))
def test_each_name_that_the_service_uses_for_workers_and_bots_is_there(path: str, name: str) -> None:
    assert pkgutil.resolve_name(name) is not None, path


def test_no_such_name_is_put_together_while_the_program_runs() -> None:
    built = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in sorted((ROOT / "service").rglob("*.py"))
        for text, is_start in strings_of(path)
        if is_start and BUILT_NAME.fullmatch(text)
    }
    assert built == set(), "write the names out, so that the test above can resolve them"
