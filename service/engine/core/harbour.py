"""Ships sail, are paid (RULES "What a ship pays"), and are drawn from the stack."""

from typing import Final

from service.engine.core.layout import (
    ABOARD,
    BERTH,
    DIGIT,
    DOCK,
    DOCKS,
    DOCKS_END,
    DRAWN,
    FREE,
    LAST_DOCK,
    LAST_SIX,
    NO_SHIP,
    NOBODY,
    POINTS,
    RESHUFFLE,
    ROW,
    SAILED,
    SEATS,
    STACK,
    Log,
    State,
)
from service.engine.core.lookup_tables import LookupTables

# The parts of a row that stay and that move up when the ship at a dock has sailed.
BEFORE: Final = tuple((1 << DIGIT * dock) - 1 for dock in range(DOCKS))
BEHIND: Final = tuple(ROW ^ before for before in BEFORE)


def sail(s: State, t: LookupTables, dock: int, filled_by: int, log: Log | None) -> None:
    """Pays the ship at a dock (0..3), sends its barrels home, and lets the next ships move up."""
    field = DOCK + BERTH * dock
    shares = t.pay[s[field]]
    for points, supply, barrels, rank in t.rankings[s[field + ABOARD]]:
        s[points] += shares[rank]
        s[supply] += barrels
    if log is not None:
        _log_pay(s, t, field, filled_by, log)
    s[field:LAST_DOCK] = s[field + BERTH : DOCKS_END]
    s[LAST_DOCK] = NO_SHIP
    s[LAST_DOCK + ABOARD] = 0
    free = s[FREE]
    s[FREE] = free & BEFORE[dock] | free >> DIGIT & BEHIND[dock]
    # As long as the stack is not empty, all four docks are taken, so now the last one is free.
    size = len(s) - STACK
    if size == 0:
        return
    ship = s.pop()
    s[LAST_DOCK] = ship
    s[FREE] += t.last_free[ship]
    if size <= LAST_SIX:
        s[RESHUFFLE] = 1
    if log is not None:
        log.append((DRAWN, ship, 1 if size <= LAST_SIX else 0))


def pay_all(s: State, t: LookupTables, log: Log | None) -> None:
    """Pays every docked ship, front first, at the end of the game. The ships stay where they are."""
    for field in range(DOCK, DOCKS_END, BERTH):
        if s[field] == NO_SHIP:
            continue
        shares = t.pay[s[field]]
        for points, _, _, rank in t.rankings[s[field + ABOARD]]:
            s[points] += shares[rank]
        if log is not None:
            _log_pay(s, t, field, NOBODY, log)


def _log_pay(s: State, t: LookupTables, field: int, filled_by: int, log: Log) -> None:
    paid = [0] * SEATS
    for points, _, _, rank in t.rankings[s[field + ABOARD]]:
        paid[points - POINTS] = t.pay[s[field]][rank]
    log.append((SAILED, s[field], *paid, filled_by))
