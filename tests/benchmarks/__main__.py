"""`make bench`: measures everything, prints a table, writes `build/bench.json` (name to value).

`--peers` measures other game libraries in the same run (`make bench-peers`); names as arguments choose some benchmarks.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

BENCHMARKS = ("engine", "compiled", "asks", "search", "api", "pages", "stalls", "standings", "ladder", "harness")
PEERS = ("peers", "search_peers", "server_peers")
TARGET = Path("build/bench.json")


def main(arguments: list[str]) -> int:
    """Runs what is asked for; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join((*BENCHMARKS, *PEERS))}")
    parser.add_argument("--peers", action="store_true", help="other libraries too")
    given = parser.parse_args(arguments)
    names = given.names or (PEERS if given.peers else BENCHMARKS)
    unknown = set(names) - {*BENCHMARKS, *PEERS}
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    console = Console()
    table = Table("figure", "value", title="medians, measured on this machine")
    table.columns[1].justify = "right"
    figures: dict[str, float] = {}
    for name in names:
        console.print(f"measuring {name} …")
        figures |= importlib.import_module(f"tests.benchmarks.{name}").measure()
    for figure, value in figures.items():
        table.add_row(figure, f"{value:,.0f}" if value >= 1000 else f"{value:,.3g}")
    TARGET.parent.mkdir(exist_ok=True)
    known = json.loads(TARGET.read_text("utf-8")) if TARGET.exists() else {}
    TARGET.write_text(json.dumps({**known, **figures}, indent=2) + "\n", "utf-8")
    console.print(table)
    console.print(f"written to {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
