"""`python -m tests.benchmarks.api`: the HTTP API, as `montego serve` serves it, under clients that play whole games.

The API and the bare view of `bare.py` run under the same gunicorn settings over the same Redis (append-only file,
synced always); the load generator is a process of its own. The two are loaded by turns, and their ratio is taken turn
by turn.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import redis
import requests

from service.config import Settings
from service.processes import redis_server as local_redis
from service.processes.commands import api_command
from service.processes.ports import LOOPBACK, free_port
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from service.wiring import build
from tests.api.serving import Served, answers, serve
from tests.benchmarks import api_storage

KEY = "the-organisers-key"
TURNS = 6
SECONDS = 1.5
MANY_GAMES = "64"
"""Over each of two connections, where many actions come in a call."""
REQUEST_BYTES = 78
"""Of an action with cards."""
WAITERS = 1000
WAITED_GAMES = 250
WAITING_TURNS = 3
DELIVERIES = 3
IDLE_FOR_S = 0.3
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Chunk:
    """One turn of load. CPU times in seconds; `reads` counts what Redis read from sockets: one for a round trip."""

    requests: int
    actions: int
    finished: int
    body_bytes: int
    times: list[float]
    cpu_share: float
    server_cpu_s: float
    redis_cpu_s: float
    reads: int

    @property
    def rate(self) -> float:
        """Actions a second."""
        return len(self.times) / SECONDS

    def percentile_ms(self, percent: int) -> float:
        """Milliseconds within which so many of a hundred answers came."""
        return statistics.quantiles(self.times, n=100)[percent - 1] * 1000


@dataclass(frozen=True, slots=True)
class Bench:
    """The servers that are measured."""

    server: RedisServer
    client: redis.Redis
    api: Served
    bare: Served

    def load(self, server: Served, *more: str) -> Chunk:
        """One turn of load on a server."""
        command = [sys.executable, "-m", "tests.benchmarks.api_load", server.url, KEY, str(SECONDS), *more]
        mine, database = family(server), psutil.Process(self.server.pid)
        cpu, redis_cpu, reads = cpu_s(mine), cpu_s([database]), self._reads()
        done = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60).stdout)
        return Chunk(
            **done,
            server_cpu_s=cpu_s(mine) - cpu,
            redis_cpu_s=cpu_s([database]) - redis_cpu,
            # The last reading was itself a command.
            reads=self._reads() - reads - 1,
        )

    def play(self) -> Chunk:
        """Games on the API."""
        return self.load(self.api)

    def _reads(self) -> int:
        return int(self.client.info("stats")["total_reads_processed"])


def family(server: Served) -> list[psutil.Process]:
    """gunicorn's master and its workers."""
    master = psutil.Process(server.process.pid)
    return [master, *master.children(recursive=True)]


def cpu_s(processes: Sequence[psutil.Process]) -> float:
    """CPU seconds that they have spent."""
    return sum(times.user + times.system for times in (process.cpu_times() for process in processes))


def is_idle(server: Served) -> bool:
    """Whether the server has done next to nothing for a moment."""
    mine = family(server)
    before = cpu_s(mine)
    time.sleep(IDLE_FOR_S)
    return cpu_s(mine) - before <= IDLE_FOR_S / 10


def memory_mib(processes: Sequence[psutil.Process]) -> float:
    """Memory that they hold; pages that they share count once."""
    return sum(process.memory_full_info().pss for process in processes) / MIB


@contextmanager
def serve_bare(redis_url: str, body_bytes: bytes) -> Iterator[Served]:
    """The bare view, with everything else as for the API."""
    port = free_port()
    with tempfile.NamedTemporaryFile(suffix=".json") as body:
        body.write(body_bytes)
        body.flush()
        application = f"tests.benchmarks.bare:create_app({redis_url!r}, {body.name!r})"
        command = (*api_command(LOOPBACK, port)[:-1], "--pythonpath", str(Path.cwd()), application)
        process = subprocess.Popen(command, env=os.environ)
        served = Served(f"http://{LOOPBACK}:{port}", process)
        try:
            assert wait_until(lambda: answers(served.url), 30), "the bare view did not come up"
            yield served
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def bench() -> Iterator[Bench]:
    """A Redis and both servers over it."""
    with (
        local_redis.start() as server,
        redis.Redis.from_url(server.url) as client,
        serve(server.url, KEY) as api,
        serve_bare(server.url, usual_answer(api)) as bare,
    ):
        yield Bench(server, client, api, bare)


def new_game(api: Served) -> dict[str, Any]:
    """A game of four, all seats ours."""
    made = requests.post(f"{api.url}/v1/games", json={"players": 4}, headers=bearer(KEY), timeout=10)
    made.raise_for_status()
    game: dict[str, Any] = made.json()
    return game


def bearer(token: str) -> dict[str, str]:
    """The header that says who calls."""
    return {"Authorization": f"Bearer {token}"}


def act(api: Served, game: dict[str, Any]) -> bytes:
    """Settles the game's first open decision; the body of the answer."""
    decision = game["observation"]["decisions"][0]
    answer = requests.post(
        f"{api.url}/v1/games/{game['game']}/actions",
        json={"decision": decision["id"], "index": 0},
        headers=bearer(game["tokens"][decision["seat"]]["token"]),
        timeout=10,
    )
    answer.raise_for_status()
    game["observation"] = answer.json()["observation"]
    return answer.content


def usual_answer(api: Served) -> bytes:
    """The answer of middle size in a game: what the bare view answers too."""
    game, answered = new_game(api), []
    while game["observation"]["decisions"]:
        answered.append(act(api, game))
    return sorted(answered, key=len)[len(answered) // 2]


@contextmanager
def waiters(api: Served, games: Sequence[dict[str, Any]]) -> Iterator[Callable[[], list[float]]]:
    """A thousand clients that wait for these games to move on. What is yielded, or else the end, moves them on, and
    returns how long each client had to wait from then on (seconds)."""
    wanted = [(game["game"], game["observation"]["version"]) for game in games] * (WAITERS // len(games))
    told: list[float] = []
    command = [sys.executable, "-m", "tests.benchmarks.api_waiters", api.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(wanted) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        wait_until(lambda: is_idle(api), 20)  # all of them are waiting
        answers_at = process.stdout

        def move_on() -> list[float]:
            began = time.monotonic()
            for game in games:
                act(api, game)
            told[:] = [at - began for at in json.loads(answers_at.readline())]
            return told

        yield move_on
        if not told:
            # A server does not notice that one who waits has gone.
            move_on()
        process.stdin.close()


def cpu_ms_an_action(chunk: Chunk) -> float:
    """CPU of the server, with all that it did besides."""
    return chunk.server_cpu_s * 1000 / chunk.actions


def throughput(bench: Bench) -> dict[str, float]:
    """Actions a second and what they cost, alone and many in a call, next to the bare view."""
    bench.play()
    turns = [
        (
            bench.play(),
            bench.load(bench.bare, "--bare", str(REQUEST_BYTES)),
            bench.load(bench.api, "--many", MANY_GAMES),
        )
        for _ in range(TURNS)
    ]
    played, bare, many = zip(*turns, strict=True)

    def median(chunks: Sequence[Chunk], value: Callable[[Chunk], float]) -> float:
        return statistics.median(value(chunk) for chunk in chunks)

    return {
        "api: actions a second": median(played, lambda chunk: chunk.rate),
        "api: requests a second of the bare view": median(bare, lambda chunk: chunk.rate),
        "api: share of the bare view": statistics.median(one.rate / other.rate for one, other, _ in turns),
        "api: actions a second, many in a call": median(many, lambda chunk: chunk.rate),
        "api: many in a call over requests of the bare view": statistics.median(
            one.rate / other.rate for _, other, one in turns
        ),
        "api: server CPU an action, many in a call (ms)": median(many, cpu_ms_an_action),
        "api: Redis CPU an action, many in a call (ms)": median(many, lambda c: c.redis_cpu_s * 1000 / c.actions),
        "api: CPU of a bare request over that of an action, many in a call": statistics.median(
            cpu_ms_an_action(other) / cpu_ms_an_action(one) for _, other, one in turns
        ),
        "api: p50 of an action (ms)": median(played, lambda chunk: chunk.percentile_ms(50)),
        "api: p99 of an action (ms)": median(played, lambda chunk: chunk.percentile_ms(99)),
        "api: p50 of the bare view (ms)": median(bare, lambda chunk: chunk.percentile_ms(50)),
        "api: p99 of the bare view (ms)": median(bare, lambda chunk: chunk.percentile_ms(99)),
        "api: server CPU a request (ms)": median(played, lambda chunk: chunk.server_cpu_s * 1000 / chunk.requests),
        "api: server CPU a bare request (ms)": median(bare, lambda chunk: chunk.server_cpu_s * 1000 / chunk.requests),
        "api: Redis CPU a request (ms)": median(played, lambda chunk: chunk.redis_cpu_s * 1000 / chunk.requests),
        "api: Redis CPU a bare request (ms)": median(bare, lambda chunk: chunk.redis_cpu_s * 1000 / chunk.requests),
        "api: load generator, share of a core": median(played, lambda chunk: chunk.cpu_share),
        "api: load generator on the bare view, share of a core": median(bare, lambda chunk: chunk.cpu_share),
        "api: Redis round trips an action": median(played, lambda chunk: chunk.reads / chunk.actions),
        "api: bytes of an answer": median(played, lambda chunk: chunk.body_bytes / len(chunk.times)),
        "api: bytes of a bare answer": median(bare, lambda chunk: chunk.body_bytes / len(chunk.times)),
        "api: games finished": sum(chunk.finished for chunk in played),
    }


def waiting(bench: Bench) -> dict[str, float]:
    """The same load with and without idle long-polls beside it, by turns; memory with them."""
    games = [new_game(bench.api) for _ in range(WAITED_GAMES)]
    alone, beside, memory = [], [], 0.0
    for _ in range(WAITING_TURNS):
        alone.append(bench.play())
        with waiters(bench.api, games):
            beside.append(bench.play())
            memory = max(memory, memory_mib([*family(bench.api), psutil.Process(bench.server.pid)]))
    slower = [two.percentile_ms(99) / one.percentile_ms(99) for one, two in zip(alone, beside, strict=True)]
    return {
        "api: p99 of an action without waiters (ms)": statistics.median(chunk.percentile_ms(99) for chunk in alone),
        "api: p99 of an action beside 1,000 waiters (ms)": statistics.median(c.percentile_ms(99) for c in beside),
        "api: p99 beside 1,000 waiters over p99 without": statistics.median(slower),
        "api: actions a second beside 1,000 waiters": statistics.median(chunk.rate for chunk in beside),
        "api: memory of API and Redis with 1,000 waiters (MiB)": memory,
    }


def delivery(bench: Bench) -> dict[str, float]:
    """How long it takes until a thousand who wait for one game have been told that it has moved on."""
    last, middle = [], []
    for _ in range(DELIVERIES):
        with waiters(bench.api, [new_game(bench.api)]) as move_on:
            told = move_on()
        last.append(max(told) * 1000)
        middle.append(statistics.median(told) * 1000)
    return {
        "api: an event reaches the middle one of 1,000 waiters (ms)": statistics.median(middle),
        "api: an event reaches the last one of 1,000 waiters (ms)": statistics.median(last),
    }


def storage(bench: Bench) -> dict[str, float]:
    """What games in progress take in Redis."""
    found = api_storage.measure(build(Settings(redis_url=bench.server.url, organiser_key=KEY)), bench.client)
    return {
        "api: Redis bytes a game, 10,000 in progress, all stages alike": found.in_progress,
        "api: Redis bytes a game at its last action": found.nearly_over,
        "api: entries of a whole game": found.entries,
    }


def measure() -> dict[str, float]:
    """All of it, over a Redis of our own."""
    with bench() as servers:
        return throughput(servers) | waiting(servers) | delivery(servers) | storage(servers)


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<64} {value:10.2f}")
