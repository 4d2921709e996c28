"""`make mutants`: how many small faults in a room's code its own tests catch.

Each mutant is the room's code with one change: an operator, a number, a condition or a decorator that is another one, a
loop that runs never, a statement that is gone (cosmic-ray makes them). Places are sampled with a fixed seed, and one
change at each. A mutant is caught if a test of the room fails, or takes far longer than without it.

Results are kept in `build/mutants`, so a run that was ended goes on where it stopped. What survived is written there as
diffs, and is tried again with `--again`, after tests were added.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from parso.python.tree import Keyword
from scipy.stats import binomtest

from tests.benchmarks.builds import ROOT, copy_sources

PARTS = ("service", "workers", "bots", "tests", "docs", "pyproject.toml", "README.md", "Makefile")
TARGET = ROOT / "build" / "mutants"
#: A mutant may take so many times as long as the unchanged code, and so many seconds more.
PATIENCE, PATIENCE_S = 3, 30


@dataclass(frozen=True, slots=True)
class Room:
    """Code, its own tests, and the share of mutants (percent) that these are to catch."""

    code: str
    tests: tuple[str, ...]
    wanted: int


ROOMS = {
    "engine": Room("service/engine", ("tests/engine", "tests/literal"), 95),
    "tournament": Room("service/tournament", ("tests/tournament",), 95),
    "operations": Room("service/operations", ("tests/operations",), 90),
}


class RemoveStatement(Operator):  # type: ignore[misc]
    """Leaves out a call whose result nobody takes, or an assignment to a member or an item."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """The places of such statements."""
        if node.type == "simple_stmt" and self._acts(node.children[0]):
            yield node.start_pos, node.children[0].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """The node with `pass` for its first statement."""
        first = node.children[0].get_first_leaf()
        node.children[0] = Keyword("pass", first.start_pos, first.prefix)
        return node

    @staticmethod
    def _acts(statement: Any) -> bool:
        if statement.type in ("atom_expr", "power", "await_expr"):
            return True
        return statement.type == "expr_stmt" and statement.children[0].type in ("atom_expr", "power")

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: cosmic-ray wants the method."""
        return ()


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: of which file, at which line, by which operator, and the changed text of the file."""

    path: str
    line: int
    operator: str
    text: str

    @property
    def key(self) -> str:
        """The same for the same change of the same text."""
        return hashlib.sha256(f"{self.path}\n{self.text}".encode()).hexdigest()

    def diff(self) -> str:
        """What is changed, as a unified diff."""
        before, after = (ROOT / self.path).read_text("utf-8").splitlines(), self.text.splitlines()
        name = f"{self.path}:{self.line} {self.operator}"
        return "\n".join(difflib.unified_diff(before, after, name, name, lineterm="", n=2))


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a mutant: `caught`, `slow` (caught, since it took too long) or `survived`."""

    key: str
    outcome: str
    seconds: float


def operators() -> dict[str, Any]:
    """The operators of cosmic-ray that take no arguments, and our own, by name."""
    found = {name: plugins.get_operator(name) for name in plugins.operator_names()}
    return {
        **{name: made() for name, made in found.items() if not made.arguments()},
        "RemoveStatement": RemoveStatement(),
    }


def unread_lines(text: str) -> set[tuple[int, int]]:
    """Where annotations begin and end, as all (line, column) in them: nothing reads them while the program runs."""
    found: set[tuple[int, int]] = set()
    for node in ast.walk(ast.parse(text)):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.expr):
                lines = range(part.lineno, (part.end_lineno or part.lineno) + 1)
                found |= {(line, column) for line in lines for column in range(200) if _within(part, line, column)}
    return found


def _within(part: ast.expr, line: int, column: int) -> bool:
    return (part.lineno, part.col_offset) <= (line, column) < (part.end_lineno or 0, part.end_col_offset or 0)


def places(path: Path) -> dict[tuple[int, int, str], list[tuple[str, int]]]:
    """The changes (operator, its how-manieth place) that can be made in a file, by place and kind of operator.

    A plus can become ten other operators. They are one place, so that a sum does not weigh more than a condition.
    """
    text = path.read_text("utf-8")
    nodes, unread = list(ast_nodes(get_ast(text))), unread_lines(text)
    found: dict[tuple[int, int, str], list[tuple[str, int]]] = {}
    for name, operator in operators().items():
        positions = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, start in enumerate(positions):
            if start not in unread:
                found.setdefault((*start, name.rpartition("/")[2].split("_")[0]), []).append((name, occurrence))
    return found


def sample(room: Room, number: int, seed: str) -> list[Mutant]:
    """So many mutants of a room, or as many as there are; the same for the same code and seed."""
    draw = random.Random(seed)
    listed = [
        (path, place, changes)
        for path in sorted((ROOT / room.code).rglob("*.py"))
        for place, changes in sorted(places(path).items())
    ]
    chosen: list[Mutant] = []
    known = operators()
    for path, (line, _, _), changes in draw.sample(listed, len(listed)):
        if len(chosen) == number:
            break
        name, occurrence = draw.choice(changes)
        text = path.read_text("utf-8")
        mutated = mutate_code(text, known[name], occurrence)
        if mutated is not None and mutated != text and _is_python(mutated):
            chosen.append(Mutant(str(path.relative_to(ROOT)), line, name.rpartition("/")[2], mutated))
    return chosen


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


class Copies:
    """Copies of the sources, each for one mutant at a time."""

    def __init__(self, folder: Path, number: int) -> None:
        self._free: queue.Queue[Path] = queue.Queue()
        for index in range(number):
            copy_sources(folder / str(index), PARTS)
            self._free.put(folder / str(index))

    def run(
        self, tests: Sequence[str], limit_s: float | None, mutant: Mutant | None = None
    ) -> tuple[int | None, float]:
        """pytest's exit status for some tests in a copy (None: it took too long), and how long it took."""
        copy = self._free.get()
        began = time.monotonic()
        try:
            if mutant is not None:
                (copy / mutant.path).write_text(mutant.text, "utf-8")
            return _status_of_tests(copy, tests, limit_s), time.monotonic() - began
        finally:
            if mutant is not None:
                (copy / mutant.path).write_text((ROOT / mutant.path).read_text("utf-8"), "utf-8")
            self._free.put(copy)


def quickest_first(report: Path) -> list[str]:
    """The files of tests in a report of pytest (JUnit XML), the quickest first: most mutants are caught soon then."""
    spent_s: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        spent_s[case.attrib["file"]] += float(case.attrib["time"])
    return sorted(spent_s, key=lambda file: spent_s[file])


def _status_of_tests(copy: Path, tests: Sequence[str], limit_s: float | None) -> int | None:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    # A file that is changed twice within a second would be taken from the cache of the change before.
    given = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "MONTEGO_DIFFERENTIAL_GAMES": "2"}
    process = subprocess.Popen(
        command,
        cwd=copy,
        env={**os.environ, **given},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def tried(file: Path) -> dict[str, Trial]:
    """What earlier runs have found, by mutant."""
    if not file.exists():
        return {}
    return {trial.key: trial for line in file.read_text("utf-8").splitlines() for trial in [Trial(**json.loads(line))]}


def measure(name: str, given: argparse.Namespace) -> bool:
    """Tries the mutants of a room that have not been tried, and prints its score; whether it is as wanted."""
    room, file = ROOMS[name], TARGET / f"{name}.jsonl"
    mutants = sample(room, given.number, given.seed)
    known = tried(file)
    waiting = [
        mutant
        for mutant in mutants
        if mutant.key not in known or (given.again and known[mutant.key].outcome == "survived")
    ]
    print(f"{name}: {len(mutants)} mutants, {len(waiting)} to be tried", flush=True)
    until = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder, file.open("a", encoding="utf-8") as output:
        copies = Copies(Path(folder), given.processes)
        report = Path(folder) / "durations.xml"
        unchanged = (*room.tests, "-o", "junit_family=xunit1", f"--junit-xml={report}")
        status, took = copies.run(unchanged, None) if waiting else (0, 0.0)
        if status != 0:
            raise SystemExit(f"{name}: its tests fail without a mutant (pytest ended with {status})")
        tests = quickest_first(report) if waiting else []

        def attempt(mutant: Mutant) -> None:
            if time.monotonic() > until:
                return
            status, seconds = copies.run(tests, PATIENCE * took + PATIENCE_S, mutant)
            if status in (4, 5):
                raise SystemExit(f"{name}: pytest ran no tests (it ended with {status})")
            outcome = {None: "slow", 0: "survived"}.get(status, "caught")
            known[mutant.key] = trial = Trial(mutant.key, outcome, round(seconds, 1))
            output.write(json.dumps(asdict(trial)) + "\n")
            output.flush()
            print(f"  {outcome:8} {seconds:5.0f} s  {mutant.path}:{mutant.line} {mutant.operator}", flush=True)

        with ThreadPoolExecutor(given.processes) as pool:
            list(pool.map(attempt, waiting))
    return _report(name, room, [(mutant, known[mutant.key]) for mutant in mutants if mutant.key in known], len(mutants))


def _report(name: str, room: Room, found: list[tuple[Mutant, Trial]], sampled: int) -> bool:
    survivors = [mutant for mutant, trial in found if trial.outcome == "survived"]
    caught = len(found) - len(survivors)
    file = TARGET / f"{name}-survivors.diff"
    file.write_text("\n\n".join(mutant.diff() for mutant in survivors) + "\n", "utf-8")
    if not found:
        print(f"{name}: none of {sampled} mutants was tried")
        return False
    interval = binomtest(caught, len(found)).proportion_ci(0.95, "wilson")
    print(
        f"{name}: {caught} of {len(found)} mutants caught, {100 * caught / len(found):.1f} % "
        f"(95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f} %; wanted: {room.wanted} %); "
        f"{sampled - len(found)} not tried; survivors in {file.relative_to(ROOT)}"
    )
    return 100 * caught >= room.wanted * len(found)


def main(arguments: list[str]) -> int:
    """Measures the rooms that are named; 0 if all scores are as wanted."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), help=f"some of: {', '.join(ROOMS)} (default: all)")
    parser.add_argument("--number", type=int, default=200, help="mutants of each room (default: 200)")
    parser.add_argument("--seed", default="mutants", help="fixes the sample")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="mutants tried in parallel")
    parser.add_argument("--minutes", type=float, default=120, help="time for each room (default: 120)")
    parser.add_argument("--again", action="store_true", help="try survivors of earlier runs again")
    given = parser.parse_args(arguments)
    if unknown := set(given.rooms) - set(ROOMS):
        parser.error(f"there is no room {', '.join(sorted(unknown))}")
    TARGET.mkdir(parents=True, exist_ok=True)
    as_wanted = [measure(name, given) for name in given.rooms]
    return 0 if all(as_wanted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
