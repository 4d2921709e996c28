"""What the API cannot take in is no poll bot's fault: clocks stand still while it does not serve."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from bots.random_bot import RandomBot
from montego_bot import Action, Ask, Poller
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.tournaments.matches import results, voids
from service.processes.commands import api_command
from service.processes.ports import LOOPBACK, free_port
from service.processes.supervisor import wait_until
from tests.api.serving import answers
from tests.operations.game_setup import register, service
from tests.operations.tournament_setup import game_of
from tests.pollers import running_pollers
from tests.workers.processes import environment, tree_of
from tests.workers.tournament_setup import NeverSlow, cup, faults_of, worker_on
from workers.blocks import run_block

SLOW_MS = 500
MOVE_MS, BANK_MS = 2000, 500
AWAY_S = 6.0
"""Longer than a bot has for any decision."""


class Api:
    """`montego serve` on a port of its own, in processes that can be stopped and killed."""

    def __init__(self, redis_url: str) -> None:
        self._port = free_port()
        self.url = f"http://{LOOPBACK}:{self._port}"
        settings = {"MONTEGO_HARNESS_SLOW_MS": str(SLOW_MS), "MONTEGO_API_PROCESSES": "2"}
        self._environ = environment(redis_url, **settings)
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(api_command(LOOPBACK, self._port), env=self._environ)
        assert wait_until(lambda: answers(self.url), 60), "the API did not come up"

    def signal(self, number: signal.Signals, *, one: bool = False) -> None:
        """To all processes of the API, or to one of those that serve."""
        master, *serving = sorted(tree_of(self._process.pid))
        for pid in serving[:1] if one else (master, *serving):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)
        time.sleep(AWAY_S)
        self.signal(signal.SIGCONT)

    def freeze_one(self) -> None:
        self.signal(signal.SIGSTOP, one=True)
        time.sleep(AWAY_S)
        self.signal(signal.SIGCONT, one=True)

    def crash_and_restart(self) -> None:
        self.signal(signal.SIGKILL)
        self._process.wait(20)
        time.sleep(AWAY_S / 2)
        self.start()

    def end(self) -> None:
        self.signal(signal.SIGCONT)
        self._process.terminate()
        self._process.wait(20)


@pytest.fixture
def api(redis_url: str) -> Iterator[Api]:
    api = Api(redis_url)
    try:
        yield api
    finally:
        api.end()


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    with service(redis_url, harness_slow_ms=SLOW_MS) as ctx:
        yield ctx


class Calling(RandomBot):
    """A bot that, asked for the n-th time, answers a moment after the call has begun."""

    def __init__(self, name: str, at: int, call: Callable[[], None]) -> None:
        super().__init__(name, seed=name)
        self._left, self._call = at, call
        self.calls: list[threading.Thread] = []

    def act(self, ask: Ask) -> Action:
        self._left -= 1
        if self._left == 0:
            self.calls.append(threading.Thread(target=self._call))
            self.calls[0].start()
            time.sleep(0.2)
        return super().act(ask)


@contextmanager
def polling(ctx: Context, api: Api, *bots: RandomBot) -> Iterator[None]:
    pollers = [Poller(bot, api.url, register(ctx, bot.name).token, wait=2) for bot in bots]
    with running_pollers(pollers):
        yield


@pytest.mark.parametrize(
    "trouble",
    [
        Api.freeze,
        *(pytest.param(trouble, marks=pytest.mark.slow) for trouble in (Api.freeze_one, Api.crash_and_restart)),
    ],
)
def test_poll_bots_lose_no_time_while_the_api_is_away(ctx: Context, api: Api, trouble: Callable[[Api], None]) -> None:
    caller = Calling("ann", 6, lambda: trouble(api))
    with ExitStack() as stack:
        stack.enter_context(polling(ctx, api, caller, RandomBot("ben", seed="ben")))
        worker = stack.enter_context(worker_on(ctx))
        tournament = cup(ctx, "ann", "ben", move_ms=MOVE_MS, bank_ms=BANK_MS, max_faults=0, warmup_ms=30_000)
        run_block(worker, tournament, 0, NeverSlow())
        for call in caller.calls:
            call.join()
    assert caller.calls, "the API was away while a match was played"
    found = results(ctx, tournament)
    assert [(result.ended, result.attempt, result.faults) for result in found.values()] == [("played", 0, ({}, {}))] * 2
    assert voids(ctx, tournament) == {}
    assert faults_of(ctx, "ann") == faults_of(ctx, "ben") == []
    ledgers = load(ctx, game_of(ctx, tournament, 0)).ledgers
    assert [ledger.bank_spent_ms for ledger in ledgers] == [0, 0], "nor their banks"
