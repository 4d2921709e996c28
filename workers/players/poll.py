"""A bot that calls the service for its decisions (PROTOCOL "Poll")."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Event
from typing import Any

from service.operations.bots.faults import Fault
from service.operations.bots.registry import has_polled
from service.operations.context import Context
from service.operations.games.asks import full_budget, open_decision
from service.operations.games.change import load
from service.operations.games.charge import charge
from service.operations.games.projection import GameView
from service.store.api_processes import HEARTBEAT_S
from service.store.bots import Bot
from service.store.games import PublishedAsk
from service.store.hub import GONE
from service.store.leases import Lease
from workers.players import Arrival

LOOK_S = 0.5


class PollPlayer:
    """One seat of one game, held by a poll bot."""

    def __init__(self, ctx: Context, bot: Bot) -> None:
        self._ctx = ctx
        self._bot = bot

    def warm_up(self, start: Mapping[str, Any], timeout_ms: int, stop: Event) -> Arrival:
        """A poll bot is up if it has polled lately. It gets the start by the notices of its own poll."""
        until = time.monotonic() + timeout_ms / 1000
        while True:
            bot = self._ctx.bots.read(self._bot.id)
            if bot is not None and has_polled(bot):
                return Arrival(True, bot.version)
            if time.monotonic() + LOOK_S > until or stop.wait(LOOK_S):
                return Arrival(False, None, "It has not polled lately.")

    def settle(self, view: GameView, decision: str, lease: Lease | None) -> GameView:
        """Publishes the ask and waits for the log. What is appended first counts: the bot's answer, or the deadline.

        The deadline has passed once the API is known to have served for as long as the budget.
        """
        seat = view.bots.index(self._bot.id)
        waiting = open_decision(view, seat)
        if waiting is None or waiting.id != decision:
            return view
        try:
            return self._wait(view, seat, decision, lease)
        finally:
            self._ctx.games.withdraw_ask(view.id, decision, self._bot.id, lease=lease)

    def _wait(self, view: GameView, seat: int, decision: str, lease: Lease | None) -> GameView:
        asked: PublishedAsk | None = None
        until, refused = 0.0, 0
        while (waiting := open_decision(view, seat)) is not None and waiting.id == decision:
            ledger = view.ledgers[seat]
            if asked is None or len(ledger.refused) > refused:
                refused = len(ledger.refused)
                asked = self._publish(view, seat, decision, lease)
                until = time.monotonic() + asked.budget_ms / 1000
            elif time.monotonic() >= until:
                # The clock stands still while the API cannot take an answer in.
                left_ms = asked.budget_ms - self._ctx.api_processes.time_since(asked.at_ms).served_ms
                if left_ms <= 0:
                    return self._time_out(view, decision, asked.spent_ms + asked.budget_ms, lease)
                until = time.monotonic() + max(HEARTBEAT_S, left_ms / 1000)
            if self._ctx.hub.wait(f"game:{view.id}", view.version, until - time.monotonic()) == GONE:
                # Redis was away, and may have lost the ask or its answer: it is put again, and the time begins anew.
                asked = None
            view = load(self._ctx, view.id)
        return view

    def _publish(self, view: GameView, seat: int, decision: str, lease: Lease | None) -> PublishedAsk:
        budget, spent_ms = full_budget(view, seat), view.ledgers[seat].refused_ms
        assert budget.budget_ms is not None, "a bot's time is always limited"
        return self._ctx.games.publish_ask(
            view.id, decision, self._bot.id, budget.budget_ms, budget.bank_ms, spent_ms=spent_ms, lease=lease
        )

    def _time_out(self, view: GameView, decision: str, budget_ms: int, lease: Lease | None) -> GameView:
        """Settles the decision as late, unless an answer was appended first. (Answers that don't count have been
        settled by the API.)"""
        fault = Fault("late", f"no answer came within {budget_ms} ms")
        return charge(self._ctx, view.id, decision, fault, budget_ms, lease=lease).view

    def end(self, end: Mapping[str, Any]) -> None:
        """Does nothing: the bot gets the end by the notices of its own poll."""
