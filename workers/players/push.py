"""A bot that is a web server: the harness calls it (PROTOCOL "Push")."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from threading import Event
from typing import Any

import msgspec

from service.engine.actions import NotLegal
from service.engine.decisions import Decision
from service.errors import Unavailable
from service.operations.bots.faults import Fault, printable
from service.operations.bots.registry import valid_secrets
from service.operations.context import Context
from service.operations.games.asks import build_ask, full_budget, open_decision
from service.operations.games.change import Settlement, settle
from service.operations.games.charge import charge
from service.operations.games.projection import GameView
from service.protocol import BOT_PROTOCOL
from service.store.bots import Bot
from service.store.leases import Lease
from service.strict_json import StrictJsonError, parse_strict
from workers.answers import ask_id, comment_of, fault_of, illegal, read_answer
from workers.outbound import Answered, Exchange, Failed, OutboundClient
from workers.players import Arrival

FIRST_PAUSE_S = 0.1
MAX_PAUSE_S = 2.0
PAUSE_GROWTH = 1.7
END_S = 2.0
VERSION_LIMIT = 40
CALL_S = 10.0
"""One call of a warm-up takes no longer."""
SECRETS_KEPT_S = 1.0
"""A bot's secrets are read again after this time: a leaked one can be replaced while a match is played."""


class PushPlayer:
    """One seat of one game, held by a push bot."""

    def __init__(self, ctx: Context, outbound: OutboundClient, bot: Bot, *, game: str) -> None:
        self._ctx = ctx
        self._outbound = outbound
        self._bot = bot
        self._game = game
        self._url = (bot.url or "").rstrip("/")
        self._read_at = time.monotonic()

    def warm_up(self, start: Mapping[str, Any], timeout_ms: int, stop: Event) -> Arrival:
        """Calls `GET /`, then `POST /start`, with growing pauses until both are answered 200 or the time is over."""
        until = time.monotonic() + timeout_ms / 1000
        pause = FIRST_PAUSE_S
        while True:
            arrival = self._try_warm_up(start, until, stop)
            left = until - time.monotonic()
            if arrival.up or left <= pause or stop.wait(pause):
                return arrival
            pause = min(MAX_PAUSE_S, pause * PAUSE_GROWTH)

    def _try_warm_up(self, start: Mapping[str, Any], until: float, stop: Event) -> Arrival:
        def left_s() -> float:
            return max(0.001, min(CALL_S, until - time.monotonic()))

        arrival = probe(self._outbound, self._url, left_s())
        if not arrival.up:
            return arrival
        if stop.is_set():
            return Arrival(False, arrival.version, "The match is not wanted any more.")
        started = self._post("/start", f"{self._game}_start", start, left_s())
        if isinstance(started, Failed):
            return Arrival(False, arrival.version, f"POST /start: {started}")
        return arrival

    def start(self, start: Mapping[str, Any]) -> None:
        """Sends `/start` of a casual game, once, without a warm-up. The answer does not matter. Before that, notes
        whether the bot answers at all, and its version."""
        arrival = probe(self._outbound, self._url, END_S)
        self._ctx.bots.note_call(self._bot.id, up=arrival.up, version=arrival.version, failure=arrival.detail)
        self._post("/start", f"{self._game}_start", start, END_S)

    def settle(self, view: GameView, decision: str, lease: Lease | None) -> GameView:
        """Asks the bot, and settles the decision by its answer, or by default with its fault."""
        seat = view.bots.index(self._bot.id)
        waiting = open_decision(view, seat)
        if waiting is None or waiting.id != decision:
            return view
        while waiting is not None and waiting.id == decision:
            view = self._ask(view, waiting, lease)
            waiting = open_decision(view, seat)
        return view

    def _ask(self, view: GameView, decision: Decision, lease: Lease | None) -> GameView:
        """Asks the bot once. The decision stays open only if its answer was refused, and it may try again."""
        ledger, budget = view.ledgers[decision.seat], full_budget(view, decision.seat)
        assert budget.budget_ms is not None, "a bot's time is always limited"
        ask = build_ask(view, decision, budget)
        webhook_id = ask_id(view.id, decision.id, ask["attempt"])
        exchange = self._post("/act", webhook_id, ask, budget.budget_ms / 1000)
        elapsed_ms = ledger.refused_ms + exchange.elapsed_ms
        settled = self._settle_by(exchange, elapsed_ms, view, decision.id, lease)
        if not isinstance(settled, Fault):
            return settled
        with self._ctx.projections.turn(view.id):
            known = self._ctx.projections.latest(view.id)
            return charge(self._ctx, view.id, decision.id, settled, elapsed_ms, lease=lease, known=known).view

    def _settle_by(
        self, exchange: Exchange, elapsed_ms: int, view: GameView, decision: str, lease: Lease | None
    ) -> GameView | Fault:
        """The game after the bot's answer was settled. A fault: the answer does not count, and nothing was settled."""
        if isinstance(exchange, Failed):
            return fault_of(exchange)
        answer = read_answer(exchange.body, view.game, decision)
        if isinstance(answer, Fault):
            return answer
        try:
            wanted = Settlement(decision, answer, None, elapsed_ms, comment_of(exchange.body))
            # Other seats that were asked too have written meanwhile. One after another, none of them is refused.
            with self._ctx.projections.turn(view.id):
                known = self._ctx.projections.latest(view.id)
                return settle(self._ctx, view.id, wanted, lease=lease, known=known).view
        except NotLegal as error:
            return illegal(error, exchange.body)

    def end(self, end: Mapping[str, Any]) -> None:
        """Sends `/end`, once, within 2 s. The answer does not matter."""
        self._post("/end", f"{self._game}_end", end, END_S)

    def _post(self, path: str, webhook_id: str, message: Mapping[str, Any], timeout_s: float) -> Answered | Failed:
        body = msgspec.json.encode(message)
        return self._outbound.post(
            self._url + path, body, webhook_id=webhook_id, secrets=self._secrets(), timeout_s=timeout_s
        )

    def _secrets(self) -> list[str]:
        now = time.monotonic()
        if now - self._read_at >= SECRETS_KEPT_S:
            # Where the store does not answer, the known ones are used.
            with contextlib.suppress(Unavailable):
                self._bot = self._ctx.bots.read(self._bot.id) or self._bot
                self._read_at = now
        return valid_secrets(self._bot)


def probe(outbound: OutboundClient, url: str, timeout_s: float) -> Arrival:
    """Calls `GET /` below a bot's URL, once."""
    information = outbound.get(f"{url.rstrip('/')}/", timeout_s=timeout_s)
    if isinstance(information, Failed):
        return Arrival(False, None, f"GET /: {information}")
    return read_information(information.body)


def read_information(body: bytes) -> Arrival:
    """Reads the answer to `GET /`, which must name our protocol. The version is any text, made fit to be shown."""
    try:
        information = parse_strict(body)
    except StrictJsonError as error:
        return Arrival(False, None, f"GET /: the body cannot be read: {error.reason}")
    if not isinstance(information, dict) or information.get("protocol") != BOT_PROTOCOL:
        return Arrival(False, None, f'GET /: the answer must be an object with "protocol": "{BOT_PROTOCOL}"')
    version = information.get("version")
    return Arrival(True, printable(version, VERSION_LIMIT) if isinstance(version, str) else None)
