"""The steward runs the clock and the housekeeping."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import redis

from service.errors import NotFound
from service.operations.context import Context
from service.operations.games.change import BOT_BUDGET_MS, load
from service.operations.games.seats import join, resign
from service.processes.redis_server import RedisServer
from service.processes.supervisor import wait_until
from service.store import keys
from tests.operations.game_setup import answer, begin, due, register, service
from tests.operations.tournament_setup import begin_tournament
from tests.workers.tournament_setup import api_heartbeat
from workers.leases import turn_lease
from workers.steward import GAMES_PER_TICK, HOUSEKEEPING_S, MAX_TICK_MS, Steward, elapsed_ms


@pytest.fixture
def ctx(redis_url: str) -> Iterator[Context]:
    """A service that takes no late heartbeat for a stall of the API: the machine of the tests may be busy."""
    with service(redis_url, harness_slow_ms=60_000) as ctx:
        yield ctx


@pytest.fixture(autouse=True)
def _api(ctx: Context) -> Iterator[None]:
    """An API that serves all the time."""
    with api_heartbeat(ctx):
        yield


class Clock:
    """Seconds that pass only when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def stewarding(ctx: Context) -> tuple[Steward, Clock]:
    """A steward that leads, and its clock."""
    clock = Clock()
    steward = Steward(ctx, monotonic=clock)
    assert steward.tick()
    return steward, clock


def pass_time(steward: Steward, clock: Clock, seconds: float, step: float = 1.0) -> None:
    """Time passes, and the steward ticks all the while."""
    for _ in range(round(seconds / step)):
        clock.now += step
        assert steward.tick()


def queued_turns(redis_url: str) -> list[str]:
    """`<game>_<seat>` of the turns in the queue."""
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        jobs: list[str] = client.lrange("rq:queue:turns", 0, -1)
    return sorted(job.removeprefix("turn_").rpartition("_")[0] for job in jobs)


def take_turns(redis_url: str) -> None:
    """Workers take all turns from the queue, and get lost with them."""
    with redis.Redis.from_url(redis_url) as client:
        client.delete("rq:queue:turns")


@pytest.mark.parametrize(
    ("before", "now", "ms"), [(1.0, 1.25, 250), (1.0, 1.0, 0), (5.0, 4.0, 0), (1.0, 3.0, 2000), (1.0, 9000.0, 2000)]
)
def test_service_time_advances_by_real_time_at_most_two_seconds_a_tick(before: float, now: float, ms: int) -> None:
    assert elapsed_ms(before, now) == ms


def test_clocks_stand_still_while_nobody_ticks(ctx: Context) -> None:
    steward, clock = stewarding(ctx)
    pass_time(steward, clock, 2, 0.25)
    assert ctx.clock.now_ms() == 2_000
    clock.now += 3600
    steward.tick()
    assert ctx.clock.now_ms() == 2_000 + MAX_TICK_MS


def test_one_steward_leads_and_another_takes_over_when_it_goes(ctx: Context, other: Context) -> None:
    first, clock = stewarding(ctx)
    second = Steward(other, monotonic=clock)
    for _ in range(3):
        clock.now += 1
        assert not second.tick()
        assert first.tick()
    assert ctx.clock.now_ms() == 3_000, "only the leader's ticks count"
    done = threading.Event()
    done.set()
    first.run(done.is_set, done.wait)
    clock.now += 1
    assert second.tick(), "the lead was given away"
    assert not first.tick()
    clock.now += 1
    second.tick()
    assert ctx.clock.now_ms() == 4_000, "the time without a leader does not count"


def test_an_overdue_decision_is_settled_by_default_as_late(ctx: Context) -> None:
    steward, clock = stewarding(ctx)
    seated = begin(ctx, 3, turn_seconds=5)
    pass_time(steward, clock, 4)
    answer(ctx, seated, 1, 8)
    late = due(load(ctx, seated.game))
    assert set(late) == {0, 2}
    pass_time(steward, clock, 1)
    view = load(ctx, seated.game)
    assert [view.closed[decision].fault for decision in late.values()] == ["late", "late"]
    assert view.ledgers[0].previous == {"decision": late[0], "outcome": "late", "elapsed_ms": 5000}
    assert view.ledgers[1].faults == {}
    pass_time(steward, clock, 4)
    assert load(ctx, seated.game).version == view.version, "the next decision has its own time"


def test_a_game_that_nobody_plays_ends_by_itself_under_turn_seconds(ctx: Context) -> None:
    steward, clock = stewarding(ctx)
    seated = begin(ctx, 2, turn_seconds=1)
    for _ in range(200):
        if load(ctx, seated.game).over:
            break
        pass_time(steward, clock, 1)
    view = load(ctx, seated.game)
    assert view.status == "finished"
    assert {closed.by for closed in view.closed.values()} == {"default"}


def test_a_poll_bot_in_a_casual_game_has_ten_seconds_and_people_have_for_ever(ctx: Context) -> None:
    steward, clock = stewarding(ctx)
    register(ctx, "polly")
    seated = begin(ctx, 2, seats=["creator", {"bot": "polly"}])
    pass_time(steward, clock, BOT_BUDGET_MS / 1000 - 1)
    assert set(due(load(ctx, seated.game))) == {0, 1}
    pass_time(steward, clock, 1)
    assert set(due(load(ctx, seated.game))) == {0}
    version = load(ctx, seated.game).version
    pass_time(steward, clock, 100, 2)
    assert load(ctx, seated.game).version == version


def test_casual_games_beyond_what_a_poll_bot_takes_wait_without_its_time_running(ctx: Context) -> None:
    steward, clock = stewarding(ctx)
    polly = register(ctx, "polly", max_games=2)
    games = []
    for _ in range(5):
        games.append(begin(ctx, 2, seats=["creator", {"bot": "polly"}]).game)
        pass_time(steward, clock, 0.1, 0.1)
    offers = ctx.game_lists.offered(polly.bot.id)
    assert (list(offers.since_ms), offers.queued) == (games[:2], 3)
    pass_time(steward, clock, BOT_BUDGET_MS / 1000 - 0.1, 0.1)
    assert [load(ctx, game).ledgers[1].faults for game in games] == [{"late": 1}] * 2 + [{}] * 3
    offers = ctx.game_lists.offered(polly.bot.id)
    assert (list(offers.since_ms), offers.queued) == (games[2:4], 1)
    pass_time(steward, clock, BOT_BUDGET_MS / 1000 - 2)
    assert load(ctx, games[2]).ledgers[1].faults == {}, "it has the same time as any other"
    pass_time(steward, clock, BOT_BUDGET_MS / 1000)
    assert [load(ctx, game).ledgers[1].faults for game in games[:4]] == [{"late": 1}] * 4


def test_nobody_is_late_in_a_casual_game_while_the_api_cannot_take_an_answer_in(ctx: Context, other: Context) -> None:
    """`other` knows a process that is silent for a stopped one."""
    steward, clock = stewarding(other)
    register(other, "polly")
    seated = begin(other, 3, seats=["creator", {"bot": "polly"}, "open"], turn_seconds=5)
    join(other, seated.game, 2, None)
    other.api_processes.heartbeat("stopped")
    assert wait_until(lambda: other.api_processes.time_since(0).stalled_ms > 0, 20)
    pass_time(steward, clock, 60)
    assert set(due(load(other, seated.game))) == {0, 1, 2}
    other.api_processes.leave("stopped")

    def all_are_late() -> bool:
        pass_time(steward, clock, 1)
        return all(ledger.faults.get("late") for ledger in load(other, seated.game).ledgers)

    assert wait_until(all_are_late, 20)


def test_a_push_bot_that_no_worker_has_called_yet_is_not_late(ctx: Context) -> None:
    steward, clock = stewarding(ctx)
    register(ctx, "pushy", kind="push", url="http://127.0.0.1:1")
    seated = begin(ctx, 2, seats=["creator", {"bot": "pushy"}], turn_seconds=5)
    pass_time(steward, clock, 12)
    assert set(due(load(ctx, seated.game))) == {1}
    assert load(ctx, seated.game).ledgers[1].faults == {}
    assert ctx.leases.acquire(turn_lease(seated.game, 1), 60_000) is not None
    pass_time(steward, clock, 5)
    assert load(ctx, seated.game).ledgers[1].faults == {"late": 1}


def test_a_turn_that_got_lost_is_sent_again_once(ctx: Context, redis_url: str) -> None:
    steward, clock = stewarding(ctx)
    register(ctx, "pushy", kind="push", url="http://127.0.0.1:1")
    seated = begin(ctx, 2, seats=["creator", {"bot": "pushy"}])
    turn = f"{seated.game}_1"
    assert queued_turns(redis_url) == [turn]
    pass_time(steward, clock, 8)
    assert queued_turns(redis_url) == [turn], "it is in the queue still"
    take_turns(redis_url)
    pass_time(steward, clock, 1)
    assert queued_turns(redis_url) == [turn]


def test_a_turn_that_a_worker_is_playing_is_not_sent_again(ctx: Context, redis_url: str) -> None:
    steward, clock = stewarding(ctx)
    register(ctx, "pushy", kind="push", url="http://127.0.0.1:1")
    seated = begin(ctx, 2, seats=["creator", {"bot": "pushy"}])
    take_turns(redis_url)
    lease = ctx.leases.acquire(turn_lease(seated.game, 1), 60_000)
    assert lease is not None
    pass_time(steward, clock, 30, 2)
    assert queued_turns(redis_url) == []
    ctx.leases.release(lease)
    pass_time(steward, clock, 1)
    assert queued_turns(redis_url) == [f"{seated.game}_1"]


def test_a_turn_just_sent_is_not_lost_yet(ctx: Context, redis_url: str) -> None:
    steward, clock = stewarding(ctx)
    register(ctx, "pushy", kind="push", url="http://127.0.0.1:1")
    begin(ctx, 2, seats=["creator", {"bot": "pushy"}])
    take_turns(redis_url)
    pass_time(steward, clock, 4)
    assert queued_turns(redis_url) == []


@contextmanager
def short_lived(redis_url: str) -> Iterator[Context]:
    with service(redis_url, game_idle_s=60, game_kept_s=120) as ctx:
        yield ctx


def test_a_game_that_nobody_touches_is_closed_and_removed_in_time(redis_url: str) -> None:
    with short_lived(redis_url) as ctx:
        steward, clock = stewarding(ctx)
        idle, touched = begin(ctx, 2, public=True), begin(ctx, 2, public=True)
        pass_time(steward, clock, 50, 2)
        answer(ctx, touched, 0)
        pass_time(steward, clock, 20, 2)
        with pytest.raises(NotFound):
            load(ctx, idle.game)
        assert ctx.game_lists.public(None, 10, None).ids == (touched.game,)


def test_a_finished_game_is_kept_for_its_time(redis_url: str) -> None:
    with short_lived(redis_url) as ctx:
        steward, clock = stewarding(ctx)
        seated = begin(ctx, 2, public=True)
        resign(ctx, seated.seats[0], seated.game)
        pass_time(steward, clock, 100, 2)
        assert load(ctx, seated.game).status == "finished", "it is over, and not idle"
        pass_time(steward, clock, 20 + HOUSEKEEPING_S + 2, 2)
        with pytest.raises(NotFound):
            load(ctx, seated.game)
        assert ctx.game_lists.public(None, 10, None).ids == ()


def test_one_bad_game_does_not_stop_the_loop(
    ctx: Context, other: Context, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = begin(ctx, 2, turn_seconds=1), begin(ctx, 2, turn_seconds=2)
    with redis.Redis.from_url(redis_url) as client:
        log = next(key for key in client.scan_iter(f"*{bad.game}*") if key.endswith(b":log"))
        client.lset(log.decode(), -1, '["?"]')
    steward, clock = stewarding(other)
    before = load(ctx, good.game).version
    pass_time(steward, clock, 5)
    assert load(ctx, good.game).version > before
    assert sum(bad.game in entry.getMessage() for entry in caplog.records) == 1, "it is told of once"


def damage(redis_url: str, *games: str) -> None:
    """The last entry of each of their logs is none."""
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        for game in games:
            client.lset(keys.game_log(game), -1, '["?"]')


def test_many_games_that_cannot_be_read_stop_nobodys_deadline_and_are_counted(
    ctx: Context, other: Context, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """More of them than one tick looks at come before the good one."""
    bad = [begin(ctx, 2, turn_seconds=1).game for _ in range(GAMES_PER_TICK + 10)]
    good = begin(ctx, 2, turn_seconds=2)
    damage(redis_url, *bad)
    steward, clock = stewarding(other)
    before = load(ctx, good.game).version
    pass_time(steward, clock, 5)
    assert load(ctx, good.game).version > before
    assert other.unreadable.counts() == {"game": len(bad)}
    named = [entry.getMessage() for entry in caplog.records if entry.levelname == "ERROR"]
    assert {game: sum(game in text for text in named) for game in bad} == dict.fromkeys(bad, 1)
    assert other.game_lists.overdue(10) == []
    other.games.remove(bad[0])
    assert other.unreadable.counts() == {"game": len(bad) - 1}


def test_a_step_that_fails_does_not_stop_those_after_it(
    ctx: Context, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.set(keys.REMOVED, "no set")
        client.delete(keys.IDLE)
        idle = begin(ctx, 2)
        ctx = replace(ctx, settings=replace(ctx.settings, game_idle_s=10))
        steward, clock = stewarding(ctx)
        pass_time(steward, clock, 20 + HOUSEKEEPING_S, 1)
    with pytest.raises(NotFound):
        load(ctx, idle.game)
    assert 1 <= sum("TournamentCleanup" in entry.getMessage() for entry in caplog.records) <= 2


def test_a_hint_that_names_a_game_which_is_gone_is_removed(ctx: Context, redis_url: str) -> None:
    steward, clock = stewarding(ctx)
    gone, good = begin(ctx, 2, turn_seconds=1), begin(ctx, 2, turn_seconds=1)
    with redis.Redis.from_url(redis_url) as client:
        for key in list(client.scan_iter(f"*{{g:{gone.game}}}*")):
            client.delete(key)
    before = load(ctx, good.game).version
    pass_time(steward, clock, 2)
    assert load(ctx, good.game).version > before
    assert gone.game not in ctx.game_lists.overdue(10)


def test_the_loop_goes_on_when_redis_is_back(ctx: Context, redis_server: RedisServer) -> None:
    seated = begin(ctx, 2, turn_seconds=3)
    before = load(ctx, seated.game).version
    clock = Clock()
    stop = threading.Event()
    steward = Steward(ctx, monotonic=clock)
    thread = threading.Thread(target=steward.run, args=(stop.is_set, lambda seconds: stop.wait(seconds / 10)))
    thread.start()
    try:
        assert wait_until(lambda: ctx.leases.live(["steward"]) == {"steward"}, 20)
        redis_server.restart()
        assert load(ctx, seated.game).version == before

        def moved() -> bool:
            clock.now += 0.5
            return load(ctx, seated.game).version > before

        assert wait_until(moved, 20)
    finally:
        stop.set()
        thread.join()


def test_the_entrants_of_a_tournament_that_waits_for_them_are_called_again_and_again(
    ctx: Context, redis_url: str
) -> None:
    tournament = begin_tournament(ctx, 2, require_ready=True)
    begin_tournament(ctx, 2)
    steward, clock = stewarding(ctx)
    for _ in range(2):
        with redis.Redis.from_url(redis_url) as client:
            assert client.llen("rq:queue:turns") > 0
            client.delete("rq:queue:turns")
        clock.now += HOUSEKEEPING_S
        steward.tick()
        steward.tick()
    with redis.Redis.from_url(redis_url) as client:
        (job,) = client.lrange("rq:queue:turns", 0, -1)
    assert job.decode().startswith(f"probe_{tournament}_")
