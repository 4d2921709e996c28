"""Plays the turns of a push bot that sits in a casual game. No job ever waits for a human."""

from __future__ import annotations

from service.errors import NotFound
from service.operations.context import Context
from service.operations.games.asks import end_message, owed, start_message
from service.operations.games.change import load
from service.operations.games.projection import Table
from workers.blocks import WorkerContext
from workers.players.push import PushPlayer


def play_turns(deps: WorkerContext, game: str, seat: int) -> bool:
    """Asks the bot for as long as its seat owes a decision; tells it the end when the game is over. Whether it may be
    due again.

    A fault costs the bot the decision, never the seat. Raises LeaseLost, Unavailable.
    """
    ctx = deps.ctx
    try:
        table = load(ctx, game)
    except NotFound:
        ctx.games.drop_turn(game, seat)
        return False
    bot_id = table.bots[seat]
    bot = None if bot_id is None else ctx.bots.read(bot_id)
    if bot is None or bot.kind != "push" or table.meta.match is not None:
        ctx.games.drop_turn(game, seat)
        return False
    player = PushPlayer(ctx, deps.outbound, bot, game=game)
    while (question := owed(table, seat)) is not None and not deps.draining():
        if _has_heard(ctx, table, seat):
            player.settle(table, question.id, None)
        else:
            player.start(start_message(table.id, table.meta, table.names, seat))
            ctx.games.note_heard(game, seat)
        table = load(ctx, game)
    if table.over:
        player.end(end_message(table, seat))
        ctx.games.drop_turn(game, seat)
    return not table.over


def _has_heard(ctx: Context, table: Table, seat: int) -> bool:
    """Whether the bot has been told of the start. It has if anything else than lateness is known of it: a decision may
    run out of time before the bot is asked."""
    ledger = table.ledgers[seat]
    return ledger.answers > ledger.faults.get("late", 0) or ctx.games.has_heard(table.id, seat)


def is_due(ctx: Context, game: str, seat: int) -> bool:
    """Whether the seat owes a decision now, or is to hear of the end. Raises Unavailable."""
    try:
        table = load(ctx, game)
    except NotFound:
        return False
    return table.over or owed(table, seat) is not None
