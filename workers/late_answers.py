"""What happens when an answer in a casual game is late: the default action is played.

The service keeps these deadlines itself: those of people, with `turn_seconds`, and those of poll bots. Push bots are
called with a time limit (`workers.outbound`), and in matches `workers.players` settles what is late.
"""

from __future__ import annotations

from service.operations.bots.faults import Fault, note_fault
from service.operations.context import Context
from service.operations.games.asks import casual_limit_ms, offered_left_ms
from service.operations.games.change import Settlement, load, settle
from service.operations.games.projection import GameView
from workers.leases import turn_lease


def overdue_seats(view: GameView) -> list[int]:
    """The seats of a casual game whose time has run out. With `turn_seconds` these are all seats with an open decision,
    without it only those of poll bots, whose time the service keeps itself."""
    if view.deadline_ms is None or view.deadline_ms > view.clock_ms:
        return []
    if view.meta.turn_seconds is not None:
        return list(view.due)
    return [seat for seat in view.due if view.meta.seats[seat].kind == "poll"]


def settle_overdue(ctx: Context, game: str) -> None:
    """Plays the default action for each seat whose time has run out. A seat that could not be answered for all of its
    time gets what it lacks. Raises NotFound, Unavailable."""
    view = load(ctx, game)
    late = {decision.seat: decision.id for decision in view.game.decisions}
    limit_ms = casual_limit_ms(view)
    lacking: list[int] = []
    for seat in overdue_seats(view):
        lack_ms = _lacking_ms(ctx, view, seat)
        if lack_ms > 0:
            lacking.append(lack_ms)
            continue
        changed = settle(ctx, game, Settlement(late[seat], None, "late", limit_ms))
        bot = view.bots[seat]
        if changed.entries and bot is not None:
            note_fault(ctx, bot, changed.view, late[seat], Fault("late", "no answer came in time"), limit_ms)
    if lacking:
        ctx.game_lists.postpone(game, min(lacking))


def _lacking_ms(ctx: Context, view: GameView, seat: int) -> int:
    """For how much of its time a seat of a casual game could not answer: the API could not take an answer in, the
    service had not offered the game to the poll bot, or no worker has called the push bot yet."""
    kind, bot, limit_ms = view.meta.seats[seat].kind, view.bots[seat], casual_limit_ms(view)
    if kind == "push":
        return 0 if ctx.leases.live([turn_lease(view.id, seat)]) else limit_ms
    lack_ms = min(limit_ms, ctx.api_processes.time_since(view.time_ms - limit_ms).stalled_ms)
    if kind == "poll" and bot is not None:
        offered_ms = ctx.game_lists.offered(bot).since_ms.get(view.id)
        lack_ms = max(lack_ms, limit_ms if offered_ms is None else offered_left_ms(view, offered_ms))
    return lack_ms
