"""Which blocks are handed out when, and what becomes of those that get lost."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from rq import Queue, Worker

from service.operations.context import Context
from service.operations.games.change import load
from service.operations.tournaments import events, lifecycle, read
from service.operations.tournaments.document import load_tournament
from service.operations.tournaments.matches import cancelled, results, store_result
from service.operations.tournaments.stages import draw_next_stage
from service.store import keys
from service.store.queues import SPARE
from tests.operations.game_setup import organiser, register
from tests.operations.tournament_setup import begin_match, begin_tournament, doc_of, play_block, play_number
from workers.dispatcher import GRACE_MS, Dispatcher
from workers.leases import block_lease


@pytest.fixture
def pool(redis_url: str) -> Iterator[Any]:
    """Makes so many processes for blocks known, and so many spare ones, as their own heartbeat does."""
    workers: list[Worker] = []
    connection = redis.Redis.from_url(redis_url)

    def of(size: int, spare: int = 0) -> None:
        for number in range(size + spare):
            queue = Queue("matches", connection=connection)
            name = f"{SPARE if number >= size else ''}{socket.gethostname()}-{os.getpid()}-{number}"
            workers.append(Worker([queue], connection=connection, name=name))
            workers[-1].register_birth()  # type: ignore[no-untyped-call]

    yield of
    for worker in workers:
        worker.register_death()  # type: ignore[no-untyped-call]
    connection.close()


def take_jobs(redis_url: str) -> None:
    """Workers take all blocks from the queue, and get lost with them."""
    with redis.Redis.from_url(redis_url) as client:
        client.delete("rq:queue:matches")


def finish(ctx: Context, tournament: str, block: int) -> None:
    """The block is played to its end."""
    pairings = doc_of(ctx, tournament).schedule().block(block).pairings
    for pairing in pairings:
        store_result(ctx, tournament, cancelled(pairing, 0))
    assert ctx.blocks.finish(tournament, block, [pairing.match for pairing in pairings])


def test_as_many_blocks_are_handed_out_as_there_are_processes(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 5)
    handing = Dispatcher(ctx)
    assert handing.run() == 0, "nobody is there to play"
    pool(2)
    assert handing.run() == 2
    assert handing.run() == 0
    assert len(ctx.queue.queued_blocks()) == len(ctx.blocks.active()) == 2
    (_, block, _), *_ = ctx.blocks.active()
    finish(ctx, tournament, block)
    assert handing.run() == 1


def test_no_bot_plays_in_more_games_at_once_than_it_allows(ctx: Context, pool: Any) -> None:
    for name in ("ann", "ben", "cid", "dot"):
        register(ctx, name, max_games=1)
    begin_tournament(ctx, 4)
    begin_tournament(ctx, 4)
    pool(8)
    handing = Dispatcher(ctx)
    assert handing.run() == 2, "four bots, two of them in a match"
    seats = [seat for tournament, block, _ in ctx.blocks.active() for seat in entrants(ctx, tournament, block)]
    assert sorted(seats) == ["ann", "ben", "cid", "dot"]


def entrants(ctx: Context, tournament: str, block: int) -> tuple[str, ...]:
    return doc_of(ctx, tournament).schedule().block(block).entrants


def test_a_bot_holds_at_most_half_of_the_processes_while_blocks_without_it_wait(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 5, deals=3)
    note_paces(ctx, tournament)
    pool(4)
    handing = Dispatcher(ctx)
    handing.run()
    active = [entrants(ctx, tournament, block) for tournament, block, _ in ctx.blocks.active()]
    assert len(active) == 4
    assert max(sum(name in names for names in active) for name in ("ann", "ben", "cid", "dot", "eve")) <= 2


def note_paces(ctx: Context, tournament: str, **answer_ms: int) -> None:
    """All bots of a tournament were asked; these took so long, the others 20 ms."""
    doc = doc_of(ctx, tournament)
    ctx.blocks.note_response_times(
        tournament, {doc.bot_of(name): (10, 10 * answer_ms.get(name, 20)) for name in doc.names}
    )


def handed_out(ctx: Context, *, without: str) -> int:
    """How many blocks of bots without this one are handed out."""
    return sum(without not in entrants(ctx, tournament, block) for tournament, block, _ in ctx.blocks.active())


def test_until_its_response_time_is_known_a_bot_plays_one_block_while_others_wait(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 4, deals=3)
    pool(4)
    handing = Dispatcher(ctx)
    assert handing.run() == 2
    assert handing.run() == 0
    note_paces(ctx, tournament)
    assert handing.run() == 2


def test_blocks_of_a_slow_bot_get_the_spare_processes_and_leave_the_others_theirs(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 5, deals=3)
    pool(4, spare=1)
    handing = Dispatcher(ctx)
    assert handing.run() == 2
    assert handed_out(ctx, without="ann") == 1, "nobody knows yet that ann is slow"
    note_paces(ctx, tournament, ann=990)
    assert handing.run() == 3
    assert handed_out(ctx, without="ann") == 4, "ann's block has become one for a spare process"
    assert handing.run() == 0


def test_spare_processes_stay_idle_while_no_bot_is_slow(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 5, deals=3)
    note_paces(ctx, tournament)
    pool(2, spare=2)
    handing = Dispatcher(ctx)
    assert handing.run() == 2
    assert handing.run() == 0


def test_when_only_blocks_of_the_slow_bot_are_left_they_get_all_processes(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 3, deals=6)
    note_paces(ctx, tournament, ann=990)
    for block in range(18):
        if "ann" not in entrants(ctx, tournament, block):
            finish(ctx, tournament, block)
    pool(2, spare=2)
    assert Dispatcher(ctx).run() == 4


def test_a_block_that_got_lost_is_handed_out_again_after_a_grace(ctx: Context, pool: Any, redis_url: str) -> None:
    tournament = begin_tournament(ctx, 2)
    pool(1)
    handing = Dispatcher(ctx)
    handing.run()
    ctx.clock.advance(GRACE_MS)
    handing.run()
    assert ctx.queue.queued_blocks() == {(tournament, 0)}
    take_jobs(redis_url)
    lease = ctx.leases.acquire(block_lease(tournament, 0), 60_000)
    assert lease is not None
    handing.run()
    assert ctx.queue.queued_blocks() == set(), "somebody is at it"
    ctx.leases.release(lease)
    handing.run()
    assert ctx.queue.queued_blocks() == {(tournament, 0)}
    take_jobs(redis_url)
    ctx.clock.advance(GRACE_MS - 1)
    handing.run()
    assert ctx.queue.queued_blocks() == set(), "it may be on its way"
    ctx.clock.advance(1)
    handing.run()
    assert ctx.queue.queued_blocks() == {(tournament, 0)}


def test_a_tournament_whose_blocks_are_all_done_is_finished(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 3)
    pool(1)
    handing = Dispatcher(ctx)
    for block in range(3):
        handing.run()
        assert read.show(ctx, tournament)["status"] == "running"
        finish(ctx, tournament, block)
    handing.run()
    assert read.show(ctx, tournament)["status"] == "finished"
    assert ctx.tournaments.running() == []
    assert ctx.blocks.active() == []


def test_a_block_of_which_redis_has_lost_that_it_is_done_is_handed_out_again(
    ctx: Context, pool: Any, redis_url: str
) -> None:
    tournament = begin_tournament(ctx, 3)
    pool(1)
    handing = Dispatcher(ctx)
    for block in range(2):
        handing.run()
        finish(ctx, tournament, block)
    handing.run()
    with redis.Redis.from_url(redis_url) as client:
        client.srem(keys.tournament_done(tournament), 0)
        client.hdel(keys.tournament_results(tournament), "0", "1")
    finish(ctx, tournament, 2)
    handing.run()
    handing.run()
    assert [block for _, block, _ in ctx.blocks.active()] == [0]
    finish(ctx, tournament, 0)
    handing.run()
    assert read.show(ctx, tournament)["status"] == "finished"
    assert len(results(ctx, tournament)) == 6


def test_the_blocks_of_a_withdrawn_bot_are_cancelled_and_the_others_played(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 3)
    pool(4)
    done = play_number(ctx, tournament, 0)
    lifecycle.withdraw(ctx, organiser(ctx), tournament, done.seats[0])
    Dispatcher(ctx).run()
    found = results(ctx, tournament)
    for block in range(3):
        names = entrants(ctx, tournament, block)
        of_block = [result for result in found.values() if result.block == block]
        if done.seats[0] in names:
            assert {result.status for result in of_block} <= {"cancelled", "finished"}
            assert len(of_block) == 2
        else:
            assert of_block == []
            assert [active for _, active, _ in ctx.blocks.active()] == [block]
    assert found[0] == done, "what is finished stands"


def test_a_tournament_of_which_nobody_is_left_is_finished(ctx: Context, pool: Any) -> None:
    tournament = begin_tournament(ctx, 2)
    pool(1)
    lifecycle.withdraw(ctx, organiser(ctx), tournament, "ann")
    handing = Dispatcher(ctx)
    handing.run()
    handing.run()
    assert read.show(ctx, tournament)["status"] == "finished"


def test_a_paused_tournaments_block_goes_on_at_once_on_resumption(ctx: Context, pool: Any, redis_url: str) -> None:
    tournament = begin_tournament(ctx, 2)
    pool(1)
    handing = Dispatcher(ctx)
    handing.run()
    take_jobs(redis_url)
    lifecycle.pause(ctx, organiser(ctx), tournament)
    ctx.clock.advance(60_000)
    handing.run()
    assert ctx.queue.queued_blocks() == set()
    lifecycle.resume(ctx, organiser(ctx), tournament)
    handing.run()
    assert ctx.queue.queued_blocks() == {(tournament, 0)}


def test_a_cancelled_tournaments_game_that_nobody_plays_is_broken_off(ctx: Context, pool: Any, redis_url: str) -> None:
    tournament = begin_tournament(ctx, 2)
    pool(1)
    handing = Dispatcher(ctx)
    handing.run()
    take_jobs(redis_url)
    _, view = begin_match(ctx, tournament, 0)
    lease = ctx.leases.acquire(block_lease(tournament, 0), 60_000)
    assert lease is not None
    lifecycle.cancel(ctx, organiser(ctx), tournament)
    handing.run()
    assert load(ctx, view.id).status == "running", "whoever plays it breaks it off"
    ctx.leases.release(lease)
    handing.run()
    assert load(ctx, view.id).status == "aborted"
    assert ctx.blocks.active() == []
    assert results(ctx, tournament) == {}


def test_older_tournaments_go_first_and_one_that_cannot_be_read_stops_no_other(
    ctx: Context, pool: Any, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    bad, first, second = (begin_tournament(ctx, 2) for _ in range(3))
    with redis.Redis.from_url(redis_url) as client:
        row = next(key for key in client.scan_iter(f"*{bad}*") if key.endswith(b":row"))
        client.hset(row.decode(), "doc", '{"name":"damaged"}')
    pool(1)
    handing = Dispatcher(ctx)
    assert handing.run() == 1
    assert ctx.queue.queued_blocks() == {(first, 0)}
    finish(ctx, first, 0)
    assert handing.run() == 1
    assert (second, 0) in ctx.queue.queued_blocks()
    assert any(bad in entry.getMessage() for entry in caplog.records)


def test_the_next_stage_is_drawn_when_the_last_block_of_the_one_before_ends(ctx: Context, pool: Any) -> None:
    pool(4)
    tournament = begin_tournament(ctx, 5, format="swiss", rounds=2)
    handing = Dispatcher(ctx)
    assert handing.run() == 0
    assert handing.run() == 2
    play_block(ctx, tournament, 0)
    assert handing.run() == 0
    assert len(doc_of(ctx, tournament).stages) == 1
    play_block(ctx, tournament, 1)
    assert handing.run() == 0
    assert len(doc_of(ctx, tournament).stages) == 2
    assert handing.run() == 2
    play_block(ctx, tournament, 2)
    play_block(ctx, tournament, 3)
    handing.run()
    assert read.show(ctx, tournament)["status"] == "finished"
    assert read.show(ctx, tournament)["matches"] == {"total": 8, "drawn": 8, "finished": 8, "cancelled": 0}
    kinds = [event["type"] for event in events.events(ctx, tournament, 0).events if "match" not in event["type"]]
    assert kinds == ["started", "stage_drawn", "stage_drawn", "finished"]


def test_while_more_stages_are_to_come_the_number_of_matches_is_an_expectation(ctx: Context, pool: Any) -> None:
    pool(4)
    tournament = begin_tournament(ctx, 5, format="swiss", rounds=3)
    assert read.show(ctx, tournament)["matches"] == {"total": 12, "drawn": 0, "finished": 0, "cancelled": 0}
    Dispatcher(ctx).run()
    assert read.show(ctx, tournament)["matches"] == {"total": 12, "drawn": 4, "finished": 0, "cancelled": 0}
    for name in ("ann", "ben"):
        lifecycle.withdraw(ctx, organiser(ctx), tournament, name)
    lifecycle.cancel(ctx, organiser(ctx), tournament)
    assert read.show(ctx, tournament)["matches"] == {"total": 4, "drawn": 4, "finished": 0, "cancelled": 4}


def test_no_stage_is_drawn_while_the_tournament_is_paused(ctx: Context, pool: Any) -> None:
    pool(1)
    tournament = begin_tournament(ctx, 4, format="swiss", rounds=2)
    handing = Dispatcher(ctx)
    handing.run()
    for block in (0, 1):
        play_block(ctx, tournament, block)
    lifecycle.pause(ctx, organiser(ctx), tournament)
    handing.run()
    assert len(doc_of(ctx, tournament).stages) == 1
    lifecycle.resume(ctx, organiser(ctx), tournament)
    handing.run()
    assert len(doc_of(ctx, tournament).stages) == 2


def test_two_stewards_that_draw_at_once_write_one_stage(ctx: Context) -> None:
    tournament = begin_tournament(ctx, 4, format="swiss", rounds=2)
    found = load_tournament(ctx, tournament)
    assert draw_next_stage(ctx, tournament, *found)
    lifecycle.withdraw(ctx, organiser(ctx), tournament, "ann")
    assert draw_next_stage(ctx, tournament, *found)
    assert len(doc_of(ctx, tournament).stages) == 1


def test_no_stage_follows_a_result_that_redis_has_lost(ctx: Context, redis_url: str) -> None:
    tournament = begin_tournament(ctx, 4, format="swiss", rounds=2)
    draw_next_stage(ctx, tournament, *load_tournament(ctx, tournament))
    for block in (0, 1):
        play_block(ctx, tournament, block)
    found = load_tournament(ctx, tournament)
    with redis.Redis.from_url(redis_url) as client:
        client.srem(keys.tournament_done(tournament), "1")
    assert draw_next_stage(ctx, tournament, *found)
    assert len(doc_of(ctx, tournament).stages) == 1
