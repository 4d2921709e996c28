"""The same rulings hold for the core compiled by mypyc, from the same source."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULINGS = ("setup", "hiring", "cards", "moving", "clearing", "loading", "unloading", "round_end", "paying", "ending")
MORE = ("known_counts", "against_the_literal_rules")
PATIENCE_S = 600


def run(directory: Path, *command: str, **environment: str) -> str:
    """Runs Python there; what it prints."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(directory), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(PATIENCE_S)
@pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="there is no C compiler")
def test_the_rulings_hold_for_the_compiled_core(tmp_path: Path) -> None:
    ignore = shutil.ignore_patterns("__pycache__", "*.so")
    for name in ("setup.py", "service/__init__.py", "tests/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("service/engine", "tests/engine", "tests/literal"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    run(tmp_path, "setup.py", "build_ext", "--inplace", MONTEGO_COMPILE="1")
    where = run(tmp_path, "-c", "from service.engine.core import flow, move; print(flow.__file__, move.__file__)")
    for module in where.split():
        assert Path(module).suffix == ".so"
        assert Path(module).is_relative_to(tmp_path)
    tests = [f"tests/engine/test_{name}.py" for name in (*RULINGS, *MORE)]
    out = run(
        tmp_path,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        *tests,
        MONTEGO_DIFFERENTIAL_GAMES="1",
    )
    assert " passed" in out
