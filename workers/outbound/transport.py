"""The transport of requests, guarded: checked addresses, one deadline for everything, a limit on what is received.

`timeout=` of requests limits the pause between two bytes, not the whole exchange. Here each socket operation gets the
time that is left until one deadline.
"""

from __future__ import annotations

import errno
import http
import http.client
import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection, port_by_scheme
from urllib3.poolmanager import PoolKey
from urllib3.util import parse_url
from urllib3.util.ssl_ import create_urllib3_context

from service.addresses import AddressPolicy
from workers.outbound.lookup import Endpoint, Lookup

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

BODY_LIMIT = 64 * 1024
"""A body may have this many bytes."""
RAW_LIMIT = BODY_LIMIT + 32 * 1024
"""An answer may have this many bytes as received, with headers and the framing of chunks, which is slow to parse."""
HEAD_KEPT = 2048
"""This many bytes of an answer are kept to be shown."""
MAX_HOSTS = 32
"""Connections are kept open to this many hosts. With `POOL_SIZE` it limits the open files of a process."""
POOL_SIZE = 16
"""This many connections are kept open to one host."""

_STATUS_LINE = re.compile(rb"HTTP/1\.\S*[ \t]+([1-9][0-9]{2})\s")


class ConnectAttempt:
    """One attempt at one call: its deadline, and what came of it. Times are seconds of `monotonic`."""

    __slots__ = (
        "connected",
        "deadline",
        "final",
        "first_byte_at",
        "fresh",
        "head",
        "last_byte_at",
        "oversize",
        "received",
        "reused",
        "skipped",
        "taken",
        "timed_out",
        "trouble",
    )

    def __init__(self, deadline: float, *, fresh: bool = False) -> None:
        self.deadline = deadline
        self.fresh = fresh
        """A kept connection must not be used."""
        self.connected = False
        """The connection was made, TLS included."""
        self.timed_out = False
        self.trouble: str | None = None
        """Why no connection was made."""
        self.final = False
        """Another attempt cannot help."""
        self.reused = False
        """The connection was kept from an earlier exchange."""
        self.received = 0
        """Bytes that came."""
        self.taken = 0
        """Bytes of these that interim responses and the answer consist of."""
        self.skipped = 0
        """Bytes of these that interim responses consist of."""
        self.oversize = False
        """More than `RAW_LIMIT` bytes came."""
        self.first_byte_at = 0.0
        self.last_byte_at = 0.0
        self.head = bytearray()
        """The first `HEAD_KEPT` bytes of the answer, as far as they have come."""

    def remaining(self) -> float:
        """Seconds left, more than 0. Raises TimeoutError when none are."""
        left = self.deadline - monotonic()
        if left <= 0:
            self.timed_out = True
            raise TimeoutError("the deadline has passed")
        return left

    def took(self, data: memoryview) -> None:
        """Notes bytes that were received. Raises OSError when there are too many of them."""
        if data:
            self.last_byte_at = monotonic()
            if not self.received:
                self.first_byte_at = self.last_byte_at
        self.received += len(data)
        if len(self.head) < HEAD_KEPT:
            self.head += data[: HEAD_KEPT - len(self.head)]
        if self.received > RAW_LIMIT:
            self.oversize = True
            raise OSError(f"more than {RAW_LIMIT} bytes were received")

    def skip_interim(self) -> None:
        """Notes that what was taken so far was an interim response (RFC 9110, section 15.2)."""
        del self.head[: self.taken - self.skipped]
        self.skipped = self.taken

    def status(self) -> int | None:
        """The status of the answer; None if no status line came."""
        found = _STATUS_LINE.match(self.head)
        return int(found[1]) if found else None

    def refuse(self, trouble: str, *, final: bool = False) -> OSError:
        """The error to raise when the connection cannot be made."""
        self.trouble = trouble
        self.final = final
        return OSError(trouble)


class _BoundedSocket(socket.socket):
    """A socket whose operations end by the deadline of the attempt that uses it."""

    attempt: ConnectAttempt

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        attempt = self.attempt
        view = memoryview(buffer)
        self.settimeout(attempt.remaining())
        try:
            count = super().recv_into(buffer, nbytes or view.nbytes, flags)
        except TimeoutError:
            attempt.timed_out = True
            raise
        attempt.took(view[:count])
        return count

    def sendall(self, data: ReadableBuffer, flags: int = 0) -> None:
        self.settimeout(self.attempt.remaining())
        try:
            super().sendall(data, flags)  # the time-out is for all of the data, over TLS too
        except TimeoutError:
            self.attempt.timed_out = True
            raise


class _BoundedTLSSocket(_BoundedSocket, ssl.SSLSocket):
    pass


class Dial:
    """Connects to addresses that the policy allows, for the attempt that the calling thread has started."""

    def __init__(self, policy: AddressPolicy, lookup: Lookup, connect_s: float, max_idle_s: float) -> None:
        self.max_idle_s = max_idle_s
        self._policy = policy
        self._lookup = lookup
        self._connect_s = connect_s
        self._thread = threading.local()

    def begin(self, attempt: ConnectAttempt) -> None:
        """Makes what this thread connects and sends from now on part of the attempt."""
        self._thread.attempt = attempt

    @property
    def attempt(self) -> ConnectAttempt:
        """The attempt that this thread has started."""
        attempt: ConnectAttempt = self._thread.attempt
        return attempt

    def connect(self, host: str, port: int) -> socket.socket:
        """Connects to one of the host's addresses, all of which must be allowed, within the time to connect.

        The name is resolved once, and the addresses that were checked are used: a second answer may differ. The
        time-out of the socket is what is left for TLS. Raises OSError; the attempt has the reason.
        """
        attempt = self.attempt
        until = min(attempt.deadline, monotonic() + self._connect_s)
        endpoints = self._checked(host, port, until)
        reason = "there was no answer in time"
        for number, endpoint in enumerate(endpoints):
            left = until - monotonic()
            if left <= 0:
                break
            connection = _BoundedSocket(endpoint.family, socket.SOCK_STREAM)
            try:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                # An address that never answers must leave time for those after it.
                connection.settimeout(left / (len(endpoints) - number))
                connection.connect(endpoint.address)
                connection.settimeout(max(0.001, until - monotonic()))
            except OSError as error:
                connection.close()
                reason = _words(error)
            else:
                connection.attempt = attempt
                return connection
        raise attempt.refuse(f"no connection: {reason}")

    def _checked(self, host: str, port: int, until: float) -> Sequence[Endpoint]:
        endpoints = self._resolved(host, port, until)
        for endpoint in endpoints:
            refusal = self._policy.refusal(endpoint.address[0])
            if refusal is not None:
                raise self.attempt.refuse(refusal, final=True)
        return endpoints

    def _resolved(self, host: str, port: int, until: float) -> Sequence[Endpoint]:
        try:
            literal = ipaddress.ip_address(host)
        except ValueError:
            try:
                return self._lookup.find(host, port, max(0.0, until - monotonic()))
            except OSError as error:
                raise self.attempt.refuse(f"the name of the host was not found: {_words(error)}") from error
        if literal.version == 4:
            return (Endpoint(socket.AF_INET, (host, port)),)
        return (Endpoint(socket.AF_INET6, (host, port, 0, 0)),)


def _words(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, TimeoutError) or error.errno == errno.EINPROGRESS:
        return "no answer in time"
    return str(error.strerror or error).lower()


class _CountedFile:
    """The file that http.client reads a response from. It counts the bytes that are taken."""

    def __init__(self, file: BinaryIO, attempt: ConnectAttempt) -> None:
        self._file = file
        self._attempt = attempt
        self.flush = file.flush
        self.close = file.close

    def readline(self, limit: int = -1) -> bytes:
        return self._counted(self._file.readline(limit))

    def read(self, size: int = -1) -> bytes:
        return self._counted(self._file.read(size))

    def _counted(self, data: bytes) -> bytes:
        self._attempt.taken += len(data)
        return data


class _Response(http.client.HTTPResponse):
    """Skips all interim responses: http.client takes a 102 or a 103 for the answer."""

    def __init__(self, sock: _BoundedSocket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self._attempt = sock.attempt
        self.fp: Any = _CountedFile(self.fp, sock.attempt)

    def begin(self) -> None:
        super().begin()
        # We never ask for another protocol, so what follows a 101 is nothing that we could read.
        self.will_close = self.will_close or self.status == http.HTTPStatus.SWITCHING_PROTOCOLS
        # Lines that are no headers are left out. urllib3 would log each of them with a traceback.
        self.msg.defects = []
        self.msg.set_payload("")

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 100 <= status < 200 or status == http.HTTPStatus.SWITCHING_PROTOCOLS:
                return version, status, reason
            http.client.parse_headers(self.fp)
            self._attempt.skip_interim()


class _Connection(HTTPConnection):
    """A connection that is made by policy, and lends its socket to one attempt at a time."""

    dial: Dial
    used_at = 0.0
    _held: list[bytes] | None = None
    response_class = _Response

    @property
    def is_connected(self) -> bool:
        """Whether the kept connection may be used again. urllib3 asks before each request.

        It may not if anything has come that is no part of an answer: that would be taken for the next one.
        """
        attempt, connection = self.dial.attempt, self.sock
        if attempt.fresh or connection is None or monotonic() - self.used_at > self.dial.max_idle_s:
            return False
        assert isinstance(connection, _BoundedSocket)
        last = connection.attempt
        unread = connection.pending() if isinstance(connection, _BoundedTLSSocket) else 0
        attempt.reused = last.received == last.taken and not unread and super().is_connected
        return attempt.reused

    def connect(self) -> None:
        attempt = self.dial.attempt
        try:
            super().connect()
        except OSError as error:
            if attempt.trouble is None:  # the address has answered, so TLS failed
                attempt.trouble = f"no TLS connection: {_words(error)}"
                attempt.final = isinstance(error, ssl.SSLCertVerificationError)
            raise
        self._lend(attempt)

    def request(self, *args: Any, **options: Any) -> None:
        if self.sock is not None:
            self._lend(self.dial.attempt)
        self.used_at = monotonic()
        self._held = []
        try:
            super().request(*args, **options)
            whole = b"".join(self._held)
        finally:
            self._held = None
        try:
            self.send(whole)
        except ConnectionError as error:
            if not self.dial.attempt.reused:
                raise
            # urllib3 would look for an answer, and find what the server said when it closed the idle connection.
            raise ConnectionAbortedError("the kept connection was closed") from error

    def send(self, data: Any) -> None:
        """Sends headers and body together: http.client would make two packets of them, and two wake-ups of the bot."""
        if self._held is None:
            super().send(data)
        else:
            self._held.append(data)

    def _new_conn(self) -> socket.socket:
        return self.dial.connect(self._dns_host, self.port)

    def _lend(self, attempt: ConnectAttempt) -> None:
        connection = self.sock
        assert isinstance(connection, _BoundedSocket)
        connection.attempt = attempt
        attempt.connected = True


class _TLSConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection
    dial: Dial

    def _new_conn(self) -> Any:
        connection = super()._new_conn()
        connection.dial = self.dial  # type: ignore[attr-defined]
        return connection


class _TLSPool(_Pool, HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


class _Pools(PoolManager):
    def __init__(self, dial: Dial, tls: ssl.SSLContext) -> None:
        super().__init__(
            num_pools=MAX_HOSTS, maxsize=POOL_SIZE, block=False, ssl_context=tls, cert_reqs="CERT_REQUIRED"
        )
        self._dial = dial
        self.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    def _new_pool(self, *args: Any, **options: Any) -> HTTPConnectionPool:
        pool = super()._new_pool(*args, **options)
        pool.dial = self._dial  # type: ignore[attr-defined]
        return pool


class GuardedAdapter(HTTPAdapter):
    """The adapter of requests over guarded connections, used without a session: no proxies, cookies or `.netrc`."""

    def __init__(self, dial: Dial, ca_file: str) -> None:
        self._dial = dial
        self._tls = create_urllib3_context()
        self._tls.load_verify_locations(ca_file)
        self._tls.sslsocket_class = _BoundedTLSSocket
        self._pool_keys = lru_cache(maxsize=256)(self._pool_of)
        super().__init__(max_retries=0)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        self.poolmanager = _Pools(self._dial, self._tls)

    def get_connection_with_tls_context(self, request: PreparedRequest, *args: Any, **options: Any) -> Any:
        """The pool of the URL's host."""
        key, context = self._pool_keys(request.url or "")
        return self.poolmanager.connection_from_pool_key(key, dict(context))

    def _pool_of(self, url: str) -> tuple[PoolKey, Mapping[str, Any]]:
        """The key of the pool of the URL's host, and what the pool is made with."""
        parsed = parse_url(url)
        scheme = parsed.scheme or ""
        pools = self.poolmanager
        context = {
            **pools.connection_pool_kw,
            "scheme": scheme,
            "host": parsed.host,
            "port": parsed.port or port_by_scheme[scheme],
        }
        return pools.key_fn_by_scheme[scheme](context), context

    def request_url(self, request: PreparedRequest, *args: Any) -> str:
        """The path and query: there are no proxies."""
        return request.path_url

    def cert_verify(self, *args: Any) -> None:
        """Does nothing: the context has the certificates. requests would load them again for each connection."""

    def build_response(self, req: PreparedRequest, resp: Any) -> Response:
        """Status, headers and the open body. Cookies are not read."""
        response = Response()
        response.request = req
        response.status_code = resp.status
        response.headers = CaseInsensitiveDict(resp.headers)
        response.raw = resp
        return response
