"""How the store fails: one error for whatever keeps Redis from serving, and no write that is sent twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis

from service.errors import Unavailable
from service.store import clients, keys
from service.store.clients import LayoutError, RedisClient, unavailable
from tests.outage import Outage


@pytest.fixture
def impatient(redis_url: str) -> Iterator[RedisClient]:
    client = clients.commands(f"{redis_url}?socket_timeout=0.2&timeout=0.2&max_connections=2")
    client.get("nothing")
    yield client
    client.close()


def pipelined(client: RedisClient) -> object:
    pipe = client.pipeline()
    pipe.get("a")
    pipe.get("b")
    return pipe.execute()


def watched(client: RedisClient) -> object:
    with client.pipeline() as pipe:
        pipe.watch("a")  # type: ignore[no-untyped-call]
        return pipe.get("a")


def scripted(client: RedisClient) -> object:
    return clients.script(client, "versions")(["mb1:{g:a}:log"], [])


CALLS: list[Callable[[RedisClient], object]] = [lambda client: client.get("a"), pipelined, watched, scripted]


@pytest.mark.parametrize("call", CALLS, ids=["command", "pipeline", "watched", "script"])
@pytest.mark.parametrize("failure", [Outage.kill, Outage.stall])
def test_a_redis_that_does_not_answer_is_unavailable(
    impatient: RedisClient, outage: Outage, failure: Callable[[Outage], None], call: Callable[[RedisClient], object]
) -> None:
    failure(outage)
    with pytest.raises(Unavailable, match="does not answer"):
        call(impatient)


def test_a_client_made_while_redis_is_down_works_when_it_is_up(redis_url: str, outage: Outage) -> None:
    outage.kill()
    client = clients.commands(redis_url)
    with pytest.raises(Unavailable):
        client.pipeline()
    outage.end()
    assert client.get("nothing") is None


@pytest.mark.parametrize("call", CALLS, ids=["command", "pipeline", "watched", "script"])
def test_the_first_command_after_a_restart_is_answered(
    client: RedisClient, outage: Outage, call: Callable[[RedisClient], object]
) -> None:
    call(client)
    outage.restart()
    call(client)


def test_a_stalled_redis_gets_a_write_once(client: RedisClient, impatient: RedisClient, outage: Outage) -> None:
    outage.stall()
    with pytest.raises(Unavailable):
        impatient.incr("counter")
    outage.go_on()
    assert client.incr("counter") == 2


def test_no_more_connections_are_opened_than_allowed(client: RedisClient, impatient: RedisClient) -> None:
    taken = [impatient.connection_pool.get_connection() for _ in range(2)]
    with pytest.raises(Unavailable):
        impatient.get("a")
    for connection in taken:
        impatient.connection_pool.release(connection)
    assert impatient.get("a") is None


def test_a_wrong_password_is_told_apart_from_silence(redis_url: str) -> None:
    address = redis_url.partition("@")[2]
    with pytest.raises(Unavailable, match="refuses the user or password"):
        clients.commands(f"redis://:wrong@{address}").get("a")


@pytest.mark.parametrize(
    "answer",
    [
        redis.exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'."),
        redis.ResponseError("Error running script: @user_script:9: -OOM command not allowed when used memory > 'max'"),
        redis.ResponseError("MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk."),
        redis.BusyLoadingError("Redis is loading the dataset in memory"),
        redis.ReadOnlyError("You can't write against a read only replica."),
        redis.ResponseError("user_script:3: READONLY You can't write against a read only replica."),
        redis.ResponseError("BUSY Redis is busy running a script."),
        redis.ResponseError("NOREPLICAS Not enough good replicas to write."),
    ],
    ids=lambda error: str(error)[:20],
)
def test_a_redis_that_cannot_serve_now_is_unavailable(answer: redis.RedisError) -> None:
    with pytest.raises(Unavailable), unavailable():
        raise answer


def test_a_defect_of_ours_is_not_taken_for_an_outage(client: RedisClient) -> None:
    client.set("text", "x")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        client.lpush("text", "y")


# --- layout ------------------------------------------------------------------------------------------------------


def test_an_empty_database_is_marked_with_the_layout(redis_url: str) -> None:
    clients.commands(redis_url).check_layout()
    with redis.Redis.from_url(redis_url) as plain:
        assert plain.get(keys.LAYOUT) == keys.LAYOUT_VERSION.encode()


@pytest.mark.parametrize("call", CALLS[:2], ids=["command", "pipeline"])
def test_a_database_of_another_layout_is_refused_before_anything_is_done(
    redis_url: str, call: Callable[[RedisClient], object]
) -> None:
    with redis.Redis.from_url(redis_url) as plain:
        plain.set(keys.LAYOUT, "2")
    client = clients.commands(redis_url)
    for _ in range(2):
        with pytest.raises(LayoutError, match="layout 2, and this program reads layout 1"):
            call(client)


def test_both_kinds_of_clients_read_the_mark(redis_url: str) -> None:
    clients.commands(redis_url).check_layout()
    assert clients.queue_commands(redis_url).get(keys.LAYOUT) == keys.LAYOUT_VERSION.encode()
