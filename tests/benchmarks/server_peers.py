"""`python -m tests.benchmarks.server_peers`: the HTTP API next to boardgame.io's server, by turns.

boardgame.io serves a toy game of four whose players pick cards at once and in secret, to clients over websockets
(`boardgame_io/`), in memory and on files. Ours serves whole games of Montego Bay over HTTP and syncs each action to
disk. Both get 16 games at once, every seat by a connection of its own. Needs Node, and fetches boardgame.io from npm
once.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from service.processes.ports import LOOPBACK, free_port
from service.processes.stack import responds
from service.processes.supervisor import wait_until
from tests.benchmarks.api import SECONDS, TURNS, bench, cpu_s

SOURCES = Path(__file__).with_name("boardgame_io")
BUILD = Path("build/boardgame_io")
GAMES = "16"
PLACES = ("in memory", "on files")


@dataclass(frozen=True, slots=True)
class Moves:
    """One turn of load on boardgame.io."""

    rate: float
    """Moves a second."""
    cpu_ms: float
    """CPU time of the server for a move."""


def install() -> None:
    """Puts the server, its load and what they need into `build/`."""
    shutil.copytree(SOURCES, BUILD, dirs_exist_ok=True)
    if not (BUILD / "node_modules").exists():
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=BUILD, check=True)


@contextmanager
def boardgame_io(folder: str | None) -> Iterator[tuple[str, psutil.Process]]:
    """A running server, with matches in memory or in a folder; its URL and process."""
    port = free_port()
    command = ["node", "server.js", str(port), *([folder] if folder else [])]
    with subprocess.Popen(command, cwd=BUILD, stdout=subprocess.DEVNULL) as process:
        url = f"http://{LOOPBACK}:{port}"
        try:
            assert wait_until(lambda: responds(f"{url}/games"), 30), "boardgame.io did not come up"
            yield url, psutil.Process(process.pid)
        finally:
            process.terminate()


def turn(url: str, server: psutil.Process) -> Moves:
    """Loads boardgame.io for one turn."""
    before = cpu_s([server])
    done = subprocess.run(
        ["node", "load.js", url, str(SECONDS)], cwd=BUILD, stdout=subprocess.PIPE, check=True, timeout=60
    )
    moves = json.loads(done.stdout)
    return Moves(len(moves["times"]) / SECONDS, (cpu_s([server]) - before) * 1000 / moves["moves"])


def measure() -> dict[str, float]:
    """All figures, name to value; ratios say how many times as many actions ours takes. None where Node is absent."""
    if shutil.which("npm") is None:
        print("boardgame.io is not measured: Node is not there")
        return {}
    install()
    with (
        tempfile.TemporaryDirectory() as folder,
        bench() as ours,
        boardgame_io(None) as in_memory,
        boardgame_io(folder) as on_files,
    ):
        servers = dict(zip(PLACES, (in_memory, on_files), strict=True))
        ours.load(ours.api, "--games", GAMES)
        turns = [
            (ours.load(ours.api, "--games", GAMES), {place: turn(*server) for place, server in servers.items()})
            for _ in range(TURNS)
        ]
    figures = {
        "peers: actions a second, 16 games at once": statistics.median(one.rate for one, _ in turns),
        "peers: server CPU a request (ms)": statistics.median(
            one.server_cpu_s * 1000 / one.requests for one, _ in turns
        ),
    }
    for place in PLACES:
        figures |= {
            f"peers: boardgame.io {place}, moves a second": statistics.median(all_[place].rate for _, all_ in turns),
            f"peers: boardgame.io {place}, server CPU a move (ms)": statistics.median(
                all_[place].cpu_ms for _, all_ in turns
            ),
            f"peers: actions a second over boardgame.io {place}": statistics.median(
                one.rate / all_[place].rate for one, all_ in turns
            ),
        }
    return figures


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<64} {value:10.2f}")
