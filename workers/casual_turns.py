"""Plays the turns of a push bot that has a seat in a casual game. No job ever waits for a person."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from service.errors import NotFound, Unavailable, Unreadable
from service.operations.context import Context
from service.operations.games.asks import casual_limit_ms, end_message, open_decision, start_message
from service.operations.games.change import load
from service.operations.games.projection import GameView
from service.store.bots import Bot
from service.store.leases import Lease, LeaseLost
from workers.context import WorkerContext
from workers.leases import LEASE_MS, LeaseKeeper, turn_lease
from workers.players.push import PushPlayer

NO_ANSWER = ("late", "unreachable")
"""The faults of a bot that does not answer."""

log = logging.getLogger("montego.jobs")


def push_bot(ctx: Context, game: str, seat: int) -> Bot | None:
    """The push bot that has the seat of a casual game. None: there is none (any more), and no turn to play.

    Raises Unavailable.
    """
    try:
        view = load(ctx, game)
    except (NotFound, Unreadable):
        return None
    bot_id = view.bots[seat]
    bot = None if bot_id is None else ctx.bots.read(bot_id)
    return bot if bot is not None and bot.kind == "push" and view.meta.match is None else None


def run_turn(worker: WorkerContext, game: str, seat: int) -> bool:
    """Plays the turns of a seat for as long as it has any, unless another process plays them. Returns whether the bot
    answers: false if its last decision was settled without an answer."""
    ctx = worker.ctx
    try:
        while True:
            lease = ctx.leases.acquire(turn_lease(game, seat), LEASE_MS)
            if lease is None:
                return True
            with LeaseKeeper(ctx, lease):
                try:
                    turns = play_turns(worker, game, seat, lease)
                finally:
                    ctx.leases.release(lease)
            # A job that came to another process while the lease was held is lost: look again.
            if turns.over or worker.draining() or not has_turn(ctx, game, seat):
                return turns.answered
    except LeaseLost:
        log.info("turn of seat %s of game %s is left to another worker", seat, game)
        return True
    except Unavailable as error:
        log.warning("turn of seat %s of game %s is left: %s", seat, game, error.detail)
        return True


@dataclass(frozen=True, slots=True)
class PlayedTurns:
    """`answered`: whether the bot answered the last ask. `over`: the seat gets no more turns."""

    answered: bool
    over: bool


def play_turns(worker: WorkerContext, game: str, seat: int, lease: Lease) -> PlayedTurns:
    """Asks the bot for as long as its seat has an open decision, and tells it the end of a game that is over.

    A fault costs the bot the decision, never the seat. Raises LeaseLost, Unavailable.
    """
    ctx, answered = worker.ctx, True
    try:
        bot = push_bot(ctx, game, seat)
        if bot is None:
            ctx.game_lists.drop_turn(game, seat)
            return PlayedTurns(answered, over=True)
        player = PushPlayer(ctx, worker.outbound, bot, game=game)
        view = load(ctx, game)
        while (decision := open_decision(view, seat)) is not None and not worker.draining():
            if not _has_answered(view, seat) and ctx.games.claim_message(game, seat, "start", lease=lease):
                player.start(start_message(view.id, view.meta, view.names, seat))
            else:
                if view.meta.turn_seconds is not None:
                    # The time in which the turn waited for a worker is not the bot's.
                    ctx.game_lists.postpone(game, casual_limit_ms(view))
                    view = load(ctx, game)
                view = player.settle(view, decision.id, lease)
                closed = view.closed.get(decision.id)
                answered = closed is None or closed.fault not in NO_ANSWER
            view = load(ctx, game)
    except (NotFound, Unreadable):
        # The game was removed, or its bot deleted.
        ctx.game_lists.drop_turn(game, seat)
        return PlayedTurns(answered, over=True)
    if view.over:
        if ctx.games.claim_message(game, seat, "end", lease=lease):
            player.end(end_message(view, seat))
        ctx.game_lists.drop_turn(game, seat)
    return PlayedTurns(answered, over=view.over)


def _has_answered(view: GameView, seat: int) -> bool:
    """Whether the bot has answered anything, so that it was sent `/start` before: it saves a look into the store."""
    ledger = view.ledgers[seat]
    return ledger.answers > ledger.faults.get("late", 0)


def has_turn(ctx: Context, game: str, seat: int) -> bool:
    """Whether the seat has an open decision now, or its bot is to be told the end. Raises Unavailable."""
    try:
        view = load(ctx, game)
    except (NotFound, Unreadable):
        return False
    return view.over or open_decision(view, seat) is not None
