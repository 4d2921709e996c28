"""An answer that cannot be read: over poll, in a match, that costs the bot its decision (PROTOCOL "Faults")."""

from __future__ import annotations

from typing import Any

from service.operations.access import Caller, seat_at
from service.operations.acting import refuse
from service.operations.asks import owed
from service.operations.context import Context
from service.operations.errors import NotFound
from service.operations.faults import Fault
from service.operations.settling import load


def spoil(
    ctx: Context, caller: Caller, game: str, decision: str | None, *, detail: str, received: str
) -> dict[str, Any] | None:
    """Settles the decision that was answered unusably by default, with the fault *bad_body*.

    `decision`: as the answer names it; None: it names none, and the open one is meant. `detail` and `received` are for
    the bot's author: what was wrong, and the beginning of what came. Returns how it stands settled;
    None, and nothing has changed, when the caller is no poll bot in a match or the decision is not open to it. Raises
    Unavailable.
    """
    if caller.kind != "bot":
        return None
    try:
        table = load(ctx, game)
    except NotFound:
        return None
    seat = seat_at(caller, table)
    if seat is None or table.meta.match is None or table.meta.seats[seat].kind != "poll":
        return None
    waiting = owed(table, seat)
    if waiting is None or decision not in (None, waiting.id):
        return None
    return refuse(ctx, table, waiting.id, Fault("bad_body", detail, received))
