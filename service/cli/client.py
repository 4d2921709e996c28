"""The service as the commands see it: JSON over HTTP, each failure one clear line."""

from __future__ import annotations

import functools
import ipaddress
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

import click
import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3.util import Retry

from service.cli.output import plain

DEFAULT_URL = "http://127.0.0.1:8000"
#: What can stand in a header: anything else would be refused by the HTTP library, with the key in its message.
KEY = re.compile(r"[!-~]+")
CONNECT_S = 5.0
#: Above the longest `wait` of the API.
READ_S = 40.0
#: A tournament's export holds all its records; nothing else comes near.
MAX_ANSWER = 512 * 1024 * 1024
PAGE = 100


class ServiceError(click.ClickException):
    """The service could not be reached, or it refused. `status` is that of its answer, None if there was none."""

    def __init__(self, message: str, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Unreachable(ServiceError):
    """There was no answer: the service may be starting, restarting or gone."""


class _Bearer(AuthBase):
    """An object instead of a header, which requests would replace by a password from ~/.netrc."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class ApiClient:
    """Calls one service. A read is tried again when it is answered 503 or 429; a call that changes something is not."""

    def __init__(self, url: str, key: str | None = None) -> None:
        """`url` is the service's address without /v1, such as http://127.0.0.1:8000. Raises click.BadParameter."""
        self.url = checked_url(url)
        self._session = requests.Session()
        # A proxy for the outside world must not get what stays on this machine.
        self._session.trust_env = not _is_loopback(self.url)
        self._key = key
        self._session.auth = _Bearer(key) if key else _NoAuth()
        again = Retry(
            total=5,
            connect=0,
            read=0,
            status=5,
            backoff_factor=0.2,
            status_forcelist=(429, 503),
            allowed_methods=("GET",),
            raise_on_status=False,
        )
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=again))

    def get(self, path: str, **query: object) -> Any:
        """The JSON answer. Raises ServiceError."""
        return self._call("GET", path, query=query)

    def post(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        return self._call("POST", path, body={} if body is None else body)

    def patch(self, path: str, body: Mapping[str, object]) -> Any:
        return self._call("PATCH", path, body=body)

    def delete(self, path: str) -> None:
        self._call("DELETE", path)

    def save(self, path: str, target: BinaryIO) -> int:
        """Writes the answer to a file as it arrives; its length in bytes. Raises ServiceError, also for an answer that
        was cut short, and OSError of the file."""
        size = 0
        with self._answer("GET", path) as answer:
            if answer.status_code != 200:
                raise _refusal(answer, _parsed(_read(answer, MAX_ANSWER)))
            for part in answer.iter_content(64 * 1024):
                size += target.write(part)
        return size

    def items(self, path: str) -> Iterator[dict[str, Any]]:
        """All items of a list, page by page."""
        cursor: str | None = None
        while True:
            page = self.get(path, limit=PAGE, **({"cursor": cursor} if cursor else {}))
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise ServiceError(f"{self.url}{path}: the answer is not a list; is this a Montego Bay service?")
            yield from page["items"]
            cursor = page.get("next")
            if not cursor:
                return

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> Any:
        params = {key: str(value) for key, value in (query or {}).items()}
        with self._answer(method, path, params=params, json=body) as answer:
            content = _read(answer, MAX_ANSWER)
        value = _parsed(content)
        if answer.status_code == 401 and not self._key:
            raise ServiceError("this needs a key: set MONTEGO_KEY, or give --key (unauthorized)", 401, "unauthorized")
        if answer.status_code >= 300:
            raise _refusal(answer, value)
        if value is None and answer.status_code != 204:
            raise ServiceError(
                f"{self.url}{path}: the answer is not JSON; is this a Montego Bay service?", answer.status_code
            )
        return value

    @contextmanager
    def _answer(self, method: str, path: str, **given: Any) -> Iterator[requests.Response]:
        """The open answer. Raises Unreachable, also if the connection fails while the answer is read."""
        try:
            with self._session.request(
                method,
                self.url + path,
                timeout=(CONNECT_S, READ_S),
                stream=True,
                allow_redirects=False,
                **given,
            ) as answer:
                yield answer
        except requests.RequestException as error:
            raise Unreachable(f"{self.url} does not answer: {_reason(error)}") from None


def with_client(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --url and --key to a command, which gets the client for them as `client`."""

    @click.option(
        "--url", envvar="MONTEGO_URL", default=DEFAULT_URL, show_default=True, help="The service. [MONTEGO_URL]"
    )
    @click.option("--key", help="Key to call it with. [MONTEGO_KEY, else MONTEGO_ORGANISER_KEY]")
    @functools.wraps(command)
    def with_url_and_key(*arguments: Any, url: str, key: str | None, **options: Any) -> Any:
        return command(*arguments, client=ApiClient(url.strip(), chosen_key(key)), **options)

    return with_url_and_key


def chosen_key(given: str | None = None) -> str | None:
    """The key of the option, or of the environment. Raises click.ClickException that names the source of one that
    cannot be sent, and does not repeat it."""
    sources = {"--key": given, **{name: os.environ.get(name) for name in ("MONTEGO_KEY", "MONTEGO_ORGANISER_KEY")}}
    for source, value in sources.items():
        if key := (value or "").strip():
            if not KEY.fullmatch(key):
                raise click.ClickException(f"{source} is not a key: a space, line end or special character is in it")
            return key
    return None


def download(url: str, limit: int) -> bytes:
    """The content at that address, at most `limit` bytes; redirects are followed. Raises ServiceError."""
    with requests.Session() as session:
        session.trust_env = not _is_loopback(url)
        session.auth = _NoAuth()
        try:
            with session.get(url, timeout=(CONNECT_S, READ_S), stream=True) as answer:
                content = _read(answer, limit)
        except requests.RequestException as error:
            raise Unreachable(f"no answer: {_reason(error)}") from None
    if answer.status_code != 200:
        raise _refusal(answer, _parsed(content))
    return content


def segment(identifier: str) -> str:
    """An id or name as one part of a path, whatever is in it."""
    return quote(identifier, safe="")


def checked_url(url: str) -> str:
    """The address without a slash at its end. Raises click.BadParameter for one that is not of http or https."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or plain(url) != url:
        raise click.BadParameter(f"{plain(url, 100)!r} is not an address such as http://127.0.0.1:8000")
    return url.rstrip("/")


def _read(answer: requests.Response, limit: int) -> bytes:
    """The body of a streamed answer. Raises ServiceError if it is longer than `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    for part in answer.iter_content(64 * 1024):
        parts.append(part)
        size += len(part)
        if size > limit:
            raise ServiceError(f"{plain(answer.url, 200)}: the answer is longer than {limit} bytes", answer.status_code)
    return b"".join(parts)


def _reason(error: requests.RequestException) -> str:
    """Why there was no answer, in a few words: the message of urllib3 is a page of object names."""
    if isinstance(error, requests.ConnectTimeout):
        return f"no connection within {CONNECT_S:.0f} s"
    if isinstance(error, requests.Timeout):
        return f"no answer within {READ_S:.0f} s"
    message = str(error)
    for part, reason in (
        ("Connection refused", "connection refused (is the service running?)"),
        ("Name or service not known", "that name is not known"),
        ("Failed to resolve", "that name is not known"),
        ("Remote end closed", "it closed the connection"),
        ("reset by peer", "it closed the connection"),
    ):
        if part in message:
            return reason
    return plain(message, 200)


class _NoAuth(AuthBase):
    """Sends nothing, even if ~/.netrc has a password for that host."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _refusal(answer: requests.Response, problem: object) -> ServiceError:
    if not isinstance(problem, dict) or ("title" not in problem and "detail" not in problem):
        return ServiceError(f"{plain(answer.url, 200)} answered {answer.status_code}", answer.status_code)
    code = problem.get("code")
    words = plain(problem.get("detail") or problem.get("title"))
    # The detail often is one of these lines already.
    fields = "".join(f"; {line}" for line in field_errors(problem.get("errors")) if line not in words)
    return ServiceError(f"{words}{fields} ({plain(code or answer.status_code, 60)})", answer.status_code, code)


def field_errors(errors: object, path: str = "") -> Iterator[str]:
    """The member `errors` of a problem as lines "field: what is wrong", however deep the fields lie."""
    if isinstance(errors, dict):
        for key, value in errors.items():
            # marshmallow's name for what concerns the whole body
            parts = [part for part in (path, "" if key == "_schema" else plain(key, 60)) if part]
            yield from field_errors(value, ".".join(parts))
    elif isinstance(errors, list):
        for value in errors:
            yield from field_errors(value, path)
    elif errors is not None:
        yield f"{path}: {plain(errors, 200)}" if path else plain(errors, 200)
