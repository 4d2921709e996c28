"""The outbound client. A call brings an answer, or a failure of a kind that is named in (PROTOCOL "Faults")."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from http import HTTPStatus
from time import monotonic, sleep
from typing import Literal

import certifi
import urllib3
from requests import PreparedRequest, Request, RequestException, Response
from standardwebhooks import Webhook

from service.addresses import AddressPolicy, UrlRefused, check_url
from service.operations.bots.faults import DETAIL_LIMIT, RECEIVED_LIMIT, printable
from workers.outbound.lookup import Lookup, Resolver, system_resolver
from workers.outbound.transport import BODY_LIMIT, RAW_LIMIT, ConnectAttempt, Dial, GuardedAdapter

FailureKind = Literal["late", "unreachable", "bad_status", "bad_body"]


@dataclass(frozen=True, slots=True)
class Answered:
    """Status 200 and a whole, plain body of at most 64 KiB, whose last byte came before the deadline."""

    status: int
    body: bytes
    elapsed_ms: int
    """From the call to the last byte."""
    receiving_ms: int
    """Of these, from the first byte to the last."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that brought no answer. All texts are for the author, without secrets and control characters."""

    kind: FailureKind
    detail: str
    """What went wrong, in plain words; at most `DETAIL_LIMIT` characters."""
    received: str
    """The beginning of the body, or of everything that came if no body began; at most `RECEIVED_LIMIT` characters."""
    status: int | None
    """None if no status line came."""
    elapsed_ms: int
    """From the call to the failure; at least 1."""

    def __str__(self) -> str:
        """What went wrong and what came, in one line."""
        received = f"; received: {self.received}" if self.received else ""
        return f"{self.kind}: {self.detail}{received}"


Exchange = Answered | Failed


CONNECT_S = 3.0
"""Seconds for name, connection and TLS together. They count towards the deadline."""
MAX_IDLE_S = 30.0
"""A connection that was idle for longer is not used again: routers forget it, and what is sent then is lost."""
RETRY_PAUSE_S = 0.05
"""The pause before another attempt where nobody listened: at once it would be refused again."""

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "montego-bay"}

# What an answer can make the stack below raise. ValueError: http.client on chunks of a negative size.
_TRANSPORT_ERRORS = (RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException, OSError, ValueError)


class OutboundClient:
    """Calls URLs of bots and callbacks. Safe to use from many threads. Connections are kept and used again.

    `resolve` finds the addresses of a name. `ca_file` has the trusted certificates (default: Mozilla's).
    """

    def __init__(
        self,
        policy: AddressPolicy,
        *,
        resolve: Resolver = system_resolver,
        connect_s: float = CONNECT_S,
        max_idle_s: float = MAX_IDLE_S,
        ca_file: str | None = None,
    ) -> None:
        self._policy = policy
        self._dial = Dial(policy, Lookup(resolve), connect_s, max_idle_s)
        self._adapter = GuardedAdapter(self._dial, ca_file or certifi.where())
        # Making these anew would cost a tenth of each call.
        self._target = lru_cache(maxsize=256)(_target)
        self._hook = lru_cache(maxsize=256)(Webhook)

    def post(
        self,
        url: str,
        body: bytes,
        *,
        webhook_id: str | None,
        secrets: Sequence[str],
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        attempts: int = 2,
    ) -> Exchange:
        """Sends a body (JSON, UTF-8), signed with each secret (Standard Webhooks) unless `webhook_id` is None.

        `timeout_s` covers everything: name, connection, request, the last byte of the answer, and the second attempt,
        which has the same `webhook-id`. Raises ValueError for an id without a secret, and for an invalid secret.
        """
        if webhook_id is not None and not secrets:
            raise ValueError("a signed call needs a secret")
        given = {**_HEADERS, "Content-Type": "application/json", **(headers or {})}
        text = body.decode("utf-8")
        hooks = [self._hook(secret) for secret in secrets]

        def signed() -> Mapping[str, str]:
            return given if webhook_id is None else {**given, **_signature(hooks, webhook_id, text)}

        return self._call("POST", url, body, signed, timeout_s, attempts)

    def get(self, url: str, *, timeout_s: float) -> Exchange:
        """Sends an unsigned GET; everything else is as for `post`."""
        return self._call("GET", url, None, lambda: _HEADERS, timeout_s, 2)

    def close(self) -> None:
        """Closes the idle connections."""
        self._adapter.close()

    def _call(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: Callable[[], Mapping[str, str]],
        timeout_s: float,
        attempts: int,
    ) -> Exchange:
        start = monotonic()
        deadline = start + timeout_s
        try:
            prepared = self._target(method, url).copy()
        except UrlRefused as error:
            return Failed("unreachable", f"the URL cannot be called: {error.reason}", "", None, 1)
        prepared.body = body
        prepared.prepare_content_length(body)
        for tries_left in reversed(range(attempts)):
            attempt = ConnectAttempt(deadline, fresh=tries_left < attempts - 1)
            prepared.headers.update(headers())
            exchange = self._try(prepared, attempt, start)
            if tries_left == 0 or not _worth_repeating(exchange, attempt):
                return exchange
            if not attempt.connected:
                sleep(max(0.0, min(RETRY_PAUSE_S, (deadline - monotonic()) / 4)))
        raise ValueError(f"attempts must be 1 or more, not {attempts}")

    def _try(self, prepared: PreparedRequest, attempt: ConnectAttempt, start: float) -> Exchange:
        self._dial.begin(attempt)
        body, status, problem = b"", None, None
        try:
            response = self._adapter.send(prepared, stream=True, timeout=attempt.remaining())
            status = response.status_code
            try:
                body = _read(response)
                problem = _problem(response, body)
            finally:
                response.close()
        except _TRANSPORT_ERRORS:
            # The attempt says what happened, better than exceptions around exceptions do.
            status = status or attempt.status()
            problem = "the answer is too long" if attempt.oversize else "the body was cut short"
        return _verdict(attempt, start, status, body, problem)


def _target(method: str, url: str) -> PreparedRequest:
    """The part of a request that is the same in all calls of a URL. Raises UrlRefused."""
    check_url(url)
    return Request(method, url).prepare()


def _signature(hooks: Sequence[Webhook], webhook_id: str, text: str) -> Mapping[str, str]:
    now = datetime.now(UTC)
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(hook.sign(webhook_id, now, text) for hook in hooks),
    }


def _read(response: Response) -> bytes:
    """The body as it came, up to one byte more than is allowed."""
    body: bytes = response.raw.read(BODY_LIMIT + 1, decode_content=False)
    # One read brings nearly all bodies. A body without a length ends when nothing more comes.
    while len(body) <= BODY_LIMIT and response.raw.length_remaining != 0:
        part = response.raw.read(BODY_LIMIT + 1 - len(body), decode_content=False)
        if not part:
            break
        body += part
    return body


def _problem(response: Response, body: bytes) -> str | None:
    if len(body) > BODY_LIMIT:
        return f"the body is longer than {BODY_LIMIT} bytes"
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        return f"the body is compressed ({encoding}), though Accept-Encoding says identity"
    return None


def _verdict(attempt: ConnectAttempt, start: float, status: int | None, body: bytes, problem: str | None) -> Exchange:
    """The faults in their order of precedence (PROTOCOL "Faults")."""
    answered = status == 200 and problem is None
    end = attempt.last_byte_at if answered else monotonic()
    elapsed_ms = max(1, round((end - start) * 1000))

    def failed(kind: FailureKind, detail: str) -> Failed:
        # Without a body the head is shown; a part of a body may follow it.
        shown = body or bytes(attempt.head.partition(b"\r\n\r\n")[2] or attempt.head)
        return Failed(kind, printable(detail, DETAIL_LIMIT), printable(shown, RECEIVED_LIMIT), status, elapsed_ms)

    if attempt.connected and (attempt.timed_out or attempt.last_byte_at > attempt.deadline):
        limit_ms = round((attempt.deadline - start) * 1000)
        return failed("late", f"no whole answer within {limit_ms} ms; {attempt.received or 'no'} bytes came")
    if status is None:
        return failed("unreachable", _why_unreachable(attempt))
    if status != 200:
        hint = "; redirects are not followed" if 300 <= status < 400 else ""
        return failed("bad_status", f"the answer has status {status} instead of 200{hint}")
    if problem is not None:
        return failed("bad_body", problem)
    receiving_ms = round((attempt.last_byte_at - attempt.first_byte_at) * 1000)
    return Answered(status, body, elapsed_ms, receiving_ms)


def _why_unreachable(attempt: ConnectAttempt) -> str:
    if attempt.trouble is not None:
        return attempt.trouble
    if not attempt.connected:
        return "no connection: there was no answer in time"
    if attempt.oversize:
        return f"more than {RAW_LIMIT} bytes came, without a status line"
    if attempt.received:
        return "what came does not begin with a status line of HTTP/1.1"
    return "the connection was closed before an answer came"


def _worth_repeating(exchange: Exchange, attempt: ConnectAttempt) -> bool:
    """Whether another attempt may bring an answer. A 408 on a kept connection means that the server has given up
    waiting for a request, and has not seen this one (RFC 9110, section 15.5.9)."""
    if not isinstance(exchange, Failed) or attempt.final or monotonic() >= attempt.deadline:
        return False
    return exchange.kind == "unreachable" or (attempt.reused and exchange.status == HTTPStatus.REQUEST_TIMEOUT)
