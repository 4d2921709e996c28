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
    STOP,
    SUPPLY,
    UNLOAD,
    Draw,
    Log,
    State,
)
from service.engine.core.load import tell_barrels
from service.engine.core.options import UNLOAD_BASE, UNLOAD_KEYS
from service.engine.core.tables import Tables


def unload(s: State, t: Tables, seat: int, broken: int, stop: int, log: Log | None, draw: Draw | None) -> bool:
    """Unloads as many as are broken, if so many are aboard. True if the owner has to be asked."""
    aboard = BARRELS_EACH - s[SUPPLY + seat]
    if aboard == 0:
        return False
    number = broken if broken < aboard else aboard
    key = _key(s, t, seat, number)
    ways = t.options[key]
    if len(ways) == 1:
        code = ways[0]
    elif draw is not None:
        code = ways[int(draw() * len(ways))]
    else:
        s[PHASE] = UNLOAD
        s[SEAT] = seat
        s[KEY] = key
        s[HAND] = number
        s[STOP] = stop
        return True
    if log is not None:
        tell_barrels(s, UNLOADED, stop, code, len(ways) == 1, log)
    _take_ashore(s, t, seat, code, number)
    return False


def settle_unload(s: State, t: Tables, code: int, log: Log | None) -> None:
    """Unloads as the owner has chosen."""
    if log is not None:
        tell_barrels(s, UNLOADED, s[STOP], code, False, log)
    _take_ashore(s, t, s[SEAT], code, s[HAND])


def _take_ashore(s: State, t: Tables, seat: int, code: int, number: int) -> None:
    for ship, barrels in t.shares[seat][code]:
        s[ship] -= barrels
    s[FREE] += code
    s[SUPPLY + seat] += number


def _key(s: State, t: Tables, seat: int, number: int) -> int:
    """Which options there are for taking `number` barrels (1 or 2) of a seat from the ships."""
    shift = DIGIT * seat
    cut = t.cut
    key = number * UNLOAD_BASE + cut[s[DOCK + ABOARD] >> shift & LOWEST]
    key = key * UNLOAD_BASE + cut[s[DOCK + BERTH + ABOARD] >> shift & LOWEST]
    key = key * UNLOAD_BASE + cut[s[DOCK + 2 * BERTH + ABOARD] >> shift & LOWEST]
    return UNLOAD_KEYS + key * UNLOAD_BASE + cut[s[DOCK + 3 * BERTH + ABOARD] >> shift & LOWEST]
