"""The harness measures its own delay, and what that makes of a match."""

from __future__ import annotations

import ctypes
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bots.random_bot import RandomBot
from montego_bot import Action, Ask
from service.archive.verify import verify as verify_archive
from service.engine.record import verify
from service.engine.setup import block_seed, match_seed
from service.errors import Unavailable
from service.ids import match_id
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.records import record
from service.operations.tournaments import lifecycle
from service.operations.tournaments.export import export
from service.operations.tournaments.matches import results, store_void, void_of, voids
from service.operations.tournaments.read import matches, standings
from service.processes.redis_server import RedisServer
from service.store import clients
from service.store.leases import LeaseLost
from service.store.tournaments import TournamentStore
from service.strict_json import parse_strict
from tests.operations.game_setup import organiser
from tests.operations.tournament_setup import game_of
from tests.outage import Outage
from tests.workers.outbound_setup import LOOPBACK
from tests.workers.tournament_setup import (
    INFORMATION,
    Entrant,
    NeverSlow,
    Scripted,
    cup,
    honest,
    opened,
    served,
    worker_on,
)
from workers.blocks import BlockRun, run_block
from workers.harness_latency import TICK_S, HarnessLatency, LatencyProbe
from workers.leases import LEASE_MS, LeaseKeeper, block_lease
from workers.outbound import OutboundClient

LIMIT_MS = 150
MOVE_MS = 120


@pytest.fixture
def instant(ctx: Context) -> Iterator[LatencyProbe]:
    outbound = OutboundClient(LOOPBACK)
    with LatencyProbe(outbound, LIMIT_MS, ctx.clock.now_ms) as instant:
        # From the first measurement on.
        while instant.counts()[0] == 0:
            time.sleep(TICK_S)
        yield instant
    outbound.close()


def stall(ms: int) -> None:
    """This whole process does nothing else for so long: a function of C that is called like this lets no other thread
    run."""
    ctypes.PyDLL(None).usleep(ms * 1000)


class Hindering(RandomBot):
    """A bot that answers at once; when it is asked at one of these times (counted from 1), it is the harness that
    stalls, since bot and harness share a process here."""

    def __init__(self, name: str, at: set[int], ms: int = 600) -> None:
        super().__init__(name, seed=name)
        self.asked, self._at, self._ms = 0, at, ms

    def act(self, ask: Ask) -> Action:
        self.asked += 1
        if self.asked in self._at:
            stall(self._ms)
        return super().act(ask)


class Tardy(RandomBot):
    """A bot that takes its time over its first answers of a match."""

    def act(self, ask: Ask) -> Action:
        if ask.observation.round == 1:
            time.sleep(1.3 * MOVE_MS / 1000)
        return super().act(ask)


class Moments:
    """HarnessLatency of a harness that is slow whenever it is told to be: what cannot be brought about at will."""

    def __init__(self, slow: Callable[[int], bool], samples: int = 0, exceeded: int = 0) -> None:
        self._slow, self._count = slow, 0
        self._samples, self._exceeded = samples, exceeded
        self._lock = threading.Lock()

    def slow_between(self, since: float, until: float) -> bool:
        with self._lock:
            self._count += 1
            return self._slow(self._count)

    def counts(self) -> tuple[int, int]:
        return self._samples, self._exceeded


def play(ctx: Context, entrants: dict[str, Entrant], latency: HarnessLatency, **more: Any) -> str:
    """Plays the only block of a tournament of these bots; its id."""
    with served(ctx, entrants), worker_on(ctx) as worker:
        tournament = cup(ctx, *entrants, **{"move_ms": MOVE_MS, "max_faults": 1000, **more})
        run_block(worker, tournament, 0, latency)
    return tournament


def test_a_harness_that_is_woken_in_time_is_not_slow(instant: LatencyProbe) -> None:
    begun = time.monotonic()
    before, _ = instant.counts()
    while instant.counts()[0] < before + 25:
        time.sleep(TICK_S)
    samples, exceeded = instant.counts()
    # The machine that runs this test may be busy: single measurements say nothing.
    assert exceeded <= samples / 2
    assert not instant.slow_between(begun - 60, begun - 30)


def test_a_stall_is_seen_afterwards_and_already_by_whoever_wakes_first(instant: LatencyProbe) -> None:
    begun = time.monotonic()
    _, before = instant.counts()
    stall(LIMIT_MS * 3)
    assert instant.slow_between(begun, time.monotonic()), "whether or not the other thread has run by now"
    ended = time.monotonic()
    while instant.counts()[1] == before:
        time.sleep(TICK_S)
    assert instant.slow_between(begun, ended)
    assert not instant.slow_between(begun - 60, begun - 30)


def test_a_store_that_does_not_answer_is_a_slow_harness(
    ctx: Context, redis_server: RedisServer, redis_url: str
) -> None:
    outbound = OutboundClient(LOOPBACK)
    outage = Outage(redis_server, redis_url)
    with LatencyProbe(outbound, 60_000, ctx.clock.now_ms) as instant:
        begun = time.monotonic()
        outage.kill()
        while instant.counts()[1] == 0:
            time.sleep(TICK_S)
        assert instant.slow_between(begun, time.monotonic())
    outbound.close()
    outage.end()


def test_a_match_in_which_the_harness_made_a_bot_late_is_void_and_played_again_with_a_new_stack(
    ctx: Context, instant: LatencyProbe
) -> None:
    bots: dict[str, Entrant] = {"ann": Hindering("ann", {5}, ms=2200), **honest("ben")}
    # Time enough for everybody where the machine of the tests stalls as well.
    tournament = play(ctx, bots, instant, seed="stalled", move_ms=1600)
    found, void = results(ctx, tournament), voids(ctx, tournament)
    assert 0 in void
    assert (void[0].status, void[0].attempt, void[0].ended) == ("void", 0, "aborted")
    assert (found[0].status, found[0].attempt, found[0].game) == ("finished", 1, game_of(ctx, tournament, 0, 1))
    assert load(ctx, void[0].game).status == "aborted"
    kinds = [set(faults) for faults in found[0].faults]
    assert kinds == [set(), set()], "what the harness did is held against nobody"
    assert {row["matches"] for row in standings(ctx, tournament)["standings"]} == {2}
    lifecycle.finish(ctx, tournament, "finished")
    before, after = (record(ctx, game_of(ctx, tournament, 0, attempt)) for attempt in (0, 1))
    of_block = block_seed("stalled", 0)
    for number, found_record in enumerate((before, after)):
        verify(found_record)
        assert found_record["setup"]["seed"] == match_seed(of_block, number, 0)
    for shared in ("warehouses", "order"):
        assert before["setup"][shared] == after["setup"][shared]
    assert before["setup"]["ships"][:3] == after["setup"]["ships"][:3]
    assert before["setup"]["ships"] != after["setup"]["ships"]


def test_a_match_is_played_again_once_and_then_counts_marked_slow(ctx: Context, instant: LatencyProbe) -> None:
    bots: dict[str, Entrant] = {"ann": Hindering("ann", set(range(5, 1000, 15))), **honest("ben")}
    tournament = play(ctx, bots, instant)
    found, void = results(ctx, tournament), voids(ctx, tournament)
    assert sorted(void) == sorted(found) == [0, 1]
    assert [(result.attempt, result.harness_slow) for result in found.values()] == [(1, True), (1, True)]
    assert all(result.faults[result.seats.index("ann")] for result in found.values())
    listed = matches(ctx, tournament, 4, None)
    assert [(item["attempt"], item["status"]) for item in listed["items"]] == [(0, "void"), (1, "finished")] * 2
    assert listed["next"] is None
    pages = matches(ctx, tournament, 3, None)
    assert ([item["game"][-3:] for item in pages["items"]], pages["next"]) == (["0-0", "0-1"], "1")
    assert matches(ctx, tournament, 3, "1")["items"] == listed["items"][2:]
    events = [text for _, text in ctx.tournaments.events(tournament, 0, 100)]
    for kind in ("void", "finished"):
        told = [text for text in events if f'"match_{kind}"' in text]
        assert [sum(f'"{match_id(tournament, 0, seating)}"' in text for text in told) for seating in (0, 1)] == [1, 1]
    lifecycle.finish(ctx, tournament, "finished")
    proven = verify_archive(json.loads("".join(export(ctx, tournament))))
    assert (proven.games, proven.finished, proven.voids) == (4, 2, 2)


def test_a_slow_bot_makes_no_match_void(ctx: Context) -> None:
    tournament = play(ctx, {"ann": Tardy("ann", seed="ann"), **honest("ben")}, Moments(lambda count: False))
    assert voids(ctx, tournament) == {}
    assert all(result.faults[result.seats.index("ann")] for result in results(ctx, tournament).values())


def test_a_slow_moment_in_which_nobody_lost_time_makes_no_match_void(ctx: Context) -> None:
    tournament = play(ctx, honest("ann", "ben"), Moments(lambda count: True), move_ms=20_000)
    assert voids(ctx, tournament) == {}
    assert not any(result.harness_slow for result in results(ctx, tournament).values())


class Sluggish(Moments):
    """So many of the measurements made during each match exceed the limit."""

    def __init__(self, share: float) -> None:
        super().__init__(lambda count: False)
        self._share = share

    def counts(self) -> tuple[int, int]:
        self._samples += 100
        self._exceeded += round(100 * self._share)
        return self._samples, self._exceeded


@pytest.mark.parametrize(("share", "void"), [(0.4, False), (0.6, True)])
def test_a_harness_that_is_slow_more_often_than_not_makes_the_match_void(
    ctx: Context, share: float, void: bool
) -> None:
    tournament = play(ctx, honest("ann", "ben"), Sluggish(share), move_ms=20_000)
    found = results(ctx, tournament)
    assert sorted(voids(ctx, tournament)) == ([0, 1] if void else [])
    assert {(result.attempt, result.harness_slow) for result in found.values()} == {(int(void), void)}
    assert all(result.ended == "played" for result in voids(ctx, tournament).values())


def test_a_match_that_changed_hands_goes_on_from_its_log_and_is_not_void_for_it(ctx: Context, other: Context) -> None:
    drained = threading.Event()

    class Ending(Tardy):
        def act(self, ask: Ask) -> Action:
            drained.set()
            return super().act(ask)

    with (
        served(ctx, {"ann": Ending("ann", seed="ann"), **honest("ben")}),
        worker_on(ctx, drained.is_set) as worker,
        worker_on(other) as later,
    ):
        tournament = cup(ctx, "ann", "ben", move_ms=MOVE_MS, max_faults=1000)
        run_block(worker, tournament, 0, NeverSlow())
        game = load(ctx, game_of(ctx, tournament, 0))
        assert game.status == "running"
        assert sum(game.ledgers[0].faults.values()) == 1
        run_block(later, tournament, 0, Moments(lambda count: False))
    assert voids(ctx, tournament) == {}
    assert results(ctx, tournament)[0].attempt == 0


def test_a_void_that_was_noted_and_not_broken_off_is_played_again_by_the_next_worker(ctx: Context) -> None:
    with served(ctx, honest("ann", "ben")), worker_on(ctx) as worker:
        tournament = cup(ctx, "ann", "ben")
        match = opened(ctx, worker.outbound, tournament)
        assert store_void(ctx, tournament, void_of(match.view, match.pairing))
        ctx.leases.release(match.lease)
        run_block(worker, tournament, 0, NeverSlow())
    assert load(ctx, match.view.id).status == "aborted"
    found = results(ctx, tournament)
    assert [(result.attempt, result.status) for result in found.values()] == [(1, "finished"), (0, "finished")]


def test_what_was_slow_without_a_live_lease_is_not_the_harness(ctx: Context) -> None:
    """A worker that was frozen for longer than its lease lasts writes nothing of what it then finds."""

    class Losing(RandomBot):
        asked = 0

        def act(self, ask: Ask) -> Action:
            self.asked += 1
            if self.asked == 3:
                ctx.leases.release(held[0].lease)
                time.sleep(1.5 * MOVE_MS / 1000)
            return super().act(ask)

    held: list[LeaseKeeper] = []
    with served(ctx, {"ann": Losing("ann", seed="ann"), **honest("ben")}), worker_on(ctx) as worker:
        tournament = cup(ctx, "ann", "ben", move_ms=MOVE_MS, max_faults=1000)
        lease = ctx.leases.acquire(block_lease(tournament, 0), LEASE_MS)
        assert lease is not None
        held.append(LeaseKeeper(ctx, lease))
        run = BlockRun(worker, tournament, 0, held[0], Moments(lambda count: True))
        with pytest.raises(LeaseLost):
            run.play()
        assert voids(ctx, tournament) == {}
        assert {frozenset(ledger.faults) for ledger in load(ctx, game_of(ctx, tournament, 0)).ledgers} == {frozenset()}


def test_a_worker_whose_lease_is_lost_after_the_last_answer_notes_no_void(ctx: Context) -> None:
    held: list[LeaseKeeper] = []

    def slow(count: int) -> bool:
        ctx.leases.release(held[0].lease)
        return True

    with served(ctx, {"ann": Tardy("ann", seed="ann"), **honest("ben")}), worker_on(ctx) as worker:
        tournament = cup(ctx, "ann", "ben", move_ms=MOVE_MS, max_faults=1000)
        lease = ctx.leases.acquire(block_lease(tournament, 0), LEASE_MS)
        assert lease is not None
        held.append(LeaseKeeper(ctx, lease))
        with pytest.raises(LeaseLost):
            BlockRun(worker, tournament, 0, held[0], Moments(slow)).play()
    assert voids(ctx, tournament) == {}
    assert load(ctx, game_of(ctx, tournament, 0)).status == "running", "it is the next worker's"


class NoRoomForVoids(TournamentStore):
    """A store whose Redis is full whenever a void is to be noted."""

    def put_void(self, tournament: str, match: int, result: str, event: str) -> bool:
        raise Unavailable("Redis is full.")


def test_a_match_whose_void_cannot_be_noted_is_not_broken_off(ctx: Context, redis_url: str) -> None:
    full = replace(ctx, tournaments=NoRoomForVoids(clients.commands(redis_url)))
    with served(ctx, {"ann": Tardy("ann", seed="ann"), **honest("ben")}), worker_on(full) as worker:
        tournament = cup(ctx, "ann", "ben", move_ms=MOVE_MS, max_faults=1000)
        run_block(worker, tournament, 0, Moments(lambda count: True))
        assert load(ctx, game_of(ctx, tournament, 0)).status == "running"
        run_block(worker, tournament, 0, NeverSlow())
    found = results(ctx, tournament)
    assert [(result.attempt, result.status) for result in found.values()] == [(0, "finished")] * 2


def test_who_was_away_in_a_void_match_stays_away_when_another_worker_plays_it_again(
    ctx: Context, other: Context
) -> None:
    up, drained = threading.Event(), threading.Event()
    late = Scripted(information=lambda: INFORMATION if up.is_set() else (503, b""))

    def slowly(ask: dict[str, Any]) -> dict[str, int]:
        time.sleep(0 if up.is_set() else 1.3 * MOVE_MS / 1000)
        return {"index": 0}

    bots: dict[str, Entrant] = {"late": late, "ann": Scripted(act=slowly, end=drained.set), **honest("ben")}
    with served(ctx, bots), worker_on(ctx, drained.is_set) as worker, worker_on(other) as later:
        tournament = cup(ctx, *bots, move_ms=MOVE_MS, max_faults=1000, warmup_ms=1000)
        run_block(worker, tournament, 0, Moments(lambda count: True))
        assert (sorted(voids(ctx, tournament)), results(ctx, tournament)) == ([0], {})
        up.set()
        run_block(later, tournament, 0, NeverSlow())
    assert [len(result.not_started) for result in results(ctx, tournament).values()] == [1, 1, 1]
    assert late.asks == []


def test_a_match_that_was_slow_while_its_tournament_was_cancelled_is_not_noted_as_void(ctx: Context) -> None:
    def slow(count: int) -> bool:
        lifecycle.cancel(ctx, organiser(ctx), ctx.tournaments.running()[0])
        return True

    tournament = play(ctx, {"ann": Tardy("ann", seed="ann"), **honest("ben")}, Moments(slow))
    assert (voids(ctx, tournament), results(ctx, tournament)) == ({}, {})
    assert load(ctx, game_of(ctx, tournament, 0)).status == "aborted"
    assert ctx.blocks.done(tournament, [0]) == set()
    assert '"type":"cancelled"' in ctx.tournaments.events(tournament, 0, 100)[-1][1]


def test_a_withdrawn_bots_block_is_cancelled_also_while_a_match_is_played_again(ctx: Context) -> None:
    def slow(count: int) -> bool:
        lifecycle.withdraw(ctx, organiser(ctx), ctx.tournaments.running()[0], "ben")
        return True

    tournament = play(ctx, {"ann": Tardy("ann", seed="ann"), **honest("ben")}, Moments(slow))
    found = results(ctx, tournament)
    assert [result.status for result in found.values()] == ["cancelled", "cancelled"]
    assert sorted(voids(ctx, tournament)) == [0]
    assert found[0].attempt == 1
    assert ctx.blocks.done(tournament, [0]) == {0}


def test_no_answer_however_late_or_dear_to_read_makes_the_harness_slow(ctx: Context) -> None:
    dear = b'{"index":0,"more":' + b"[" * 30 + b"1e3," * 15_000 + b"1" + b"]" * 30 + b"}"

    def answer(ask: dict[str, Any]) -> bytes:
        if ask["observation"]["round"] == 1:
            time.sleep(1.3 * MOVE_MS / 1000)
        return dear

    begun = time.thread_time()
    assert parse_strict(dear)
    assert time.thread_time() - begun < LIMIT_MS / 1000, "nothing else runs meanwhile"
    # The limit is above what other programs on the machine of the tests may do to them.
    outbound = OutboundClient(LOOPBACK)
    with LatencyProbe(outbound, 20 * LIMIT_MS, ctx.clock.now_ms) as instant:
        tournament = play(ctx, {"ann": Scripted(act=answer), **honest("ben")}, instant, bank_ms=50)
    outbound.close()
    assert voids(ctx, tournament) == {}
    found = results(ctx, tournament)
    assert all(sum(result.faults[result.seats.index("ann")].values()) for result in found.values())
