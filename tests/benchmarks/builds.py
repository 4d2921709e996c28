"""Copies of the sources to measure in, plain and compiled, whatever is installed; they are thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("service", "bots", "tests/benchmarks", "tests/__init__.py", "setup.py")
PATIENCE_S = 600

NAMES = ("plain", "compiled")


@contextmanager
def builds() -> Iterator[dict[str, Path]]:
    """A directory for each of NAMES; without a C compiler the plain one alone. RuntimeError if the build fails."""
    with tempfile.TemporaryDirectory() as name:
        places = {build: Path(name, build) for build in NAMES if build == "plain" or has_compiler()}
        for place in places.values():
            copy_sources(place, PARTS)
        if "compiled" in places:
            compile_there(places["compiled"])
        yield places


def has_compiler() -> bool:
    """Whether there is a C compiler."""
    return any(shutil.which(name) for name in ("cc", "gcc", "clang"))


def copy_sources(target: Path, parts: tuple[str, ...]) -> None:
    """Copies files and folders of this project, without what was built in them."""
    for part in parts:
        source, copy = ROOT / part, target / part
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)


def compile_there(place: Path) -> None:
    """Compiles what the compiled build of the package compiles."""
    run_there(place, "setup.py", "build_ext", "--inplace", MONTEGO_COMPILE="1")


def run_there(place: Path, *command: str, **environment: str) -> str:
    """What Python prints there. RuntimeError with what it prints if it fails."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=place,
        env={**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{place / 'bots' / 'python'}", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout
