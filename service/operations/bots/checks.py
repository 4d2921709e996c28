"""Conformance checks of bots: their owner begins them, a worker makes them, and they can be read for a day."""

from __future__ import annotations

import json
import time
from typing import Any

from service.engine.setup import Variants, commitment
from service.errors import NotFound, Unavailable
from service.operations.access.tokens import Caller, new_id
from service.operations.bots.registry import owned
from service.operations.context import Context
from service.operations.games.change import load
from service.operations.games.create import write
from service.operations.games.document import GameMeta, MatchTerms, SeatPlan
from service.operations.games.log_entries import Joined, Started
from service.operations.games.projection import GameProjection, GameView
from service.store.bots import Bot
from service.timestamps import timestamp

MAX_CHECK_MS = 60_000
"""A check that has not ended by then is forgotten: its worker has died."""
KEPT_MS = 24 * 3600 * 1000
MOVE_MS = 3000
"""The budget of an ask in the game of a poll bot's check."""
OPPONENT = "opponent"


def begin(ctx: Context, caller: Caller, bot: str) -> str:
    """Begins a check; the id of the one that runs now, which may have been begun before.

    Raises NotFound, Unauthorized, Forbidden, Unavailable.
    """
    found = owned(ctx, caller, bot)
    check = new_id(ctx, 8)
    running = ctx.checks.begin(found.id, check, _document(ctx, found.id, check, "running", None), MAX_CHECK_MS)
    if running == check:
        ctx.queue.enqueue_check(found.id, check)
    return running


def _document(ctx: Context, bot: str, check: str, status: str, report: dict[str, Any] | None) -> str:
    doc = {"bot": bot, "check": check, "status": status, "at": timestamp(ctx.wall_ms()), "report": report}
    return json.dumps(doc, separators=(",", ":"), ensure_ascii=False)


def finish(ctx: Context, bot: str, check: str, report: dict[str, Any]) -> None:
    """Keeps the report and wakes all who wait for it. Raises Unavailable."""
    ctx.checks.end(bot, check, _document(ctx, bot, check, "finished", report), KEPT_MS)


def show(ctx: Context, caller: Caller, bot: str, check: str, wait_s: float = 0) -> dict[str, Any]:
    """A check, its report included once it is there; waits for that as long as it may.

    Raises NotFound (also for a check that another one has followed), Unauthorized, Forbidden, Unavailable.
    """
    found = owned(ctx, caller, bot)
    until = time.monotonic() + wait_s
    while True:
        news = ctx.hub.version(f"bot:{found.id}")
        latest = ctx.checks.latest(found.id)
        if latest is None or latest[0] != check:
            raise NotFound("There is no check of this id, or a later one has followed it.")
        shown: dict[str, Any] = json.loads(latest[1])
        left = until - time.monotonic()
        if shown["status"] == "finished" or left <= 0:
            return shown
        ctx.hub.wait(f"bot:{found.id}", news, left)


def latest(ctx: Context, bot: str) -> dict[str, Any] | None:
    """The latest check of a bot that is not older than a day, or None. Raises Unavailable."""
    found = ctx.checks.latest(bot)
    return None if found is None else json.loads(found[1])


def open_game(ctx: Context, bot: Bot, check: str) -> GameView:
    """A game of two for the check of a poll bot, which sits in seat 0; the other seat is the checker's.

    It runs like a match, so that wrong answers are noted as faults. Raises Unavailable.
    """
    nonce, seed = ctx.random_bytes(16), ctx.random_bytes(16).hex()
    meta = GameMeta(
        players=2,
        variants=Variants(),
        deal="drawn",
        seed=seed,
        nonce=nonce.hex(),
        block_seed=None,
        commitment=commitment(nonce, seed),
        seats=(SeatPlan("bot", bot.id, bot.kind, bot.name), SeatPlan("creator", name=OPPONENT)),
        created_ms=ctx.wall_ms(),
        name=f"check of {bot.name}",
        match=MatchTerms(f"check-{check}", "", 0, 0, MOVE_MS, 0, 1_000_000, "lenient", 1),
    )
    game = new_id(ctx)
    projection = GameProjection(GameView.new(game, meta))
    for entry in (Joined(0, 0, bot.name, bot.id, bot.version), Joined(0, 1, OPPONENT), Started(0)):
        projection.add(entry)
    # Not as a match: it belongs to no tournament, and is removed in time as casual games are.
    if not write(ctx, projection, {}):
        raise Unavailable("No id could be had for the game; try again.")
    return load(ctx, game)
