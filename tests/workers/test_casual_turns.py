"""Turns of push bots that sit in casual games."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bots.random_bot import RandomBot
from service.engine.record import verify
from service.operations.bots import registry
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.records import record
from service.operations.games.seats import abort, resign
from service.processes.ports import free_port
from tests.operations.game_setup import Seated, answer, begin, due, organiser
from tests.workers.tournament_setup import Entrant, Scripted, faults_of, honest, served, worker_on
from workers.casual_turns import run_turn
from workers.context import WorkerContext
from workers.late_answers import settle_overdue
from workers.leases import turn_lease

TIMEOUT_S = 60


def nudged(ctx: Context, game: str) -> list[int]:
    """Seats that a worker is to look after, oldest first."""
    return [seat for found, seat in ctx.game_lists.unplayed_turns(-1, 100) if found == game]


@pytest.fixture
def worker(ctx: Context) -> Iterator[WorkerContext]:
    with worker_on(ctx) as worker:
        yield worker


def turns(worker: WorkerContext, seated: Seated) -> None:
    """What a worker does that gets all turns that are waiting."""
    for seat in nudged(worker.ctx, seated.game):
        run_turn(worker, seated.game, seat)


def table_of(ctx: Context, *names: str, **more: Any) -> Seated:
    """A person at seat 0, and these bots behind."""
    return begin(ctx, 1 + len(names), seats=["creator", *({"bot": name} for name in names)], **more)


def play_out(worker: WorkerContext, seated: Seated) -> None:
    """The person and the workers take turns until the game is over and nothing is left to do."""
    ctx = worker.ctx
    while not load(ctx, seated.game).over or nudged(ctx, seated.game):
        turns(worker, seated)
        if 0 in due(load(ctx, seated.game)):
            answer(ctx, seated, 0)


def test_a_person_plays_against_bots_to_the_end(ctx: Context, worker: WorkerContext) -> None:
    with served(ctx, {"ann": RandomBot("ann"), "ben": Scripted()}):
        seated = table_of(ctx, "ann", "ben")
        play_out(worker, seated)
    found = record(ctx, seated.game)
    verify(found)
    assert found["result"]["ended"] == "played"
    assert {entry["by"] for entry in found["actions"]} == {"player"}
    shown = registry.show(ctx, organiser(ctx), "ann")
    assert (shown["status"], shown["version"]) == ("online", RandomBot.version), "known after a game"


def test_a_bot_hears_the_start_once_before_its_first_ask_and_the_end_once(ctx: Context, worker: WorkerContext) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot}):
        seated = table_of(ctx, "ann", turn_seconds=90)
        play_out(worker, seated)
        turns(worker, seated)
    assert len(bot.starts) == len(bot.ends) == 1
    start, end = bot.starts[0], bot.ends[0]
    assert (start["match"], start["tournament"], start["max_faults"], start["bank_ms"]) == (None, None, None, 0)
    assert (start["seat"], start["seats"], start["move_ms"]) == (1, ["player 0", "ann"], 90_000)
    assert (end["match"], end["ended"]) == (None, "played")
    assert bot.ids[0] == f"{seated.game}_start"
    assert bot.ids[-1] == f"{seated.game}_end"
    assert bot.ids[1] == f"{seated.game}_{bot.asks[0]['decision']['id'].replace('.', '-')}"
    assert {ask["match"] for ask in bot.asks} == {None}
    assert len({ask["decision"]["id"] for ask in bot.asks}) == len(bot.asks), "no question was asked twice"


def test_each_of_several_bots_hears_start_and_end_once_however_many_jobs_there_are(
    ctx: Context, worker: WorkerContext, other: Context
) -> None:
    bots = {name: Scripted() for name in ("ann", "ben", "cid")}
    with served(ctx, bots), worker_on(other) as second, ThreadPoolExecutor(12) as pool:
        seated = begin(ctx, 3, seats=[{"bot": name} for name in bots])
        while not load(ctx, seated.game).over:
            jobs = [pool.submit(run_turn, at, seated.game, seat) for seat in range(3) for at in (worker, second)]
            for job in jobs:
                job.result(TIMEOUT_S)
        for seat in (0, 1, 2, 2, 1, 0):
            run_turn(second, seated.game, seat)
    for name, bot in bots.items():
        assert [len(bot.starts), len(bot.ends)] == [1, 1], name
        assert bot.ids[0].endswith("_start") and bot.ids[-1].endswith("_end")
    assert nudged(ctx, seated.game) == []


def test_a_bot_that_waited_for_a_worker_gets_all_of_its_time(ctx: Context, worker: WorkerContext) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot}):
        seated = table_of(ctx, "ann", turn_seconds=30)
        first = due(load(ctx, seated.game))[1]
        ctx.clock.advance(30_000)
        settle_overdue(ctx, seated.game)
        assert (bot.starts, bot.asks) == ([], [])
        ctx.clock.advance(29_000)
        play_out(worker, seated)
    assert len(bot.starts) == 1
    assert bot.ids[0] == f"{seated.game}_start"
    assert (bot.asks[0]["decision"]["id"], bot.asks[0]["budget_ms"]) == (first, 30_000)


def test_a_bot_that_was_never_in_time_hears_the_start_once(ctx: Context, worker: WorkerContext) -> None:
    seated: list[Seated] = []

    def dawdle(ask: dict[str, Any]) -> dict[str, Any]:
        """Until the steward has settled the decision."""
        ctx.clock.advance(30_000)
        settle_overdue(ctx, seated[0].game)
        return {"index": 0}

    bot = Scripted(act=dawdle)
    with served(ctx, {"ann": bot}):
        seated.append(table_of(ctx, "ann", turn_seconds=30))
        play_out(worker, seated[0])
    assert load(ctx, seated[0].game).ledgers[1].faults == {"late": len(bot.asks)}
    assert len(bot.asks) > 6
    assert [start["seat"] for start in bot.starts] == [1]


def test_bots_alone_play_a_whole_casual_game(ctx: Context, worker: WorkerContext) -> None:
    bots_: dict[str, Entrant] = honest("ann", "ben")
    with served(ctx, bots_):
        seated = begin(ctx, 2, seats=[{"bot": "ann"}, {"bot": "ben"}])
        for _ in range(1000):
            if not nudged(ctx, seated.game):
                break
            turns(worker, seated)
    verify(record(ctx, seated.game))
    assert load(ctx, seated.game).status == "finished"


@pytest.mark.parametrize("ending", ["the person resigns", "it is broken off", "the person makes the last action"])
def test_the_end_is_told_whoever_brought_it_about(ctx: Context, worker: WorkerContext, ending: str) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot}):
        seated = table_of(ctx, "ann")
        turns(worker, seated)
        if ending == "the person resigns":
            resign(ctx, seated.seats[0], seated.game)
        elif ending == "it is broken off":
            abort(ctx, seated.creator, seated.game)
        else:
            play_out(worker, seated)
        turns(worker, seated)
        turns(worker, seated)
    assert [end["game"] for end in bot.ends] == [seated.game]
    assert (bot.ends[0]["places"] is None) == (ending == "it is broken off")
    assert nudged(ctx, seated.game) == []


def test_faults_cost_the_decision_and_never_the_seat(ctx: Context, worker: WorkerContext) -> None:
    bot = Scripted(act=lambda ask: {"index": 10**6})
    with served(ctx, {"bad": bot}):
        seated = table_of(ctx, "bad")
        play_out(worker, seated)
    found = record(ctx, seated.game)
    verify(found)
    assert found["resignations"] == []
    mine = [entry for entry in found["actions"] if entry["seat"] == 1]
    assert {(entry["by"], entry["fault"]) for entry in mine} == {("default", "illegal")}
    assert len(mine) == len(bot.asks) > 6
    assert {row["kind"] for row in faults_of(ctx, "bad")} == {"illegal"}
    assert {row["match"] for row in faults_of(ctx, "bad")} == {None}
    assert bot.ends[0]["faults"] == {"illegal": len(mine)}


def test_a_bot_that_is_down_does_not_stop_the_game(ctx: Context, worker: WorkerContext) -> None:
    with served(ctx, {"down": f"http://127.0.0.1:{free_port()}"}):
        seated = table_of(ctx, "down")
        play_out(worker, seated)
    assert load(ctx, seated.game).ledgers[1].faults.keys() == {"unreachable"}


def test_a_bot_is_asked_by_one_worker_at_a_time(ctx: Context, worker: WorkerContext, other: Context) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot}):
        seated = table_of(ctx, "ann")
        held = other.leases.acquire(turn_lease(seated.game, 1), 60_000)
        assert held is not None
        turns(worker, seated)
        assert bot.asks == []
        assert nudged(ctx, seated.game) == [1], "the other worker, or the steward, sees to it"
        other.leases.release(held)
        turns(worker, seated)
    assert len(bot.asks) == 1


def test_the_budget_of_an_ask_is_all_of_the_turn_from_the_call_on(ctx: Context, worker: WorkerContext) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot}):
        seated = table_of(ctx, "ann", turn_seconds=30)
        ctx.clock.advance(9_000)
        turns(worker, seated)
        free = table_of(ctx, "ann")
        turns(worker, free)
    assert [(ask["budget_ms"], ask["bank_ms"]) for ask in bot.asks] == [(30_000, 0), (10_000, 0)]


def test_a_deleted_bot_is_called_no_more(ctx: Context, worker: WorkerContext) -> None:
    bot = Scripted()
    with served(ctx, {"ann": bot, "ben": Scripted()}):
        seated = table_of(ctx, "ann", "ben")
        turns(worker, seated)
        found = ctx.bots.find("ann")
        assert found is not None
        registry.delete(ctx, organiser(ctx), found.id)
        asks = len(bot.asks)
        play_out(worker, seated)
    assert len(bot.asks) == asks
    verify(record(ctx, seated.game))


def test_a_game_that_is_removed_while_its_bot_thinks_is_no_failure(ctx: Context, worker: WorkerContext) -> None:
    def remove(ask: dict[str, Any]) -> dict[str, Any]:
        ctx.games.remove(seated.game)
        return {"index": 0}

    with served(ctx, {"ann": Scripted(act=remove)}):
        seated = table_of(ctx, "ann")
        turns(worker, seated)
        run_turn(worker, seated.game, 1)
    assert ctx.leases.live([turn_lease(seated.game, 1)]) == set()
    assert nudged(ctx, seated.game) == []


def test_a_worker_that_is_to_end_stops_between_two_questions(ctx: Context) -> None:
    drained = threading.Event()

    def act(ask: dict[str, Any]) -> dict[str, Any]:
        drained.set()
        return {"index": 0}

    bot = Scripted(act=act)
    left_owing = 0
    with served(ctx, {"ann": bot}), worker_on(ctx, drained.is_set) as worker:
        seated = table_of(ctx, "ann")
        while not load(ctx, seated.game).over:
            if 0 in due(load(ctx, seated.game)):
                answer(ctx, seated, 0)
            drained.clear()
            asks = len(bot.asks)
            turns(worker, seated)
            assert len(bot.asks) <= asks + 1
            left_owing += 1 in due(load(ctx, seated.game))
    assert left_owing, "sometimes it owed another decision at once"
