"""Plays the turns of a push bot that has a seat in a casual game. No job ever waits for a person."""

from __future__ import annotations

import logging

from service.errors import NotFound, Unavailable
from service.operations.context import Context
from service.operations.games.asks import end_message, open_decision, start_message
from service.operations.games.change import load
from service.operations.games.projection import GameView
from workers.context import WorkerContext
from workers.leases import LEASE_MS, LeaseKeeper, turn_lease
from workers.players.push import PushPlayer

log = logging.getLogger("montego.jobs")


def run_turn(worker: WorkerContext, game: str, seat: int) -> None:
    """Plays the turns of a seat for as long as it has any, unless another process plays them."""
    ctx, again = worker.ctx, True
    try:
        while again:
            lease = ctx.leases.acquire(turn_lease(game, seat), LEASE_MS)
            if lease is None:
                return
            with LeaseKeeper(ctx, lease):
                try:
                    again = play_turns(worker, game, seat)
                finally:
                    ctx.leases.release(lease)
            # A job that came while the lease was held has found it taken, and is lost: look again.
            again = again and has_turn(ctx, game, seat) and not worker.draining()
    except Unavailable as error:
        log.warning("turn of seat %s of game %s is left: %s", seat, game, error.detail)


def play_turns(worker: WorkerContext, game: str, seat: int) -> bool:
    """Asks the bot for as long as its seat has an open decision, and tells it the end of a game that is over. Returns
    whether it may get another turn.

    A fault costs the bot the decision, never the seat. Raises LeaseLost, Unavailable.
    """
    ctx = worker.ctx
    try:
        view = load(ctx, game)
        bot_id = view.bots[seat]
        bot = None if bot_id is None else ctx.bots.read(bot_id)
        if bot is None or bot.kind != "push" or view.meta.match is not None:
            ctx.game_lists.drop_turn(game, seat)
            return False
        player = PushPlayer(ctx, worker.outbound, bot, game=game)
        while (decision := open_decision(view, seat)) is not None and not worker.draining():
            if _has_been_started(ctx, view, seat):
                player.settle(view, decision.id, None)
            else:
                player.start(start_message(view.id, view.meta, view.names, seat))
                ctx.games.note_heard(game, seat)
            view = load(ctx, game)
    except NotFound:
        # The game was removed, or its bot deleted.
        ctx.game_lists.drop_turn(game, seat)
        return False
    if view.over:
        player.end(end_message(view, seat))
        ctx.game_lists.drop_turn(game, seat)
    return not view.over


def _has_been_started(ctx: Context, view: GameView, seat: int) -> bool:
    """Whether the bot was sent `/start`. It was if it has answered anything; a decision whose time ran out may never
    have been asked."""
    ledger = view.ledgers[seat]
    return ledger.answers > ledger.faults.get("late", 0) or ctx.games.has_heard(view.id, seat)


def has_turn(ctx: Context, game: str, seat: int) -> bool:
    """Whether the seat has an open decision now, or its bot is to be told the end. Raises Unavailable."""
    try:
        view = load(ctx, game)
    except NotFound:
        return False
    return view.over or open_decision(view, seat) is not None
