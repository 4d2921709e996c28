"""Step 1 of a round (RULES "Step 1: Lazy Jack"): Jack is offered to the seats that can pay for him."""

from service.engine.core.layout import (
    BANK,
    COINS,
    COMPANION,
    DECLINED,
    HIRE,
    HIRED,
    JACK,
    JACK_SEAT,
    KEY,
    NOBODY,
    OFFERED,
    OFFERED_JACK,
    ORDER,
    PHASE,
    PLACE,
    POINTS,
    PRICE_OF_JACK,
    SEAT,
    SEATS,
    Draw,
    Log,
    State,
)
from service.engine.core.lookup_tables import DECLINE, HIRE_KEY, LookupTables


def offer_jack(s: State, t: LookupTables, log: Log | None, draw: Draw | None) -> bool:
    """Offers Jack to one seat after another. True if a seat has to be asked, False if he is hired or nobody is left."""
    while max(s[COINS : COINS + SEATS]) >= PRICE_OF_JACK:
        seat = next_offer(s, t)
        if seat == NOBODY:
            return False
        s[OFFERED] |= 1 << seat
        s[SEAT] = seat
        if log is not None:
            log.append((OFFERED_JACK, seat))
        if draw is None:
            s[PHASE] = HIRE
            s[KEY] = HIRE_KEY
            return True
        codes = t.options[HIRE_KEY]
        if settle_hire(s, codes[int(draw() * len(codes))], log):
            return False
    return False


def next_offer(s: State, t: LookupTables) -> int:
    """The next seat to be offered Jack, or NOBODY: fewest points first; among equals, the first token in the order."""
    best = NOBODY
    for seat in range(t.players):
        if s[COINS + seat] < PRICE_OF_JACK or s[OFFERED] >> seat & 1:
            continue
        if best == NOBODY or _comes_before(s, seat, best):
            best = seat
    return best


def _comes_before(s: State, seat: int, other: int) -> bool:
    if s[POINTS + seat] != s[POINTS + other]:
        return s[POINTS + seat] < s[POINTS + other]
    return _first_token(s, seat) < _first_token(s, other)


def _first_token(s: State, seat: int) -> int:
    place = ORDER
    while s[place] >> 1 != seat:
        place += 1
    return place


def settle_hire(s: State, code: int, log: Log | None) -> bool:
    """Settles an answer to the offer and returns whether Jack was hired. He starts where his companion is."""
    seat = s[SEAT]
    if code == DECLINE:
        if log is not None:
            log.append((DECLINED, seat))
        return False
    companion = 2 * seat + code - 1
    s[COINS + seat] -= PRICE_OF_JACK
    s[BANK] += PRICE_OF_JACK
    s[JACK_SEAT] = seat
    s[COMPANION] = companion
    s[PLACE + JACK] = s[PLACE + companion]
    if log is not None:
        log.append((HIRED, seat, companion))
    return True
