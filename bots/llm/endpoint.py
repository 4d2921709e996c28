"""A chat-completions endpoint, as many providers and local servers offer it: one POST, one answer."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import requests

PATH = "/chat/completions"
CONNECT_S = 10.0
MAX_REPLY_BYTES = 1024 * 1024
CHECK_S = 60.0
FORMAT_REFUSED = (400, 404, 415, 422)
"""How endpoints answer that know no structured output."""
NOT_FOR_US = (401, 402, 403, 404)


class EndpointRefused(RuntimeError):
    """The endpoint will not serve us, however often it is asked: a missing key, an unknown model, a wrong address."""


class EndpointFailed(RuntimeError):
    """This call failed, and another one may not. `after_s` is the pause that the endpoint asks for, or None."""

    def __init__(self, reason: str, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.after_s = after_s


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered: its text ("" if it gave none), why it stopped there, its refusal, and the usage."""

    text: str
    finish_reason: str | None
    refusal: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and cost. The cost is in the currency of the prices."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
        )

    def __str__(self) -> str:
        tokens = f"{self.prompt_tokens:,} tokens in, {self.completion_tokens:,} out"
        return f"{self.calls:,} calls, {tokens}, cost {self.cost:,.4f}"


class ChatEndpoint:
    """Calls one model. May be used by several threads at the same time."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        prices: tuple[float, float] = (0.0, 0.0),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """`url` is the API's base, with or without `/chat/completions`. `prices` are for a million tokens in and out.
        `options` are more members of each request, such as `temperature` or `max_tokens`."""
        self.url = url.rstrip("/") if url.rstrip("/").endswith(PATH) else url.rstrip("/") + PATH
        self.model, self._prices, self._options = model, prices, dict(options or {})
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._local = threading.local()
        self._structured = True

    def check(self) -> None:
        """Asks for one word. Raises EndpointRefused with what to do if the endpoint cannot be used."""
        try:
            self.complete([{"role": "user", "content": "Answer with the word ready."}], None, CHECK_S)
        except EndpointFailed as error:
            raise EndpointRefused(str(error)) from None

    def complete(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any] | None, timeout_s: float
    ) -> Reply:
        """The model's reply, within so many seconds. With a schema, structured output is asked for, unless the endpoint
        has refused that before. Raises EndpointFailed and EndpointRefused."""
        until = time.monotonic() + timeout_s
        body = {"model": self.model, "messages": list(messages), **self._options}
        if schema is not None and self._structured:
            form = {"name": "answer", "strict": True, "schema": schema}
            status, content = self._post(
                body | {"response_format": {"type": "json_schema", "json_schema": form}}, until
            )
            if status not in FORMAT_REFUSED:
                return self._reply(status, content)
            # Perhaps it knows no schemas. If the same request without one is answered, that was the reason.
            status, content = self._post(body, until)
            if status == 200:
                self._structured = False
            return self._reply(status, content)
        return self._reply(*self._post(body, until))

    def _post(self, body: Mapping[str, Any], until: float) -> tuple[int, Any]:
        """Status and JSON (None if it is not JSON) of an answer that is there in full before the time is up."""
        session = self._session()
        left = until - time.monotonic()
        if left <= 0:
            raise EndpointFailed("there was no time left for another call")
        try:
            with session.post(
                self.url, json=body, headers=self._headers, timeout=(min(CONNECT_S, left), left), stream=True
            ) as answer:
                parts: list[bytes] = []
                for part in answer.iter_content(8192):
                    parts.append(part)
                    if time.monotonic() > until:
                        raise EndpointFailed("the answer did not arrive in time")
                    if sum(map(len, parts)) > MAX_REPLY_BYTES:
                        raise EndpointFailed(f"the answer is longer than {MAX_REPLY_BYTES} bytes")
        except requests.Timeout:
            raise EndpointFailed("there was no answer in time") from None
        except requests.RequestException as error:
            raise EndpointFailed(f"{self.url} cannot be called: {type(error).__name__}") from None
        if answer.status_code == 429 or answer.status_code >= 500:
            after = answer.headers.get("Retry-After", "")
            reason = f"the endpoint answered {answer.status_code}"
            raise EndpointFailed(reason, float(after) if after.isdecimal() else None)
        try:
            return answer.status_code, json.loads(b"".join(parts))
        except ValueError:
            return answer.status_code, None

    def _reply(self, status: int, content: Any) -> Reply:
        if status in NOT_FOR_US:
            hint = "; is the key in MONTEGO_LLM_KEY?" if status in (401, 403) else ""
            raise EndpointRefused(f"{self.url} answered {status} for the model {self.model}: {_error(content)}{hint}")
        if status != 200:
            raise EndpointFailed(f"the endpoint answered {status}: {_error(content)}")
        try:
            choice = content["choices"][0]
            message = choice["message"]
            refusal = message.get("refusal")
            return Reply(_text(message.get("content")), choice.get("finish_reason"), refusal, self._usage(content))
        except (TypeError, LookupError, AttributeError):
            raise EndpointFailed("the answer is not one of a chat-completions endpoint") from None

    def _usage(self, content: Mapping[str, Any]) -> Usage:
        told = content.get("usage")
        told = told if isinstance(told, dict) else {}
        counts = [told.get(name) for name in ("prompt_tokens", "completion_tokens")]
        sent, made = (count if isinstance(count, int) else 0 for count in counts)
        cost = told.get("cost")
        if not isinstance(cost, int | float):
            cost = (sent * self._prices[0] + made * self._prices[1]) / 1_000_000
        return Usage(1, sent, made, float(cost))

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
        return session


def _text(content: object) -> str:
    """The text of a message, which some endpoints send in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _error(content: object) -> str:
    error = content.get("error") if isinstance(content, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return str(message)[:200] if message else "it gave no reason"
