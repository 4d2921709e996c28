"""A Redis whose master is found by Sentinels, and changes when the master fails.

    redis+sentinel://<user>:<password>@<host>:<port>,<host>:<port>,…/<name of the master>/<database>?<options>

User and password are those of Redis. The database may be left out (0), and so may the port of a Sentinel (26379). The
options are redis-py's, and `sentinel_username` and `sentinel_password`, where the Sentinels have a password of their
own. With `rediss+sentinel://` Redis and the Sentinels are called over TLS.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry
from redis.sentinel import Sentinel

SCHEMES = {"redis+sentinel": "redis", "rediss+sentinel": "rediss"}
"""With the schemes of redis-py that stand for the same transport."""
DEFAULT_PORT = 26379
ANSWER_S = 0.5
"""How long a Sentinel may take to answer before the next is asked."""


def is_sentinel_url(url: str) -> bool:
    """Whether the URL names Sentinels."""
    return urlsplit(url).scheme in SCHEMES


def connection_options(url: str) -> dict[str, Any]:
    """What a pool needs for connections of the class `MasterConnection`, or `MasterTlsConnection` if the URL says so.

    Raises ValueError for a URL that is not as above; the message does not repeat it.
    """
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    service, _, database = parts.path.strip("/").partition("/")
    if not service or not (database or "0").isdecimal():
        raise ValueError("after the Sentinels come /<name of the master> and, if need be, /<database>")
    addresses = [_address(host) for host in hosts.split(",")]
    # redis-py reads all but the Sentinels from a URL of a single server, whose host does not matter.
    single = (SCHEMES[parts.scheme], f"{user}{at}localhost", f"/{database}", parts.query, "")
    options = dict(parse_url(urlunsplit(single)))  # type: ignore[no-untyped-call]
    del options["host"]
    over_tls = options.pop("connection_class", None) is not None
    of_sentinel = {name: value for name, value in options.items() if over_tls and name.startswith("ssl_")}
    of_sentinel |= {
        name: options.pop(f"sentinel_{name}") for name in ("username", "password") if f"sentinel_{name}" in options
    }
    sentinel = Sentinel(  # type: ignore[no-untyped-call]
        addresses,
        sentinel_kwargs={
            **of_sentinel,
            "ssl": over_tls,
            "socket_timeout": ANSWER_S,
            "socket_connect_timeout": ANSWER_S,
            "retry": Retry(NoBackoff(), 0),
            "protocol": 2,
        },
    )
    if over_tls:
        options["connection_class"] = MasterTlsConnection
    return {**options, "find_master": partial(sentinel.discover_master, service)}


def _address(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError("the Sentinels are written as host:port,host:port")
    return parts.hostname, parts.port or DEFAULT_PORT


class MasterConnection(redis.Connection):
    """A connection to the master. It asks for its address each time that it connects, and closes when the server
    says that it is a replica now."""

    def __init__(self, *, find_master: Callable[[], tuple[str, int]], **options: Any) -> None:
        self._find_master = find_master
        super().__init__(**options)  # type: ignore[no-untyped-call]

    def _connect(self) -> Any:
        self.host, self.port = self._find_master()
        return super()._connect()  # type: ignore[no-untyped-call]

    def on_connect_check_health(self, check_health: bool = True) -> None:
        """Logs in. Raises redis.ConnectionError if the server is not the master: a Sentinel may know less than the
        others, or the server has not yet noticed."""
        super().on_connect_check_health(check_health)
        self.send_command("ROLE")  # type: ignore[no-untyped-call]
        if self.read_response()[0] not in (b"master", "master"):
            raise redis.ConnectionError("the server that the Sentinels name is not the master")

    def read_response(self, *args: Any, **options: Any) -> Any:
        """An answer. Raises redis.ConnectionError if it says that the server is a replica now."""
        try:
            return super().read_response(*args, **options)
        except redis.ResponseError as error:
            # A script's error has the word in the middle of its text.
            if "READONLY" not in str(error) and not isinstance(error, redis.ReadOnlyError):
                raise
            self.disconnect()  # type: ignore[no-untyped-call]
            raise redis.ConnectionError("the server is no longer the master") from error


class MasterTlsConnection(MasterConnection, redis.SSLConnection):
    """The same over TLS."""
