"""How a round begins, and how it ends (RULES "Step 5: the end of a round")."""

from typing import Final

from service.engine.core.harbour import pay_all, sail
from service.engine.core.layout import (
    CARD,
    COMPANION,
    HAND,
    JACK,
    JACK_SEAT,
    KEY,
    LAST_DOCK,
    NO_SHIP,
    NOBODY,
    OFFERED,
    ORDER,
    ORDER_CHANGED,
    OVER,
    PHASE,
    PLACE,
    RESHUFFLE,
    ROUND,
    ROUND_BEGAN,
    SEAT,
    SHUFFLE,
    STOP,
    TAVERN,
    WORKERS,
    Log,
    State,
)
from service.engine.core.lookup_tables import LookupTables

NO_CARDS: Final = [0] * WORKERS


def begin_round(s: State, t: LookupTables, log: Log | None) -> None:
    """Begins the next round with all cards back in hand."""
    s[ROUND] += 1
    s[RESHUFFLE] = 0
    s[OFFERED] = 0
    s[CARD : CARD + WORKERS] = NO_CARDS
    if log is not None:
        log.append((ROUND_BEGAN, s[ROUND], *s[ORDER : ORDER + t.workers]))


def end_round(s: State, t: LookupTables, log: Log | None) -> bool:
    """Ends a round. Returns whether the next one can begin; if not, the game is over or waits for a new order."""
    if s[LAST_DOCK] == NO_SHIP:
        # Ships stand without gaps, so three or fewer are docked.
        pay_all(s, t, log)
        s[PHASE] = OVER
        # There is no seat to act any more.
        s[SEAT] = s[KEY] = s[STOP] = s[HAND] = 0
        return False
    sail(s, t, 0, NOBODY, log)
    _send_jack_home(s)
    if s[RESHUFFLE]:
        s[PHASE] = SHUFFLE
        return False
    last = ORDER + t.workers - 1
    s[ORDER : last + 1] = [s[last], *s[ORDER:last]]
    if log is not None:
        log.append((ORDER_CHANGED, 0, *s[ORDER : last + 1]))
    return True


def shuffle_order(s: State, t: LookupTables, order: list[int], log: Log | None) -> None:
    """Sets the order that was drawn for the next round."""
    s[ORDER : ORDER + t.workers] = order
    if log is not None:
        log.append((ORDER_CHANGED, 1, *order))


def _send_jack_home(s: State) -> None:
    if s[JACK_SEAT] == NOBODY:
        return
    if s[PLACE + JACK] != TAVERN:
        s[s[PLACE + JACK]] = NOBODY
        s[PLACE + JACK] = TAVERN
    s[JACK_SEAT] = NOBODY
    s[COMPANION] = NOBODY
