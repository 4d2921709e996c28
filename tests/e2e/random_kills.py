"""Kills of every kind while a tournament is played, and what must be as if nothing had happened."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bots.random_bot import RandomBot
from montego_bot import Action, Ask, Poller
from service.errors import Unavailable
from service.operations.context import Context
from service.operations.tournaments.matches import results, voids
from service.operations.tournaments.read import crosstable, standings
from service.processes.commands import api_command
from service.processes.ports import LOOPBACK, free_port
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from tests.api.serving import answers
from tests.operations.game_setup import register
from tests.operations.tournament_setup import game_of
from tests.pollers import running_pollers
from tests.workers.processes import Workers, environment, kill, tree_of
from tests.workers.tournament_setup import bare, served

WITHIN_S = 20.0
"""A match must go on so soon after the loss of whoever played it."""
MOMENT_S = 0.01
"""What a bot takes for an answer: a moment in which something can go wrong."""
PUSH, POLL = ("ann", "ben"), ("cid",)
NAMES = (*PUSH, *POLL)


class AskTimes:
    """When each game's bots were asked; lets one wait for the next ask."""

    def __init__(self) -> None:
        self.count = 0
        self.times: dict[str, list[float]] = {}
        self._changed = threading.Condition()

    def one_more(self, game: str) -> None:
        with self._changed:
            self.count += 1
            self.times.setdefault(game, []).append(time.monotonic())
            self._changed.notify_all()

    def wait_for_more(self, count: int, seconds: float) -> bool:
        with self._changed:
            until = self.count + count
            return self._changed.wait_for(lambda: self.count >= until, seconds)

    def longest_rest(self, kills: list[float]) -> float:
        """How long it took after a kill at most until a game that it had held up went on (seconds)."""
        longest = 0.0
        for times in self.times.values():
            for before, after in itertools.pairwise(times):
                held_up = [kill for kill in kills if before < kill < after]
                longest = max(longest, after - max(held_up)) if held_up else longest
        return longest


class SteadyBot(RandomBot):
    """The same question gets the same answer."""

    def __init__(self, name: str, asked: AskTimes) -> None:
        super().__init__(name, seed=name)
        self._asked = asked

    def act(self, ask: Ask) -> Action:
        self._asked.one_more(ask.game)
        time.sleep(MOMENT_S)
        return super().act(ask)


class ApiProcess:
    """`montego serve` in processes of its own, which can be killed and started again at the same address."""

    def __init__(self, redis_url: str, **environ: str) -> None:
        self._environ = environment(redis_url, MONTEGO_API_PROCESSES="1", **environ)
        self._port = free_port()
        self.url = f"http://{LOOPBACK}:{self._port}"
        self._process = self._run()

    def restart(self) -> None:
        """SIGKILL to all of its processes at once."""
        self.end()
        self._process = self._run()

    def end(self) -> None:
        kill(list(tree_of(self._process.pid)))
        self._process.wait(10)

    def _run(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(api_command(LOOPBACK, self._port), env=self._environ, stderr=subprocess.DEVNULL)
        assert wait_until(lambda: answers(self.url), 30), "the server did not come up"
        return process


@contextmanager
def polling(url: str, bots: Mapping[str, tuple[RandomBot, str]]) -> Iterator[None]:
    """Bots that poll, each with its token."""
    pollers = [Poller(bot, url, token, wait=2) for bot, token in bots.values()]
    with running_pollers(pollers):
        yield


@contextmanager
def seated(ctx: Context, asked: AskTimes, url: str) -> Iterator[None]:
    """All bots of `NAMES`, registered and playing."""
    tokens = {name: register(ctx, name, max_games=16).token for name in POLL}
    pushing = {name: SteadyBot(name, asked) for name in PUSH}
    poll = {name: (SteadyBot(name, asked), tokens[name]) for name in POLL}
    with served(ctx, pushing, max_games=16), polling(url, poll):
        yield


class RandomKills:
    """Kills one thing after another while a tournament is played."""

    def __init__(self, asked: AskTimes, redis_server: RedisServer, api: ApiProcess, chance: random.Random) -> None:
        self._asked = asked
        self._redis = redis_server
        self._api = api
        self._chance = chance
        self.workers = [self._new_workers()]
        self.kills: list[float] = []

    def _new_workers(self) -> Workers:
        return Workers(self._redis.url, 2)

    def job(self) -> None:
        """A work horse: the process in which a block is played."""
        assert wait_until(lambda: bool(self.workers[-1].jobs()), WITHIN_S)
        jobs = self.workers[-1].jobs()
        kill(self._chance.sample(jobs, min(1, len(jobs))))

    def worker(self) -> None:
        """A process that serves the queue; the job that it had forked goes on alone."""
        serving = self.workers[-1].serving("matches") + self.workers[-1].serving("spare")
        kill(self._chance.sample(serving, min(1, len(serving))))

    def steward(self) -> None:
        """The one that runs the clock and the housekeeping."""
        kill(self.workers[-1].serving("steward"))

    def tree(self) -> None:
        """All workers at once; new ones are started."""
        self.workers[-1].kill_all()
        self.workers.append(self._new_workers())

    def redis(self) -> None:
        """Redis; it is started again on what it had written."""
        self._redis.restart()

    def api(self) -> None:
        """The API, through which one of the bots polls; it is started again."""
        self._api.restart()

    def kinds(self) -> list[Callable[[], None]]:
        return [self.job, self.worker, self.steward, self.tree, self.redis, self.api]

    def run(self, count: int) -> None:
        """So many kills, every kind in turn in an order of chance, each a few asks after the one before. Raises
        AssertionError if nothing goes on."""
        kinds: list[Callable[[], None]] = []
        for _ in range(count):
            kinds = kinds or self._chance.sample(self.kinds(), len(self.kinds()))
            kind = kinds.pop()
            assert self._asked.wait_for_more(self._chance.randrange(1, 30), WITHIN_S), f"before {kind.__name__}"
            self.kills.append(time.monotonic())
            kind()

    def end(self) -> None:
        for workers in self.workers:
            workers.__exit__(None, None, None)

    def log(self) -> str:
        return "\n".join(workers.log() for workers in self.workers)


def is_over(ctx: Context, tournament: str) -> bool:
    try:
        return bool(standings(ctx, tournament)["status"] == "finished")
    except Unavailable:
        return False


def picture(ctx: Context, tournament: str) -> dict[str, Any]:
    """All that a tournament came to, without ids, times and what depends on them."""
    rows = standings(ctx, tournament)["standings"]
    found = results(ctx, tournament)
    kept = {number: result.to_json() for number, result in found.items()}
    for result in kept.values():
        for moment in ("answer_ms", "game"):
            result.pop(moment)
    return {
        "standings": [{name: value for name, value in row.items() if name != "answer_ms"} for row in rows],
        "crosstable": crosstable(ctx, tournament)["score"],
        "results": kept,
        "voids": voids(ctx, tournament),
        "records": [bare(ctx, game_of(ctx, tournament, number)) for number in sorted(found)],
    }


def finished_matches(ctx: Context, tournament: str) -> list[str]:
    """The matches that the events tell of, in their order."""
    events = [json.loads(text) for _, text in ctx.tournaments.events(tournament, 0, 10_000)]
    return [event["match"] for event in events if event["type"].startswith("match_")]
