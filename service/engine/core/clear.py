"""Step 4 of a round (RULES "Step 4: clearing the rooms"): coins, loading and unloading."""

from service.engine.core.harbour import sail
from service.engine.core.layout import (
    ABOARD,
    BANK,
    BARRELS_EACH,
    BERTH,
    COIN_TAKEN,
    COINS,
    DIGIT,
    DOCK,
    DOCKS_END,
    FREE,
    HAND,
    JACK,
    JACK_SEAT,
    KEY,
    LOAD,
    LOADED,
    LOWEST,
    NOBODY,
    PHASE,
    POINTS,
    ROW,
    SEAT,
    STOP,
    SUPPLY,
    UNLOAD,
    UNLOADED,
    Draw,
    Log,
    State,
)
from service.engine.core.lookup_tables import (
    FILLS,
    HALF_ROW,
    LOAD_KEYS,
    LOAD_SPAN,
    LOWER_HALF,
    UNLOAD_BASE,
    UNLOAD_KEYS,
    LookupTables,
)


def load(s: State, t: LookupTables, seat: int, hand: int, stop: int, log: Log | None, draw: Draw | None) -> bool:
    """Loads the barrels in hand. True if the owner has to be asked.

    If no docked ship has room, what is left in hand goes back to the supply. (It was never taken out: a barrel counts
    as supply until it is aboard.)
    """
    while hand:
        free = s[FREE]
        if free == 0:
            return False
        place = t.front[free & LOWER_HALF] + t.back[free >> HALF_ROW]
        ways = t.loads[hand][place]
        number = len(ways)
        if number == 1:
            code = ways[0]
        elif draw is not None:
            code = ways[int(draw() * number)]
        else:
            _ask(s, seat, hand, place, stop)
            return True
        if log is not None:
            _log_barrels(s, LOADED, stop, code, number == 1, log)
        hand = _put_aboard(s, t, seat, code, hand, log)
    return False


def _ask(s: State, seat: int, hand: int, place: int, stop: int) -> None:
    s[PHASE] = LOAD
    s[SEAT] = seat
    s[KEY] = LOAD_KEYS + LOAD_SPAN * hand + place
    s[HAND] = hand
    s[STOP] = stop


def settle_load(s: State, t: LookupTables, code: int, log: Log | None, draw: Draw | None) -> bool:
    """Loads as the owner has chosen, then what is left in hand. True if the owner has to be asked again."""
    seat = s[SEAT]
    if log is not None:
        _log_barrels(s, LOADED, s[STOP], code, False, log)
    left = _put_aboard(s, t, seat, code, s[HAND], log)
    return left > 0 and load(s, t, seat, left, s[STOP], log, draw)


def _put_aboard(s: State, t: LookupTables, seat: int, code: int, hand: int, log: Log | None) -> int:
    """Puts barrels on the ships and returns how many are left in hand: none, unless a ship is filled."""
    if code >= FILLS:
        return _fill(s, t, seat, code, hand, log)
    for ship, barrels in t.shares[seat][code]:
        s[ship] += barrels
    s[FREE] -= code
    s[SUPPLY + seat] -= hand
    return 0


def _fill(s: State, t: LookupTables, seat: int, code: int, hand: int, log: Log | None) -> int:
    """Puts barrels on ship by ship, front first; a ship that is full sails before the next one gets its share.

    Returns how many barrels are left in hand.
    """
    sailed = 0
    for place, barrels in t.docks[code & ROW]:
        # The ships behind one that has sailed have moved up.
        dock = place - sailed
        shift = DIGIT * dock
        free = s[FREE] - (barrels << shift)
        s[FREE] = free
        s[DOCK + BERTH * dock + ABOARD] += barrels << DIGIT * seat
        s[SUPPLY + seat] -= barrels
        hand -= barrels
        if free >> shift & LOWEST == 0:
            s[POINTS + seat] += 1
            sail(s, t, dock, seat, log)
            sailed += 1
    return hand


def _log_barrels(s: State, kind: int, stop: int, code: int, forced: bool, log: Log) -> None:
    """Logs a load or unload that is about to be made."""
    log.append((kind, s[stop], stop, 1 if forced else 0, code & ROW, *s[DOCK:DOCKS_END:BERTH]))


def unload(s: State, t: LookupTables, seat: int, broken: int, stop: int, log: Log | None, draw: Draw | None) -> bool:
    """Unloads as many barrels as are broken, or all that are aboard. True if the owner has to be asked."""
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
        _log_barrels(s, UNLOADED, stop, code, len(ways) == 1, log)
    _take_ashore(s, t, seat, code, number)
    return False


def settle_unload(s: State, t: LookupTables, code: int, log: Log | None) -> None:
    """Unloads as the owner has chosen."""
    if log is not None:
        _log_barrels(s, UNLOADED, s[STOP], code, False, log)
    _take_ashore(s, t, s[SEAT], code, s[HAND])


def _take_ashore(s: State, t: LookupTables, seat: int, code: int, number: int) -> None:
    for ship, barrels in t.shares[seat][code]:
        s[ship] -= barrels
    s[FREE] += code
    s[SUPPLY + seat] += number


def _key(s: State, t: LookupTables, seat: int, number: int) -> int:
    """The key of the options for taking `number` barrels (1 or 2) of a seat from the ships."""
    shift = DIGIT * seat
    cut = t.cut
    key = number * UNLOAD_BASE + cut[s[DOCK + ABOARD] >> shift & LOWEST]
    key = key * UNLOAD_BASE + cut[s[DOCK + BERTH + ABOARD] >> shift & LOWEST]
    key = key * UNLOAD_BASE + cut[s[DOCK + 2 * BERTH + ABOARD] >> shift & LOWEST]
    return UNLOAD_KEYS + key * UNLOAD_BASE + cut[s[DOCK + 3 * BERTH + ABOARD] >> shift & LOWEST]


def clear_rooms(s: State, t: LookupTables, visit: int, log: Log | None, draw: Draw | None) -> bool:
    """Clears the rooms of the walk from number `visit` on. True if an owner has to be asked first."""
    for stop, good, broken, coin in t.visits[visit]:
        worker = s[stop]
        if worker == NOBODY:
            continue
        seat = worker >> 1 if worker != JACK else s[JACK_SEAT]
        if coin and s[BANK]:
            s[BANK] -= 1
            s[COINS + seat] += 1
            if log is not None:
                log.append((COIN_TAKEN, worker, stop))
        if good:
            supply = s[SUPPLY + seat]
            if load(s, t, seat, good if good < supply else supply, stop, log, draw):
                return True
        elif broken and worker != JACK and unload(s, t, seat, broken, stop, log, draw):
            return True
    return False
