"""A master of Redis that changes in the middle of everything."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import pytest

from service.engine.record import verify
from service.errors import DecisionClosed, GameOver, Unavailable
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.change import load
from service.operations.games.records import record
from service.processes.supervisor import wait_until
from tests.e2e import failover
from tests.e2e.random_kills import finished_matches, is_over, picture
from tests.operations.game_setup import Seated, begin, due, service
from tests.operations.tournament_setup import game_of
from tests.sentinel_trio import NAME, Trio, sentinel_trio
from tests.workers.processes import Workers
from tests.workers.tournament_setup import Scripted, cup, faults_of, honest, served


@pytest.fixture
def trio() -> Iterator[Trio]:
    with sentinel_trio() as trio:
        yield trio


@pytest.fixture
def ctx(trio: Trio) -> Iterator[Context]:
    with service(trio.url, wait_replicas=1) as ctx:
        yield ctx


class Person:
    """Plays seat 0 of a casual game to its end, and notes which decisions were acknowledged."""

    def __init__(self, ctx: Context, seated: Seated) -> None:
        self.acknowledged: list[str] = []
        self._ctx, self._seated = ctx, seated
        self._thread = threading.Thread(target=self._play)

    def __enter__(self) -> Person:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._thread.join()

    def _play(self) -> None:
        while not self._is_over():
            # An action that was not acknowledged may have been taken, and stand or be lost.
            with contextlib.suppress(Unavailable, DecisionClosed, GameOver):
                decision = due(load(self._ctx, self._seated.game)).get(0)
                if decision is not None:
                    act(self._ctx, self._seated.seats[0], self._seated.game, Submission(decision, index=0))
                    self.acknowledged.append(decision)

    def _is_over(self) -> bool:
        with contextlib.suppress(Unavailable):
            return load(self._ctx, self._seated.game).over
        return False


@pytest.mark.slow
def test_the_command_that_shows_a_failover_says_when_it_was_over() -> None:
    lines: list[str] = []
    failover.run(lines.append, deals=4)
    assert sum("a match, 12 matches" in line for line in lines) == 3
    assert lines[-1].startswith("Each of 12 matches counts once")


@pytest.mark.slow
def test_a_tournament_and_a_casual_game_go_on_through_two_failovers(trio: Trio, ctx: Context) -> None:
    ann = Scripted()
    bots = {"ann": ann, **honest("ben", "cid")}
    with (
        served(ctx, bots, casual=True),
        Workers(trio.url, 2, MONTEGO_WAIT_REPLICAS="1") as workers,
    ):
        quiet = cup(ctx, *bots, deals=4, warmup_ms=30_000)
        assert wait_until(lambda: is_over(ctx, quiet), 60, pause=0.1), workers.log()
        seated = begin(ctx, 2, seats=["creator", {"bot": "ben"}])
        with Person(ctx, seated) as person:
            wild = cup(ctx, *bots, deals=4, warmup_ms=30_000)
            before = len(ann.asks)
            assert wait_until(lambda: len(ann.asks) > before + 20, 30), workers.log()
            first = trio.master()
            with trio.sentinel(trio.sentinels[0]) as sentinel:
                sentinel.execute_command("SENTINEL", "FAILOVER", NAME)
            assert wait_until(lambda: trio.master() != first, 30)
            trio.fail_over()
            assert not is_over(ctx, wild), "all of it happened while matches were played"
            assert wait_until(lambda: is_over(ctx, wild), 120, pause=0.1), workers.log()
    plain, found = picture(ctx, quiet), picture(ctx, wild)
    for part in plain:
        assert found[part] == plain[part], part
    told = finished_matches(ctx, wild)
    assert sorted(told) == sorted(set(told)), "no match counted twice"
    for number in range(12):
        verify(record(ctx, game_of(ctx, wild, number)))
    casual = record(ctx, seated.game)
    verify(casual)
    settled = [entry["decision"] for entry in casual["actions"] if entry["by"] == "player"]
    assert set(person.acknowledged) <= set(settled)
    for name in bots:
        assert faults_of(ctx, name) == []
