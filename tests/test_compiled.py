"""The build that is compiled by mypyc, from the same source: the same rulings hold, and bots choose the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.builds import compile_there, copy_sources, has_compiler, run_there

RULINGS = ("setup", "hiring", "cards", "moving", "clearing", "loading", "unloading", "round_end", "paying", "ending")
MORE = ("known_counts", "against_the_literal_rules")
ENGINE = [f"tests/engine/test_{name}.py" for name in (*RULINGS, *MORE)]
SEARCH = [f"tests/bots/test_{name}.py" for name in ("search", "search_positions", "tune")]
PARTS = ("service", "bots", "setup.py", "tests/__init__.py", "tests/engine", "tests/literal", "tests/bots")
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib")
CHOICES = ("-m", "tests.bots.search_choices")
PATIENCE_S = 900

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(PATIENCE_S),
    pytest.mark.skipif(not has_compiler(), reason="there is no C compiler"),
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources."""
    place = tmp_path_factory.mktemp("plain")
    copy_sources(place, PARTS)
    return place


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, compiled."""
    place = tmp_path_factory.mktemp("compiled")
    copy_sources(place, PARTS)
    compile_there(place)
    return place


def test_the_core_and_the_search_are_compiled(compiled: Path) -> None:
    names = "service.engine.core.flow service.engine.core.move bots.search.duct bots.search.evaluation"
    program = f"import importlib; [print(importlib.import_module(name).__file__) for name in {names.split()!r}]"
    modules = [Path(line) for line in run_there(compiled, "-c", program).split()]
    assert len(modules) == 4
    for module in modules:
        assert module.suffix == ".so"
        assert module.is_relative_to(compiled)


def test_the_rulings_hold_for_the_compiled_core(compiled: Path) -> None:
    assert " passed" in run_there(compiled, *PYTEST, *ENGINE, MONTEGO_DIFFERENTIAL_GAMES="1")


def test_the_compiled_search_keeps_to_what_the_plain_one_keeps_to(compiled: Path) -> None:
    assert " passed" in run_there(compiled, *PYTEST, *SEARCH)


def test_the_compiled_search_chooses_what_the_plain_one_chooses(plain: Path, compiled: Path) -> None:
    chosen = run_there(plain, *CHOICES)
    assert chosen.count("\n") > 100
    assert run_there(compiled, *CHOICES) == chosen
