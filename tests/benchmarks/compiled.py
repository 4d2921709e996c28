"""The engine's playouts with the core compiled by mypyc, in a copy of the sources that is thrown away."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = 5
PATIENCE_S = 600
PROGRAM = """
import json
from service.engine.core import flow
from tests.benchmarks.engine import Playouts

assert flow.__file__.endswith(".so"), flow.__file__
games = Playouts(GAMES)
games.core()
print(json.dumps([[games.core(), games.steps(), games.door()] for _ in range(RUNS)]))
"""
WAYS = ("core compiled", "core compiled, step by step", "door, core compiled")


@contextmanager
def build() -> Iterator[Path | None]:
    """A directory with the compiled engine; None where there is no C compiler."""
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        ignore = shutil.ignore_patterns("__pycache__", "*.so")
        for part in ("service/engine", "tests/benchmarks"):
            shutil.copytree(ROOT / part, copy / part, ignore=ignore)
        for part in ("setup.py", "service/__init__.py", "tests/__init__.py"):
            shutil.copy(ROOT / part, copy / part)
        command = [sys.executable, "setup.py", "build_ext", "--inplace"]
        _run(copy, command, MONTEGO_COMPILE="1")
        yield copy


def rates(copy: Path, runs: int, games: int) -> list[list[float]]:
    """Decisions a CPU second for each run, in each of `WAYS`."""
    program = PROGRAM.replace("GAMES", str(games)).replace("RUNS", str(runs))
    found: list[list[float]] = json.loads(_run(copy, [sys.executable, "-c", program]))
    return found


def _run(copy: Path, command: list[str], **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout


def measure() -> dict[str, float]:
    """All figures, name to value; none where there is no C compiler."""
    with build() as copy:
        if copy is None:
            return {}
        columns = zip(*rates(copy, RUNS, 100), strict=True)
        return {
            f"engine {way}: decisions a second": statistics.median(column)
            for way, column in zip(WAYS, columns, strict=True)
        }
