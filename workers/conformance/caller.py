"""Calls the bot that is checked, as a match would, and in ways that a match never would."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from standardwebhooks import Webhook

from service.engine.actions import Action
from service.operations.bots.faults import Fault
from workers.answers import ask_id, verdict_on
from workers.conformance.positions import Question
from workers.outbound import Answered, Exchange, OutboundClient

ASK_MS = 3000
"""The budget of an ask."""
CALL_S = 5.0
"""No other call of a check takes longer."""
OLD_S = 3600

Alter = Callable[[dict[str, Any]], dict[str, Any]]


class OutOfTime(Exception):
    """The check has taken as long as it may."""


@dataclass(frozen=True, slots=True)
class Target:
    """The bot that is checked.

    `secrets`: those that it checks signatures with; none if they are not known here. `unknown_secret`: one that it
    cannot know. `game`: the beginning of the ids of the games that it is asked about.
    """

    url: str
    secrets: tuple[str, ...]
    unknown_secret: str
    game: str


@dataclass(frozen=True, slots=True)
class BotResponse:
    """The outcome of an ask: an action, or a fault."""

    action: Action | None
    fault: Fault | None
    elapsed_ms: int


@dataclass(slots=True)
class BotCaller:
    """Sends everything that a check sends. `until`: the monotonic time at which the check ends."""

    outbound: OutboundClient
    target: Target
    until: float
    asks: int = 0
    answer_ms: list[int] = field(default_factory=list)
    receiving_ms: list[int] = field(default_factory=list)
    """Of the same answers, from the first byte to the last."""

    def get(self) -> Exchange:
        """`GET /`."""
        return self.outbound.get(f"{self._url}/", timeout_s=self._within(CALL_S))

    def post(self, path: str, name: str, message: Mapping[str, Any], timeout_s: float = CALL_S) -> Exchange:
        """A signed POST of a JSON object."""
        return self.send(path, name, dump(message), timeout_s)

    def send(self, path: str, name: str, body: bytes, timeout_s: float = CALL_S) -> Exchange:
        """A signed POST."""
        secrets = self.target.secrets or (self.target.unknown_secret,)
        return self._send(path, name, body, secrets, timeout_s)

    def ask(
        self, question: Question, *, previous: Mapping[str, Any] | None = None, alter: Alter = lambda ask: ask
    ) -> BotResponse:
        """Asks a question, changed by `alter`, and judges the answer. Raises OutOfTime."""
        timeout_s = self._within(ASK_MS / 1000)
        ask = alter(question.ask(ASK_MS, _now_ms(), previous))
        exchange = self.post("/act", name_of(question), ask, timeout_s)
        self.asks += 1
        verdict = verdict_on(exchange, question.state, question.decision.id)
        if isinstance(verdict, Fault):
            return BotResponse(None, verdict, exchange.elapsed_ms)
        self.answer_ms.append(exchange.elapsed_ms)
        if isinstance(exchange, Answered):
            self.receiving_ms.append(exchange.receiving_ms)
        return BotResponse(verdict, None, exchange.elapsed_ms)

    def forged(self, question: Question) -> Exchange:
        """Sends an ask that is signed with an unknown secret."""
        body = dump(question.ask(ASK_MS, _now_ms()))
        return self._send("/act", name_of(question), body, (self.target.unknown_secret,), CALL_S)

    def stale(self, question: Question) -> Exchange:
        """Sends an ask with a valid signature that is an hour old."""
        name, body, at = name_of(question), dump(question.ask(ASK_MS, _now_ms())), _now_ms() // 1000 - OLD_S
        signed = " ".join(sign(secret, name, at, body) for secret in self.target.secrets)
        headers = {"webhook-id": name, "webhook-timestamp": str(at), "webhook-signature": signed}
        url, timeout_s = f"{self._url}/act", self._within(CALL_S)
        return self.outbound.post(url, body, webhook_id=None, secrets=(), timeout_s=timeout_s, headers=headers)

    @property
    def _url(self) -> str:
        return self.target.url.rstrip("/")

    def _send(self, path: str, name: str, body: bytes, secrets: Sequence[str], timeout_s: float) -> Exchange:
        left = self._within(timeout_s)
        return self.outbound.post(self._url + path, body, webhook_id=name, secrets=secrets, timeout_s=left)

    def _within(self, wanted_s: float) -> float:
        # A call that could not have all of its time would be called late, and the check would be the reason.
        if time.monotonic() + wanted_s > self.until:
            raise OutOfTime
        return wanted_s


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def name_of(question: Question) -> str:
    """The `webhook-id` of an ask."""
    return ask_id(question.game, question.decision.id)


def dump(message: Mapping[str, Any]) -> bytes:
    """A message as it is written to bots."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()


def sign(secret: str, name: str, at: int, body: bytes) -> str:
    """A signature of any time (Standard Webhooks, v1). `at`: Unix time in seconds."""
    moment = datetime.fromtimestamp(at, UTC)
    return Webhook(secret).sign(name, moment, body.decode())
