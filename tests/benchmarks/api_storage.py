"""What games in progress take in Redis."""

from __future__ import annotations

import random
from dataclasses import dataclass

import redis

from service.operations.access.tokens import ANONYMOUS, new_id
from service.operations.context import Context
from service.operations.games.change import Settlement, settle
from service.operations.games.create import NewGame, create
from service.store.games import Effects, GameRow

PLAYERS = 4
PLAYED = 25
"""Games that are really played; the rest are copies of them under ids of their own."""
IN_PROGRESS = 10_000
NEARLY_OVER = 1_000
STARTED = 5
"""Entries of the log before the first action: four seats taken, and the start."""


@dataclass(frozen=True, slots=True)
class Storage:
    """Bytes of Redis a game, and the entries of whole games' logs."""

    in_progress: float
    nearly_over: float
    entries: float


def played(ctx: Context, chance: random.Random) -> GameRow:
    """A game of four at its end, all actions random, without custom components."""
    view = create(ctx, ANONYMOUS, NewGame(players=PLAYERS)).view
    while view.game.outcome is None:
        decision = chance.choice(view.game.decisions)
        action = chance.choice(view.game.legal_actions(decision.id))
        view = settle(ctx, view.id, Settlement(decision.id, action)).view
    row = ctx.games.read(view.id)
    assert row is not None
    ctx.games.remove(view.id)
    return row


def write(ctx: Context, row: GameRow, entries: int) -> None:
    """A game that stands where that one stood after so many entries."""
    log, running = row.entries[:entries], Effects(status="running", deadline_in_ms=None)
    game = new_id(ctx)
    assert ctx.games.create(game, meta=row.meta, tokens=row.tokens, entries=log, effects=running, kind="private")


def used(client: redis.Redis) -> int:
    """Bytes that Redis has in use."""
    return int(client.info("memory")["used_memory"])


def measure(ctx: Context, client: redis.Redis) -> Storage:
    """Writes games at all stages alike, and games that want one action to their end."""
    chance = random.Random(1)
    rows = [played(ctx, chance) for _ in range(PLAYED)]
    before = used(client)
    for number in range(IN_PROGRESS):
        row = rows[number % PLAYED]
        write(ctx, row, STARTED + (len(row.entries) - STARTED - 1) * number // IN_PROGRESS)
    at_all_stages = used(client)
    for number in range(NEARLY_OVER):
        row = rows[number % PLAYED]
        # Its last entries are the last action and the end.
        write(ctx, row, len(row.entries) - 2)
    return Storage(
        (at_all_stages - before) / IN_PROGRESS,
        (used(client) - at_all_stages) / NEARLY_OVER,
        sum(len(row.entries) for row in rows) / PLAYED,
    )
