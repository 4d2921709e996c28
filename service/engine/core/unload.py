"""Unloading: own barrels from the docked ships back into the supply."""

from service.engine.core.happenings import UNLOADED
from service.engine.core.layout import (
    ABOARD,
    BARRELS_EACH,
    BERTH,
    DIGIT,
    DOCK,
    FREE,
    HAND,
    KEY,
    LOWEST,
    PHASE,
    SEAT,
    SUPPLY,
    UNLOAD,
    VISIT,
    Log,
    State,
)
from service.engine.core.load import tell_barrels
from service.engine.core.options import MOST_BROKEN, UNLOAD_BASE, UNLOAD_KEYS, made
from service.engine.core.tables import Tables


def unload(s: State, t: Tables, seat: int, broken: int, visit: int, log: Log | None) -> bool:
    """Unloads where there is one way only. True if the owner has to choose."""
    aboard = BARRELS_EACH - s[SUPPLY + seat]
    number = broken if broken < aboard else aboard
    if number == 0:
        return False
    key = _key(s, seat, number)
    ways = t.options[key] or made(t.options, key)
    if len(ways) > 1:
        s[PHASE] = UNLOAD
        s[SEAT] = seat
        s[KEY] = key
        s[HAND] = number
        s[VISIT] = visit
        return True
    if log is not None:
        tell_barrels(s, t, UNLOADED, visit, ways[0], True, log)
    _take_ashore(s, t, seat, ways[0], number)
    return False


def settle_unload(s: State, t: Tables, code: int, log: Log | None) -> None:
    """Unloads as the owner has chosen."""
    if log is not None:
        tell_barrels(s, t, UNLOADED, s[VISIT], code, False, log)
    _take_ashore(s, t, s[SEAT], code, s[HAND])


def _take_ashore(s: State, t: Tables, seat: int, code: int, number: int) -> None:
    for ship, barrels in t.shares[seat][code]:
        s[ship] -= barrels
    s[FREE] += code
    s[SUPPLY + seat] += number


def _key(s: State, seat: int, number: int) -> int:
    """Which options there are for taking `number` barrels (1 or 2) of a seat from the ships."""
    shift = DIGIT * seat
    key = number
    for row in (s[DOCK + ABOARD], s[DOCK + BERTH + ABOARD], s[DOCK + 2 * BERTH + ABOARD], s[DOCK + 3 * BERTH + ABOARD]):
        own = row >> shift & LOWEST
        key = key * UNLOAD_BASE + (own if own < MOST_BROKEN else MOST_BROKEN)
    return UNLOAD_KEYS + key
