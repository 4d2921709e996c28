"""Loading: barrels from a seat's supply onto the docked ships."""

from service.engine.core.happenings import LOADED
from service.engine.core.harbour import sail
from service.engine.core.layout import (
    ABOARD,
    BERTH,
    DIGIT,
    DOCK,
    FREE,
    HAND,
    KEY,
    LOAD,
    LOWEST,
    PHASE,
    POINTS,
    ROW,
    SEAT,
    SUPPLY,
    VISIT,
    Log,
    State,
)
from service.engine.core.options import FILLS, HALF_ROW, LOAD_KEYS, LOAD_SPAN, LOWER_HALF, made
from service.engine.core.tables import Tables


def load(s: State, t: Tables, seat: int, hand: int, visit: int, log: Log | None) -> bool:
    """Loads what is in hand as long as there is one way only. True if the owner has to choose.

    With no room on any docked ship, what is left in hand goes back to the supply, which it has never been taken from.
    """
    while hand:
        free = s[FREE]
        if free == 0:
            return False
        key = LOAD_KEYS + LOAD_SPAN * hand + t.front[free & LOWER_HALF] + t.back[free >> HALF_ROW]
        ways = t.options[key] or made(t.options, key)
        if len(ways) > 1:
            s[PHASE] = LOAD
            s[SEAT] = seat
            s[KEY] = key
            s[HAND] = hand
            s[VISIT] = visit
            return True
        if log is not None:
            tell_barrels(s, t, LOADED, visit, ways[0], True, log)
        hand -= _put_aboard(s, t, seat, ways[0] & ROW, log)
    return False


def settle_load(s: State, t: Tables, code: int, log: Log | None) -> bool:
    """Loads as the owner has chosen, then what is left in hand. True if the owner has to choose again."""
    seat = s[SEAT]
    if log is not None:
        tell_barrels(s, t, LOADED, s[VISIT], code, False, log)
    if code < FILLS:
        # All that is in hand goes aboard, and no ship sails.
        for ship, barrels in t.shares[seat][code]:
            s[ship] += barrels
        s[FREE] -= code
        s[SUPPLY + seat] -= s[HAND]
        return False
    left = s[HAND] - _put_aboard(s, t, seat, code & ROW, log)
    return left > 0 and load(s, t, seat, left, s[VISIT], log)


def _put_aboard(s: State, t: Tables, seat: int, row: int, log: Log | None) -> int:
    """Puts a row of barrels aboard, ship by ship, front first; a full one sails before the next gets its share.

    How many that were in all.
    """
    total = 0
    dock = 0
    while row:
        barrels = row & LOWEST
        row >>= DIGIT
        if barrels:
            total += barrels
            s[SUPPLY + seat] -= barrels
            s[DOCK + BERTH * dock + ABOARD] += barrels << DIGIT * seat
            s[FREE] -= barrels << DIGIT * dock
            if s[FREE] >> DIGIT * dock & LOWEST == 0:
                s[POINTS + seat] += 1
                sail(s, t, dock, seat, log)
                # The ships behind have moved up, so the next one to be served is at this dock now.
                continue
        dock += 1
    return total


def tell_barrels(s: State, t: Tables, kind: int, visit: int, code: int, forced: bool, log: Log) -> None:
    """Logs a load or unload, before it is done."""
    stop = t.walk[visit]
    entry = [kind, s[stop], stop, 1 if forced else 0]
    for dock in range(DOCK, DOCK + 4 * BERTH, BERTH):
        if code & LOWEST:
            entry += [s[dock], code & LOWEST]
        code >>= DIGIT
    log.append(tuple(entry))
