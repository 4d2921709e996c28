"""`python -m tests.benchmarks.pages`: the page of a game: its size, the time to draw a position, and a thousand who
watch one live game."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import requests

from service.web.games import parts_of_position
from service.web.timeline import Timeline
from service.web.words import words_in
from tests.api.serving import Served
from tests.benchmarks.api import Bench, act, bench, cpu_s, family, new_game
from tests.web.games import document, finished

SPECTATORS = 1000
SHOWN = 12
"""Actions of which it is measured when they are shown."""
TURNS = 3
PAUSE_S = 1.0
"""Between two actions of the game that is watched."""


def drawing() -> dict[str, float]:
    """Each position of a whole game of four, as a part of the page, drawn anew. CPU time, so that other programs hardly
    matter."""
    view = finished(document(4))
    timeline = Timeline(view)
    timeline.extend(view)
    words = words_in("en")
    times: list[float] = []
    for _ in range(2):
        times.clear()
        for position in timeline.positions[1:]:
            began = time.process_time()
            parts_of_position(view, timeline, position, words, ())
            times.append((time.process_time() - began) * 1000)
    return {
        "pages: CPU to draw a position (ms)": statistics.median(times),
        "pages: CPU to draw the slowest position of a game (ms)": max(times),
    }


def first_view(api: Served) -> dict[str, float]:
    """What a browser loads for the page of a game of four that is over: bytes as they are sent."""
    game = new_game(api)
    while game["observation"]["decisions"]:
        act(api, game)
    address = f"{api.url}/games/{game['game']}"
    page = requests.get(address, timeout=10).text
    assets = sorted(set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page)))
    return {"pages: first view of a game (bytes)": sum(map(sent, [address, *(api.url + path for path in assets)]))}


def sent(address: str) -> int:
    """Bytes of a body as it comes over the wire."""
    with requests.get(address, headers={"Accept-Encoding": "gzip"}, stream=True, timeout=10) as answer:
        return len(answer.raw.read(decode_content=False))


@contextmanager
def spectators(api: Served, game: str) -> Iterator[subprocess.Popen[str]]:
    """A thousand who watch this game; by its standard input the process is asked when they were shown an event."""
    command = [sys.executable, "-m", "tests.benchmarks.spectators", api.url, game, str(SPECTATORS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.stdin.close()


def showing(api: Served) -> dict[str, float]:
    """How long it takes from an action until it is on the pages of a thousand spectators."""
    game, server = new_game(api), family(api)
    middle, last, cpu = [], [], []
    with spectators(api, game["game"]) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(SHOWN):
            time.sleep(PAUSE_S)
            spent, began = cpu_s(server), time.monotonic()
            act(api, game)
            events = requests.get(f"{api.url}/v1/games/{game['game']}/events", timeout=10).json()
            print(events["events"][-1]["n"], file=process.stdin, flush=True)
            delays = [(moment - began) * 1000 for moment in json.loads(process.stdout.readline())]
            middle.append(statistics.median(delays))
            last.append(max(delays))
            cpu.append((cpu_s(server) - spent) * 1000)
    return {
        "pages: an action is shown to the middle one of 1,000 spectators (ms)": statistics.median(middle),
        "pages: an action is shown to the last one of 1,000 spectators (ms)": statistics.median(last),
        "pages: server CPU to show an action to 1,000 spectators (ms)": statistics.median(cpu),
    }


def actions_beside(servers: Bench) -> dict[str, float]:
    """Actions a second in other games, with and without a thousand who watch a game that goes on, by turns."""
    alone, beside = [], []
    for _ in range(TURNS):
        alone.append(servers.play().rate)
        game = new_game(servers.api)
        with spectators(servers.api, game["game"]), going_on(servers.api, game):
            beside.append(servers.play().rate)
    return {
        "pages: actions a second beside 1,000 spectators, share of those without": statistics.median(
            one / other for one, other in zip(beside, alone, strict=True)
        )
    }


@contextmanager
def going_on(api: Served, game: dict[str, object]) -> Iterator[None]:
    """The game goes on, an action every PAUSE_S."""
    ended = threading.Event()

    def play() -> None:
        while not ended.wait(PAUSE_S):
            act(api, game)

    player = threading.Thread(target=play)
    player.start()
    try:
        yield
    finally:
        ended.set()
        player.join()


def measure() -> dict[str, float]:
    """All of it, over a Redis of our own."""
    with bench() as servers:
        return drawing() | first_view(servers.api) | showing(servers.api) | actions_beside(servers)


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<80} {value:10.2f}")
