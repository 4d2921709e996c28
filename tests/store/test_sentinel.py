"""A master that is found by Sentinels, and fails."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from service.config import ConfigError, Settings
from service.errors import Unavailable
from service.processes.supervisor import wait_until
from service.store import chain, clients
from service.store.games import GameStore, VersionMoved
from service.store.sentinel import DEFAULT_PORT, MasterTlsConnection, connection_options
from service.wiring import build
from tests.sentinel_trio import Trio, sentinel_trio
from tests.store.samples import RUNNING, begin


@pytest.fixture
def trio() -> Iterator[Trio]:
    with sentinel_trio() as trio:
        yield trio


def store(trio: Trio, replicas: int = 0) -> GameStore:
    return GameStore(clients.commands(trio.url, replicas))


def written(games: GameStore, entry: str) -> bool:
    """Appends to the game g, as soon as there is a master; whether this call did it."""
    row = games.read("g")
    assert row is not None
    known = chain.extend(chain.begin(row.meta), row.entries)
    return games.append("g", known, [entry], effects=RUNNING).version == len(row.entries) + 1


def tries(games: GameStore, entry: str) -> bool:
    with contextlib.suppress(Unavailable):
        return written(games, entry)
    return False


@pytest.mark.slow
def test_reading_writing_and_news_go_on_with_the_next_master(trio: Trio) -> None:
    ctx = build(Settings(redis_url=trio.url))
    begin(ctx.games, "g")
    lease = ctx.leases.acquire("l", 60_000)
    with ThreadPoolExecutor(1) as pool, contextlib.closing(ctx.hub):
        waits = pool.submit(ctx.hub.wait, "game:g", 1, 60)
        trio.fail_over()
        assert wait_until(lambda: tries(ctx.games, "2"), 30)
        assert waits.result() in (0, 2), "it is woken by the append, or by the connection that was lost"
        assert pool.submit(ctx.hub.wait, "game:g", 1, 60).result() == 2
    row = ctx.games.read("g")
    assert row is not None
    assert row.entries == ('{"n":1}', "2")
    assert lease is not None
    assert ctx.leases.renew(lease, 60_000)


@pytest.mark.slow
def test_what_the_replicas_had_not_is_lost_and_noticed(trio: Trio) -> None:
    games = store(trio)
    begin(games, "g")
    with trio.cut_off_replicas():
        assert written(games, "lost")
        after = chain.extend(chain.extend(chain.begin("{}"), ['{"n":1}']), ["lost"])
        trio.send([trio.master()], signal.SIGKILL)
    assert wait_until(lambda: tries(games, "2"), 60)
    with pytest.raises(VersionMoved) as moved:
        games.append("g", after, ["3"], effects=RUNNING)
    assert moved.value.row.version == 2, "of the same length, and with another past"
    row = games.read("g")
    assert row is not None
    assert row.entries == ('{"n":1}', "2")


@pytest.mark.slow
def test_what_waits_for_replicas_is_not_acknowledged_before_one_has_it(trio: Trio) -> None:
    games = store(trio, 1)
    begin(games, "g")
    with trio.cut_off_replicas(), pytest.raises(Unavailable, match="0 of 1 replicas"):
        written(games, "2")
    row = store(trio).read("g")
    assert row is not None
    assert row.entries == ('{"n":1}', "2"), "it is done once, and was not promised"
    assert wait_until(lambda: tries(games, "3"), 30)
    trio.fail_over()
    assert wait_until(lambda: tries(games, "4"), 30)
    row = games.read("g")
    assert row is not None
    assert row.entries == ('{"n":1}', "2", "3", "4")


@pytest.mark.slow
def test_a_master_that_was_frozen_acknowledges_nothing_that_will_be_lost(trio: Trio) -> None:
    games, old = store(trio, 1), trio.master()
    begin(games, "g")
    trio.send([old], signal.SIGSTOP)
    assert wait_until(lambda: trio.master() != old, 60)
    trio.send([old], signal.SIGCONT)
    acknowledged = [str(n) for n in range(200) if tries(games, str(n))]
    assert wait_until(lambda: tries(games, "last"), 30)
    row = games.read("g")
    assert row is not None
    assert set(row.entries) >= {*acknowledged, "last"}


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://:secret@127.0.0.1:1",
        "redis+sentinel://:secret@127.0.0.1:1/name/x",
        "redis+sentinel://:secret@127.0.0.1:x/name",
        "redis+sentinel://:secret@127.0.0.1:1,/name",
        "redis+sentinel:///name?sentinel_password=secret",
    ],
)
def test_a_url_without_sentinels_or_a_name_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ConfigError, match="REDIS_URL cannot be used") as caught:
        build(Settings(redis_url=url))
    assert "secret" not in str(caught.value)


def test_a_url_has_users_database_and_options() -> None:
    options = connection_options("redis+sentinel://ada:s%2Fecret@[::1]:7,b.example/name/3?socket_timeout=2")
    sentinels = options.pop("find_master").func.__self__.sentinels
    assert options == {"username": "ada", "password": "s/ecret", "db": 3, "socket_timeout": 2.0}
    at = [sentinel.get_connection_kwargs() for sentinel in sentinels]
    assert [(found["host"], found["port"]) for found in at] == [("::1", 7), ("b.example", DEFAULT_PORT)]


def test_over_tls_redis_and_the_sentinels_are_called_so() -> None:
    options = connection_options(
        "rediss+sentinel://:secret@a.example/name?ssl_ca_certs=/ca.pem&sentinel_password=other"
    )
    (sentinel,) = options["find_master"].func.__self__.sentinels
    found = sentinel.get_connection_kwargs()
    assert (options["connection_class"], options["ssl_ca_certs"]) == (MasterTlsConnection, "/ca.pem")
    assert (found["password"], found["ssl_ca_certs"]) == ("other", "/ca.pem")
    assert sentinel.connection_pool.connection_class is redis.SSLConnection
