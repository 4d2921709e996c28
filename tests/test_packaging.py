"""What the code imports is what pyproject.toml asks for: an installation from nothing has all that it needs."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from tests.test_architecture import ROOT, imports_of

OWN = {"service", "workers", "bots", "montego_bot", "tests"}
TYPES_ONLY = {"_typeshed"}
# What needs OpenSpiel, or is run by `make bench-peers` or `make mutants` only, which install more.
WITH_EXTRAS = {"openspiel_game.py", "test_openspiel.py", "peers.py", "search_peers.py", "mutants.py"}


def normal(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(*extras: str) -> set[str]:
    """The distributions that the project, and some of its extras, ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return {normal(re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0]) for line in lines}


def foreign(folder: str) -> set[str]:
    """The top-level modules of other distributions that a folder's files import."""
    files = [path for path in (ROOT / folder).rglob("*.py") if path.name not in WITH_EXTRAS]
    tops = {module.partition(".")[0] for path in files for module in imports_of(path)}
    return tops - OWN - TYPES_ONLY - set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    ("folder", "extras"), [("service", ("mcp",)), ("workers", ()), ("bots", ("rl",)), ("tests", ("dev",))]
)
def test_whatever_is_imported_is_asked_for(folder: str, extras: tuple[str, ...]) -> None:
    providers = packages_distributions()
    wanted = declared(*extras)
    missing = {
        module for module in foreign(folder) if not wanted & {normal(name) for name in providers.get(module, [module])}
    }
    assert not missing, f"{folder} imports what pyproject.toml does not ask for: {', '.join(sorted(missing))}"


def test_every_runtime_dependency_has_a_reason_on_the_architecture_page() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("\n## Dependencies\n", 1)[1].split("\n## ", 1)[0].split("\n| extra |", 1)[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| `")]
    reasons = {normal(name): reason.strip() for names, reason in rows for name in re.findall(r"`([^`]+)`", names)}
    assert all(reasons.values())
    assert reasons.keys() - {"hiredis"} == declared()
