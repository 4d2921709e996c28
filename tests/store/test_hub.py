"""Waiting for news: all waiters of a process hear of it, nothing is missed, and an outage is only a delay."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
import redis

from service.errors import Unavailable
from service.store import keys
from service.store.bots import BotStore
from service.store.clients import RedisClient, reader
from service.store.games import Effects, GameStore
from service.store.hub import GONE, PING_S, Hub
from service.store.tournaments import TournamentStore
from tests.outage import Outage
from tests.store.samples import RUNNING, begin, bot, past

#: Seconds after which a wait counts as one that never ends.
LONG = 30.0


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1000) as pool:
        yield pool


def wait_in(
    pool: ThreadPoolExecutor, client: RedisClient, hub: Hub, topic: str, seen: int, number: int = 1
) -> list[Future[int]]:
    """Lets so many wait; returns when each has registered and has found nothing new."""
    client.config_resetstat()
    waiting = [pool.submit(hub.wait, topic, seen, LONG) for _ in range(number)]
    # One reads for all who wait for the same.
    until(lambda: client.info("commandstats").get("cmdstat_type", {"calls": 0})["calls"] >= 1)
    until(lambda: hub.waiting >= number)
    return waiting


class CountedReader:
    """Makes the hub's subscriptions, and counts them."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.connections = 0

    def __call__(self) -> redis.Redis:
        self.connections += 1
        return reader(self._url)


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.005)


def test_versions_are_read_from_the_store(
    games: GameStore, bots: BotStore, tournaments: TournamentStore, hub: Hub
) -> None:
    bots.create(bot("polly"))
    begin(games, "g", entries=["1", "2"], effects=Effects("running", bots=("xpolly",)))
    tournaments.create("t", "{}", [], "event")
    assert hub.version("game:g") == 2
    assert hub.version("bot:xpolly") == 1
    assert hub.version("tournament:t") == 1
    for topic in ("game:x", "bot:x", "tournament:x"):
        assert hub.version(topic) == 0


def test_a_topic_of_no_kind_is_refused(hub: Hub) -> None:
    with pytest.raises(ValueError, match="no topic"):
        hub.version("table:1")
    with pytest.raises(ValueError, match="no topic"):
        hub.wait("table:1", 0, 1)


def test_what_is_new_already_is_answered_at_once(games: GameStore, hub: Hub) -> None:
    begin(games, "g", entries=["1", "2"])
    assert hub.wait("game:g", 1, LONG) == 2
    assert hub.wait("game:g", 99, LONG) == 2


def test_a_wait_without_news_ends_with_its_time(games: GameStore, hub: Hub) -> None:
    begin(games, "g")
    began = time.monotonic()
    assert hub.wait("game:g", 1, 0.1) == 1
    assert time.monotonic() - began >= 0.1
    assert hub.wait("game:g", 1, 0) == 1


def test_news_of_other_games_wakes_nobody(
    games: GameStore, hub: Hub, client: RedisClient, pool: ThreadPoolExecutor
) -> None:
    begin(games, "g")
    begin(games, "other")
    waiting = wait_in(pool, client, hub, "game:g", 1)
    assert wait_in(pool, client, hub, "game:other", 1)
    games.append("other", past(games, "other", 1), ["2"], effects=RUNNING)
    assert hub.wait("game:other", 1, LONG) == 2
    assert not waiting[0].done()
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert waiting[0].result(LONG) == 2


def test_a_thousand_waiters_hear_of_one_append(
    games: GameStore, hub: Hub, client: RedisClient, pool: ThreadPoolExecutor
) -> None:
    begin(games, "g")
    waiting = wait_in(pool, client, hub, "game:g", 1, 1000)
    readers = client.pubsub_numsub(keys.NEWS)
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert {future.result(LONG) for future in waiting} == {2}
    assert readers == [(keys.NEWS, 1)]


def test_of_those_who_wait_for_the_same_one_reads_for_all(
    games: GameStore, client: RedisClient, hub: Hub, pool: ThreadPoolExecutor
) -> None:
    begin(games, "g", entries=["1"])
    waiting = wait_in(pool, client, hub, "game:g", 1)
    client.config_resetstat()
    waiting += [pool.submit(hub.wait, "game:g", 1, LONG) for _ in range(20)]
    until(lambda: hub.waiting == 21)
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert {one.result(LONG) for one in waiting} == {2}
    # The reader looks once a second; each of them would have looked, too.
    assert client.info("commandstats").get("cmdstat_type", {"calls": 0})["calls"] < 20
    # What was seen then is no longer the newest.
    assert hub.wait("game:g", 1, LONG) == 2


def test_a_thousand_greenlets_hear_of_one_append(redis_url: str) -> None:
    program = [sys.executable, "-m", "tests.store.programs.greenlets", redis_url]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("1000\n", 0), done.stderr


def test_a_forked_child_has_a_reader_of_its_own(redis_url: str) -> None:
    program = [sys.executable, "-m", "tests.store.programs.forked", redis_url]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines() == ["parent 2", "child 3", "parent 4"], done.stderr


def test_bots_and_tournaments_wake_those_who_wait_for_them(
    games: GameStore,
    bots: BotStore,
    tournaments: TournamentStore,
    hub: Hub,
    client: RedisClient,
    pool: ThreadPoolExecutor,
) -> None:
    bots.create(bot("polly"))
    tournaments.create("t", "{}", [], "1")
    begin(games, "g", match=True)
    (for_bot,) = wait_in(pool, client, hub, "bot:xpolly", 0)
    (for_tournament,) = wait_in(pool, client, hub, "tournament:t", 1)
    games.publish_ask("g", "1.play.0.0", "xpolly", 1000, 0)
    tournaments.put_result("t", 0, "{}", "2")
    assert for_bot.result(LONG) == 1
    assert for_tournament.result(LONG) == 2


def test_an_append_that_is_not_published_is_noticed_all_the_same(
    games: GameStore, hub: Hub, client: RedisClient, pool: ThreadPoolExecutor
) -> None:
    begin(games, "g")
    waiting = wait_in(pool, client, hub, "game:g", 1)
    client.rpush(keys.game_log("g"), "2")
    assert waiting[0].result(LONG) == 2


def test_news_that_come_late_do_not_take_a_waiter_back(
    games: GameStore, hub: Hub, client: RedisClient, pool: ThreadPoolExecutor
) -> None:
    begin(games, "g", entries=["1", "2", "3"])
    waiting = wait_in(pool, client, hub, "game:g", 3)
    client.publish(keys.NEWS, "game:g 2\ngame:g 3")
    games.append("g", past(games, "g", 3), ["4"], effects=RUNNING)
    assert waiting[0].result(LONG) == 4


def test_a_restart_of_redis_wakes_all_waiters_to_look_for_themselves(
    games: GameStore, hub: Hub, client: RedisClient, pool: ThreadPoolExecutor, outage: Outage
) -> None:
    begin(games, "g")
    waiting = wait_in(pool, client, hub, "game:g", 1, 10)
    outage.restart()
    assert {future.result(LONG) for future in waiting} == {GONE}, "it may be another version 1 than before"
    waiting = wait_in(pool, client, hub, "game:g", 1, 10)
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert {future.result(LONG) for future in waiting} == {2}


def test_a_redis_that_answers_nothing_is_left_though_nobody_waits(
    games: GameStore, client: RedisClient, redis_url: str, outage: Outage
) -> None:
    """A connection to a frozen Redis, or to a host that is cut off, stays open and silent."""
    connect = CountedReader(redis_url)
    hub = Hub(client, connect)
    begin(games, "g")
    hub.wait("game:g", 1, 0.01)
    until(lambda: client.pubsub_numsub(keys.NEWS) == [(keys.NEWS, 1)])
    outage.stall()
    until(lambda: connect.connections > 1)
    outage.go_on()
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert hub.wait("game:g", 1, LONG) == 2
    hub.close()


def test_a_subscription_without_news_is_kept(games: GameStore, client: RedisClient, redis_url: str) -> None:
    connect = CountedReader(redis_url)
    hub = Hub(client, connect)
    begin(games, "g")
    client.config_resetstat()
    assert hub.wait("game:g", 1, 2.5 * PING_S) == 1
    assert client.info("commandstats")["cmdstat_ping"]["calls"] >= 2
    assert connect.connections == 1
    hub.close()


def test_those_that_begin_to_wait_while_redis_is_away_are_woken_when_it_is_back(
    games: GameStore, hub: Hub, pool: ThreadPoolExecutor, outage: Outage
) -> None:
    """They may have read what Redis has lost by then."""
    begin(games, "g")
    outage.kill()
    waiting = pool.submit(hub.wait, "game:g", 1, LONG)
    time.sleep(0.3)
    outage.restart()
    assert waiting.result(LONG) == GONE


def test_a_version_that_redis_has_lost_is_news(games: GameStore, hub: Hub, outage: Outage) -> None:
    begin(games, "g")
    remembered = outage.remember()
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert hub.wait("game:g", 1, LONG) == 2
    outage.rewind(remembered)
    assert hub.wait("game:g", 2, LONG) in (1, GONE)
    assert hub.wait("game:g", 2, LONG) == 1


def test_a_wait_without_redis_ends_with_its_time_and_no_error(games: GameStore, hub: Hub, outage: Outage) -> None:
    begin(games, "g")
    outage.kill()
    assert hub.wait("game:g", 1, 0.2) == 1
    with pytest.raises(Unavailable):
        hub.version("game:g")


def test_a_hub_that_was_closed_reads_no_more_and_starts_again_when_it_is_needed(
    games: GameStore, hub: Hub, client: RedisClient, pool: ThreadPoolExecutor
) -> None:
    begin(games, "g")
    hub.wait("game:g", 1, 0.01)
    hub.close()
    until(lambda: client.pubsub_numsub(keys.NEWS) == [(keys.NEWS, 0)])
    waiting = wait_in(pool, client, hub, "game:g", 1)
    games.append("g", past(games, "g", 1), ["2"], effects=RUNNING)
    assert waiting[0].result(LONG) == 2
