"""Asks a push bot again what a seat was asked in a finished game."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.addresses import check_url
from service.engine.actions import action_to_json
from service.operations.bots.faults import Fault
from service.operations.games.records import RebuiltAsk, rebuild
from workers.answers import ask_id, verdict_on
from workers.conformance.caller import dump
from workers.operator_calls import new_secret, unrestricted_outbound
from workers.outbound import OutboundClient


@dataclass(frozen=True, slots=True)
class ReplayedAsk:
    """A decision of a finished game, and the bot's answer to its ask now: an action (JSON), or a fault."""

    asked: RebuiltAsk
    action: dict[str, Any] | None
    fault: Fault | None
    elapsed_ms: int

    def to_json(self) -> dict[str, Any]:
        """`then` is how the decision was settled in the game, `now` the answer, `same` whether both are one action."""
        return {
            "decision": self.asked.decision,
            "then": {"action": self.asked.action, "by": self.asked.by, "fault": self.asked.fault},
            "now": {
                "action": self.action,
                "fault": self.fault.kind if self.fault else None,
                "detail": self.fault.detail if self.fault else None,
                "elapsed_ms": self.elapsed_ms,
            },
            "same": self.action == self.asked.action,
        }


def replay_asks(
    url: str, secrets: Sequence[str], record: Mapping[str, Any], *, round_: int, seat: int, budget_ms: int
) -> list[ReplayedAsk]:
    """Asks the bot at `url` what a seat was asked in a round of a recorded game, in that order. The caller may call any
    address.

    `secrets`: those that the bot checks signatures with; none if they are not known. `record` must be sound
    (`service.engine.record.verify`). Raises service.addresses.UrlRefused.
    """
    check_url(url)
    now_ms = time.time_ns() // 1_000_000
    asks = rebuild(record, round_=round_, seat=seat, budget_ms=budget_ms, time_ms=now_ms)
    with unrestricted_outbound() as outbound:
        return [_ask(outbound, url, secrets or (new_secret(),), asked) for asked in asks]


def _ask(outbound: OutboundClient, url: str, secrets: Sequence[str], asked: RebuiltAsk) -> ReplayedAsk:
    exchange = outbound.post(
        url.rstrip("/") + "/act",
        dump(asked.ask),
        webhook_id=ask_id(asked.ask["game"], asked.decision),
        secrets=secrets,
        timeout_s=asked.ask["budget_ms"] / 1000,
    )
    verdict = verdict_on(exchange, asked.game, asked.decision)
    if isinstance(verdict, Fault):
        return ReplayedAsk(asked, None, verdict, exchange.elapsed_ms)
    return ReplayedAsk(asked, action_to_json(verdict), None, exchange.elapsed_ms)
