"""An ask that brought no action that counts: the bot may try again, or it has lost the decision."""

from __future__ import annotations

from functools import partial

from service.operations.bots.faults import Fault, note_fault, printable
from service.operations.context import Context
from service.operations.games.change import Changed, Settlement, change, settled
from service.operations.games.log_entries import AnswerRefused, seat_of
from service.operations.games.projection import GameProjection, GameView
from service.protocol import REFUSED_AS
from service.store.leases import Lease

REASON_LIMIT = 200
"""Characters of the reason that the next ask shows."""


def charge(
    ctx: Context,
    game: str,
    decision: str,
    fault: Fault,
    elapsed_ms: int,
    *,
    lease: Lease | None = None,
    known: GameView | None = None,
) -> Changed:
    """Refuses the answer if the bot may try again (PROTOCOL "Attempts"). If not, settles the decision by default, and
    notes the fault in the bot's ledger. Does nothing if somebody else has settled the decision.

    elapsed_ms  since the decision was put to the bot for the first time
    known       see `change`

    Raises NotFound, LeaseLost, Unavailable.
    """
    changed = change(ctx, game, partial(_charged, decision, fault, elapsed_ms), lease=lease, known=known)
    bot = changed.view.bots[seat_of(decision)]
    if bot is not None and changed.entries and decision in changed.view.closed:
        note_fault(ctx, bot, changed.view, decision, fault, elapsed_ms)
    return changed


def _charged(decision: str, fault: Fault, elapsed_ms: int, view: GameView, at_ms: int) -> GameProjection | None:
    """The step; None when the decision is not open."""
    open_now = view.status == "running" and any(waiting.id == decision for waiting in view.game.decisions)
    if not (open_now and _may_try_again(view, decision, fault, elapsed_ms)):
        return settled(Settlement(decision, None, fault.kind, elapsed_ms), view, at_ms)
    projection = GameProjection(view)
    projection.add(AnswerRefused(at_ms, decision, fault.kind, printable(fault.detail, REASON_LIMIT), elapsed_ms))
    return projection


def _may_try_again(view: GameView, decision: str, fault: Fault, elapsed_ms: int) -> bool:
    terms, ledger = view.meta.match, view.ledgers[seat_of(decision)]
    if terms is None or fault.kind not in REFUSED_AS or len(ledger.refused) + 1 >= terms.attempts:
        return False
    return elapsed_ms < terms.move_ms + ledger.bank_left_ms(terms.bank_ms)
