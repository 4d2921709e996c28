"""The engine's playouts with the core compiled by mypyc, in a copy of the sources that is thrown away."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.builds import builds, run_there

RUNS = 5
PROGRAM = """
import json
from service.engine.core import flow
from tests.benchmarks.engine import Playouts

assert flow.__file__.endswith(".so"), flow.__file__
games = Playouts(GAMES)
games.core()
print(json.dumps([[games.core(), games.steps(), games.interface()] for _ in range(RUNS)]))
"""
WAYS = ("core compiled", "core compiled, step by step", "interface, core compiled")


@contextmanager
def build() -> Iterator[Path | None]:
    """A directory with the compiled engine; None where there is no C compiler."""
    with builds() as places:
        yield places.get("compiled")


def rates(copy: Path, runs: int, games: int) -> list[list[float]]:
    """Decisions a CPU second for each run, in each of `WAYS`."""
    program = PROGRAM.replace("GAMES", str(games)).replace("RUNS", str(runs))
    found: list[list[float]] = json.loads(run_there(copy, "-c", program))
    return found


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
