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
from typing import Any

import redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.client import Pipeline
from redis.commands.core import Script
from redis.retry import Retry

from service.errors import Unavailable
from service.store import keys

SOCKET_TIMEOUT_S = 5.0
CONNECT_TIMEOUT_S = 2.0
#: How long a command waits for a free connection before the store counts as unavailable.
POOL_TIMEOUT_S = 5.0
MAX_CONNECTIONS = 64
#: A connection that said nothing for so long is asked whether it is still there.
HEALTH_CHECK_S = 10
WORKER_RETRIES = 5
OLDEST_REDIS = (6, 2)

#: Answers of a Redis that is there and cannot serve now: those that redis-py has a class for, and the rest, also as
#: they come out of a script, in the middle of a text.
_CANNOT_SERVE_NOW = (
    redis.exceptions.OutOfMemoryError,
    redis.ReadOnlyError,
    redis.exceptions.MasterDownError,
    redis.exceptions.NoPermissionError,
)
_CANNOT_SERVE = re.compile(r"\b(OOM command not allowed|MISCONF|LOADING|READONLY|MASTERDOWN|NOREPLICAS|BUSY|NOAUTH)\b")


class LayoutError(RuntimeError):
    """The database was written by another version of this program, or its Redis is too old."""


@contextmanager
def unavailable() -> Iterator[None]:
    """Turns what a Redis that does not serve makes redis-py raise into `Unavailable`; all else passes."""
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
    """redis-py asks a connection that comes out of its pool whether it is still good, by `poll`. Where gevent has
    patched that, it costs a turn of the event loop for each command, more than all else that the client does; a look at
    the socket costs next to nothing. (Connections by TLS and Unix sockets have classes of their own.)"""

    def can_read(self, timeout: float = 0) -> bool:
        """False: nothing came that nobody has asked for, and the other end has not hung up."""
        connected: socket.socket | None = self._sock
        if timeout == 0 and connected is not None and _is_silent(connected):
            # The parser holds nothing back either: a reply that was not read to its end closes the connection.
            return False
        return bool(super().can_read(timeout))


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


class Client(redis.Redis):
    """redis-py's client; commands and pipelines raise `Unavailable`. Before the first one the layout is checked."""

    _layout_is_ours = False

    def execute_command(self, *args: Any, **options: Any) -> Any:
        with unavailable():
            if not self._layout_is_ours:
                self.check_layout()
            return self._send(*args, **options)

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> GuardedPipeline:
        if not self._layout_is_ours:
            self.check_layout()
        return GuardedPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)

    def check_layout(self) -> None:
        """Raises LayoutError if the database is in another layout than ours, or Unavailable; marks an empty one."""
        with unavailable():
            version = str(_text(self._send("INFO", "server")["redis_version"]))
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

    def _send(self, *args: Any, **options: Any) -> Any:
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]


def commands(url: str) -> Client:
    """The client for all commands of the store; answers are text."""
    return Client(connection_pool=_pool(url, decode_responses=True))


def queue_commands(url: str) -> Client:
    """The same for RQ, which wants bytes."""
    return Client(connection_pool=_pool(url, decode_responses=False))


def reader(url: str) -> redis.Redis:
    """The client of the hub's one subscription. It raises redis-py's own errors: the hub connects again by itself."""
    return redis.Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=SOCKET_TIMEOUT_S,
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        health_check_interval=HEALTH_CHECK_S,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )


def worker(url: str) -> redis.Redis:
    """The client of a process that serves RQ's queues. RQ sets how long its reads wait.

    Here commands are sent again after a lost connection: what RQ does twice is a nudge that comes twice, while an error
    would end the worker.
    """
    return redis.Redis.from_url(
        url,
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        socket_keepalive=True,
        health_check_interval=HEALTH_CHECK_S,
        retry=Retry(ExponentialBackoff(cap=1.0, base=0.05), WORKER_RETRIES),
        protocol=2,
    )


def script(client: Client, *names: str) -> Script:
    """Registers `lua/<name>.lua`, or several put together into one. A Redis that has forgotten it is told it again."""
    folder = resources.files("service.store") / "lua"
    return client.register_script("\n".join((folder / f"{name}.lua").read_text("utf-8") for name in names))


def texts(answer: Any) -> list[str]:
    """The answer to a command that lists strings."""
    return [str(item) for item in answer]


def pairs(flat: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(field, value) of a flat answer."""
    items = iter(flat)
    return zip(items, items, strict=True)


def _pool(url: str, *, decode_responses: bool) -> redis.BlockingConnectionPool:
    return redis.BlockingConnectionPool.from_url(
        url,
        connection_class=PooledConnection,
        max_connections=MAX_CONNECTIONS,
        timeout=POOL_TIMEOUT_S,
        decode_responses=decode_responses,
        socket_timeout=SOCKET_TIMEOUT_S,
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
        # RESP3 would add a handshake and push messages that nobody here listens to.
        protocol=2,
    )


def _text(value: Any) -> str | None:
    return value.decode() if isinstance(value, bytes) else value
