"""Plays the turns of a push bot that sits in a casual game. No job ever waits for a human."""

from __future__ import annotations

from service.errors import NotFound
from service.operations.context import Context
from service.operations.games.asks import end_message, open_decision, start_message
from service.operations.games.change import load
from service.operations.games.projection import GameView
from workers.blocks import WorkerContext
from workers.players.push import PushPlayer


def play_turns(deps: WorkerContext, game: str, seat: int) -> bool:
    """Asks the bot for as long as its seat owes a decision; tells it the end when the game is over. Whether it may be
    due again.

    A fault costs the bot the decision, never the seat. Raises LeaseLost, Unavailable.
    """
    ctx = deps.ctx
    try:
        view = load(ctx, game)
    except NotFound:
        ctx.games.drop_turn(game, seat)
        return False
    bot_id = view.bots[seat]
    bot = None if bot_id is None else ctx.bots.read(bot_id)
    if bot is None or bot.kind != "push" or view.meta.match is not None:
        ctx.games.drop_turn(game, seat)
        return False
    player = PushPlayer(ctx, deps.outbound, bot, game=game)
    while (question := open_decision(view, seat)) is not None and not deps.draining():
        if _has_heard(ctx, view, seat):
            player.settle(view, question.id, None)
        else:
            player.start(start_message(view.id, view.meta, view.names, seat))
            ctx.games.note_heard(game, seat)
        view = load(ctx, game)
    if view.over:
        player.end(end_message(view, seat))
        ctx.games.drop_turn(game, seat)
    return not view.over


def _has_heard(ctx: Context, view: GameView, seat: int) -> bool:
    """Whether the bot has been told of the start. It has if anything else than lateness is known of it: a decision may
    run out of time before the bot is asked."""
    ledger = view.ledgers[seat]
    return ledger.answers > ledger.faults.get("late", 0) or ctx.games.has_heard(view.id, seat)


def is_due(ctx: Context, game: str, seat: int) -> bool:
    """Whether the seat owes a decision now, or is to hear of the end. Raises Unavailable."""
    try:
        view = load(ctx, game)
    except NotFound:
        return False
    return view.over or open_decision(view, seat) is not None
