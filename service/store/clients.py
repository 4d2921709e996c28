"""The clients of Redis, and the one place where its failures become `Unavailable`.

Commands are never sent twice by the client: a retry after a timeout would do a write again. Waiting for news is done on
a connection of its own (see `hub.py`), so that a waiter never holds one that a command needs.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any, TypeVar

import redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.client import Pipeline
from redis.commands.core import Script
from redis.retry import Retry

from service.errors import Unavailable
from service.store import keys
from service.store.sentinel import MasterConnection, connection_options, is_sentinel_url

Pool = TypeVar("Pool", bound=redis.ConnectionPool)

SOCKET_TIMEOUT_S = 5.0
CONNECT_TIMEOUT_S = 2.0
#: How long a command waits for a free connection before the store counts as unavailable.
POOL_TIMEOUT_S = 5.0
MAX_CONNECTIONS = 64
#: A connection that was silent for so long is checked before it is used.
HEALTH_CHECK_S = 10
WORKER_RETRIES = 5
COUNTER_TIMEOUT_S = 2
REPLICAS_MS = 1_000
"""How long the replicas may take to confirm what a script has written."""
OLDEST_REDIS = (6, 2)

#: Errors of a Redis that answers and cannot serve now. redis-py has classes for some; the others are known by their
#: words, which also come out of a script in the middle of a text.
_CANNOT_SERVE_NOW = (
    redis.exceptions.OutOfMemoryError,
    redis.ReadOnlyError,
    redis.exceptions.MasterDownError,
    redis.exceptions.NoPermissionError,
)
_CANNOT_SERVE = re.compile(r"\b(OOM command not allowed|MISCONF|LOADING|READONLY|MASTERDOWN|NOREPLICAS|BUSY|NOAUTH)\b")


class LayoutError(RuntimeError):
    """The database was written by another version of this program, or its Redis is too old or of a kind that cannot
    be used: a node of a cluster, or a Sentinel."""


@contextmanager
def unavailable() -> Iterator[None]:
    """Raises `Unavailable` for the errors that redis-py raises when Redis does not serve. All others pass."""
    try:
        yield
    except redis.AuthenticationError as error:
        raise Unavailable("Redis refuses the user or password of this service") from error
    except (redis.ConnectionError, redis.TimeoutError) as error:
        raise Unavailable("Redis does not answer") from error
    except redis.ResponseError as error:
        if not isinstance(error, _CANNOT_SERVE_NOW) and not _CANNOT_SERVE.search(str(error)):
            raise
        raise Unavailable("Redis cannot serve now") from error


class PooledConnection(redis.Connection):
    """A connection that costs next to nothing to check when it comes out of the pool.

    redis-py calls `poll` for that. Where gevent has patched `poll`, the check costs a turn of the event loop for each
    command, more than all else that the client does. (Connections by TLS and Unix sockets have classes of their own.)
    """

    def can_read(self, timeout: float = 0) -> bool:
        """False: nothing has come unasked, and the other end has not closed."""
        connected: socket.socket | None = self._sock
        if timeout == 0 and connected is not None and _is_silent(connected):
            # The parser holds nothing back: a reply that was not read to its end closes the connection.
            return False
        return bool(super().can_read(timeout))


class PooledMasterConnection(PooledConnection, MasterConnection):
    """The same to a master that Sentinels name."""


def _is_silent(connected: socket.socket) -> bool:
    timeout = connected.gettimeout()
    connected.settimeout(0)
    try:
        connected.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        connected.settimeout(timeout)
    return False


class GuardedPipeline(Pipeline):
    """A pipeline that raises `Unavailable` where the client does."""

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        with unavailable():
            return super().execute(raise_on_error)

    def immediate_execute_command(self, *args: Any, **options: Any) -> Any:
        with unavailable():
            return super().immediate_execute_command(*args, **options)  # type: ignore[no-untyped-call]


class RedisClient(redis.Redis):
    """redis-py's client. Commands and pipelines raise `Unavailable`; before the first one the layout is checked."""

    replicas = 0
    """How many of them must have what a script has written before its answer counts."""
    writing: frozenset[str] = frozenset()
    """SHA-1 of the scripts that write."""
    _layout_is_ours = False

    def execute_command(self, *args: Any, **options: Any) -> Any:
        with unavailable():
            if not self._layout_is_ours:
                self.check_layout()
            if self.replicas and args[0] == "EVALSHA" and args[1] in self.writing:
                return self._send_and_wait(*args)
            return self._send(*args, **options)

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> GuardedPipeline:
        if not self._layout_is_ours:
            self.check_layout()
        return GuardedPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)

    def check_layout(self) -> None:
        """Marks an empty database with our layout. Raises LayoutError if it has another one, Unavailable."""
        with unavailable():
            server = self._send("INFO", "server")
            version = str(server["redis_version"])
            # The name of the member in newer releases of Valkey is the second.
            mode = server.get("redis_mode") or server.get("server_mode") or "standalone"
            # Before the first command that a cluster or a Sentinel refuses, or sends elsewhere.
            if mode != "standalone":
                raise LayoutError(
                    f"this Redis runs as {mode}, which is not supported: the URL must lead to a server that has all "
                    "data, or name its Sentinels (redis+sentinel://…)"
                )
            found = _text(self._send("GET", keys.LAYOUT))
            if found is None:
                self._send("SET", keys.LAYOUT, keys.LAYOUT_VERSION, "NX")
                found = _text(self._send("GET", keys.LAYOUT))
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_REDIS:
            raise LayoutError(f"Redis {version} is too old: 6.2 or newer is needed")
        if found != keys.LAYOUT_VERSION:
            raise LayoutError(
                f"the data in this Redis has layout {found}, and this program reads layout {keys.LAYOUT_VERSION}: "
                "use another database, or the version of the program that wrote it"
            )
        self._layout_is_ours = True

    def _send_and_wait(self, *args: Any) -> Any:
        # WAIT is about what its own connection has written.
        with GuardedPipeline(self.connection_pool, self.response_callbacks, False, None) as pipe:
            pipe.execute_command(*args)  # type: ignore[no-untyped-call]
            pipe.execute_command("WAIT", self.replicas, REPLICAS_MS)  # type: ignore[no-untyped-call]
            answer, confirmed = pipe.execute(raise_on_error=False)
        for part in (answer, confirmed):
            if isinstance(part, Exception):
                raise part
        self._check_confirmed(confirmed)
        return answer

    def run_together(self, run: Script, calls: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> list[Any]:
        """Runs a script several times, in one transaction: Redis writes its file once for all of it. `calls`: keys and
        arguments. Returns what each run answered; an exception of redis-py for one that Redis refused."""
        if not self._layout_is_ours:
            self.check_layout()
        with GuardedPipeline(self.connection_pool, self.response_callbacks, False, None) as pipe:
            pipe.execute_command("MULTI")  # type: ignore[no-untyped-call]
            for names, values in calls:
                run(names, values, client=pipe)
            pipe.execute_command("EXEC")  # type: ignore[no-untyped-call]
            if self.replicas:
                # Within the transaction it would not wait.
                pipe.execute_command("WAIT", self.replicas, REPLICAS_MS)  # type: ignore[no-untyped-call]
            parts = pipe.execute(raise_on_error=False)
        with unavailable():
            for part in parts:
                if isinstance(part, Exception):
                    raise part
        if self.replicas:
            self._check_confirmed(parts[-1])
        answers: list[Any] = parts[len(calls) + 1]
        return answers

    def _check_confirmed(self, confirmed: int) -> None:
        if confirmed < self.replicas:
            # It is done here, and may yet be lost: as after a timeout, the caller has to look.
            raise Unavailable(f"{confirmed} of {self.replicas} replicas have confirmed what was written")

    def _send(self, *args: Any, **options: Any) -> Any:
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]


def commands(url: str, replicas: int = 0) -> RedisClient:
    """The client for all commands of the store; answers are text. `replicas`: how many must have what a script has
    written before the script counts as done."""
    client = RedisClient(connection_pool=_command_pool(url, decode_responses=True))
    client.replicas = replicas
    return client


def queue_commands(url: str) -> RedisClient:
    """The same for RQ, which needs bytes."""
    return RedisClient(connection_pool=_command_pool(url, decode_responses=False))


def reader(url: str) -> redis.Redis:
    """The client of the hub's one subscription. It raises redis-py's own errors: the hub checks it, and
    connects again by itself."""
    return redis.Redis.from_pool(
        _pool(
            url,
            redis.ConnectionPool,
            decode_responses=True,
            socket_timeout=SOCKET_TIMEOUT_S,
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
    )


def counters(url: str) -> redis.ConnectionPool:
    """The connections of the rate limits. They raise redis-py's own errors."""
    return _pool(
        url,
        redis.ConnectionPool,
        socket_timeout=COUNTER_TIMEOUT_S,
        socket_connect_timeout=COUNTER_TIMEOUT_S,
        protocol=2,
    )


def worker(url: str) -> redis.Redis:
    """The client of a process that serves RQ's queues. RQ sets how long its reads wait.

    It sends a command again after a lost connection. A job may come twice and does no harm; an error would end the
    worker.
    """
    return redis.Redis.from_pool(
        _pool(
            url,
            redis.ConnectionPool,
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            socket_keepalive=True,
            health_check_interval=HEALTH_CHECK_S,
            retry=Retry(ExponentialBackoff(cap=1.0, base=0.05), WORKER_RETRIES),
            protocol=2,
        )
    )


def script(client: RedisClient, *names: str, writes: bool = True) -> Script:
    """Registers `lua/<name>.lua`, or several files put together into one script. It is sent again to a Redis that has
    forgotten it. `writes`: whether it may write anything."""
    folder = resources.files("service.store") / "lua"
    made = client.register_script("\n".join((folder / f"{name}.lua").read_text("utf-8") for name in names))
    if writes:
        client.writing |= {made.sha}
    return made


def texts(answer: Any) -> list[str]:
    """The answer to a command that lists strings."""
    return [str(item) for item in answer]


def pairs(flat: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(field, value) of a flat answer."""
    items = iter(flat)
    return zip(items, items, strict=True)


def _command_pool(url: str, *, decode_responses: bool) -> redis.BlockingConnectionPool:
    return _pool(
        url,
        redis.BlockingConnectionPool,
        connection_class=PooledConnection,
        master_class=PooledMasterConnection,
        max_connections=MAX_CONNECTIONS,
        timeout=POOL_TIMEOUT_S,
        decode_responses=decode_responses,
        socket_timeout=SOCKET_TIMEOUT_S,
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
        # RESP3 would add a handshake, and push messages that nobody here reads.
        protocol=2,
    )


def _pool(
    url: str,
    kind: type[Pool],
    *,
    connection_class: type[redis.Connection] = redis.Connection,
    master_class: type[MasterConnection] = MasterConnection,
    **options: Any,
) -> Pool:
    """The two classes are those of connections without TLS, to the server of a URL and to a master."""
    if is_sentinel_url(url):
        return kind(**{"connection_class": master_class, **options, **connection_options(url)})
    return kind.from_url(url, connection_class=connection_class, **options)


def _text(value: Any) -> str | None:
    return value.decode() if isinstance(value, bytes) else value
