"""Step 2 of a round (RULES "Step 2: cards"): all seats choose cards in secret; then all cards are revealed."""

from service.engine.core.layout import (
    CARD,
    CHOSEN,
    COMPANION,
    JACK,
    JACK_SEAT,
    KEY,
    PHASE,
    PLAY,
    REVEALED,
    SEAT,
    WORKERS,
    Draw,
    Log,
    State,
)
from service.engine.core.lookup_tables import PLAY_JACK_WITH_BIG, PLAY_KEY, LookupTables


def open_cards(s: State) -> None:
    """Opens the choice of cards for every seat."""
    s[PHASE] = PLAY
    s[SEAT] = 0
    s[KEY] = play_key(s, 0)


def play_key(s: State, seat: int) -> int:
    """The key of the options for a seat's choice of cards."""
    if s[JACK_SEAT] != seat:
        return PLAY_KEY
    return PLAY_JACK_WITH_BIG + (s[COMPANION] & 1)


def choose_cards(s: State, t: LookupTables, seat: int, code: int, log: Log | None) -> bool:
    """Puts down the cards of one seat, in any order of seats. Returns whether all seats have chosen now."""
    first = CARD + 2 * seat
    s[first] = code & 7
    s[first + 1] = code >> 3 & 7
    if code >= 64:
        s[CARD + JACK] = code >> 6
    if log is not None:
        log.append((CHOSEN, seat))
    if seat != s[SEAT]:
        # The first seat that has not chosen is still the same.
        return False
    seat += 1
    while seat < t.players:
        if s[CARD + 2 * seat] == 0:
            s[SEAT] = seat
            s[KEY] = PLAY_KEY if s[JACK_SEAT] != seat else play_key(s, seat)
            return False
        seat += 1
    if log is not None:
        log.append((REVEALED, *s[CARD : CARD + WORKERS], s[JACK_SEAT]))
    return True


def draw_cards(s: State, t: LookupTables, draw: Draw) -> None:
    """Chooses cards at random for every seat that has not chosen yet."""
    for seat in range(t.players):
        first = CARD + 2 * seat
        if s[first] == 0:
            codes = t.options[PLAY_KEY if s[JACK_SEAT] != seat else play_key(s, seat)]
            code = codes[int(draw() * len(codes))]
            s[first] = code & 7
            s[first + 1] = code >> 3 & 7
            if code >= 64:
                s[CARD + JACK] = code >> 6
