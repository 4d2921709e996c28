"""The game as a whole: from one decision to the next.

Callers need `deal`, `legal`, `apply`, `choose` and `reshuffle`. A caller keeps its own state and passes only codes that
it took from `legal`: nothing is checked here. The checked interface is `service.engine.game`.
"""

from service.engine.core.clear import clear_rooms, settle_load, settle_unload
from service.engine.core.hire import offer_jack, settle_hire
from service.engine.core.layout import (
    AT,
    BANK,
    BARRELS_EACH,
    BERTH,
    COINS,
    COINS_IN_ALL,
    COMPANION,
    DIGIT,
    DOCK,
    DOCKS,
    FREE,
    JACK_SEAT,
    KEY,
    LOAD,
    NOBODY,
    ORDER,
    OVER,
    PHASE,
    PLACE,
    PLAY,
    SEAT,
    SHUFFLE,
    STACK,
    STOP,
    STOPS,
    SUPPLY,
    TAVERN,
    UNLOAD,
    WORKERS,
    Draw,
    Log,
    State,
)
from service.engine.core.lookup_tables import LookupTables
from service.engine.core.move import move_all
from service.engine.core.play import choose_cards, draw_cards, open_cards
from service.engine.core.rounds import begin_round, end_round, shuffle_order


def deal(t: LookupTables, ships: list[int], order: list[int], starting_coins: int, log: Log | None) -> State:
    """A new game, run on to its first decision.

    `ships` in drawing order, the first three docked; `order` holds 2 workers a seat, first to last.
    """
    s = [0] * STACK
    s[BANK] = COINS_IN_ALL - starting_coins * t.players
    s[JACK_SEAT] = NOBODY
    s[COMPANION] = NOBODY
    for seat in range(t.players):
        s[COINS + seat] = starting_coins
        s[SUPPLY + seat] = BARRELS_EACH
    s[PLACE : PLACE + WORKERS] = [TAVERN] * WORKERS
    s[AT : AT + STOPS] = [NOBODY] * STOPS
    s[ORDER : ORDER + t.workers] = order
    for dock, ship in enumerate([t.pilot, *ships[: DOCKS - 1]]):
        s[DOCK + dock * BERTH] = ship
        s[FREE] += t.capacity[ship] << DIGIT * dock
    s.extend(reversed(ships[DOCKS - 1 :]))
    new_round(s, t, log, None)
    return s


def legal(s: State, t: LookupTables) -> list[int]:
    """The codes of all legal actions of the seat to act, in canonical order. Callers must not change the list."""
    return t.options[s[KEY]]


def apply(s: State, t: LookupTables, code: int, log: Log | None, draw: Draw | None = None) -> None:
    """Settles the decision of the seat to act, and runs on to the next decision.

    Afterwards the state waits for that decision, waits for `reshuffle` (phase SHUFFLE), or is OVER. With `draw` it runs
    on to the next choice of cards.
    """
    phase = s[PHASE]
    if phase == PLAY:
        if not choose_cards(s, t, s[SEAT], code, log):
            return
        move_all(s, t, log)
        visit = 0
    elif phase == LOAD:
        if settle_load(s, t, code, log, draw):
            return
        visit = t.after[s[STOP]]
    elif phase == UNLOAD:
        settle_unload(s, t, code, log)
        visit = t.after[s[STOP]]
    else:
        if settle_hire(s, code, log) or not offer_jack(s, t, log, draw):
            open_cards(s)
        return
    _clear_and_end(s, t, visit, log, draw)


def choose(s: State, t: LookupTables, seat: int, code: int, log: Log | None) -> None:
    """Settles the choice of cards of a seat that has not chosen yet, in any order of seats."""
    if choose_cards(s, t, seat, code, log):
        move_all(s, t, log)
        _clear_and_end(s, t, 0, log, None)


def reshuffle(s: State, t: LookupTables, order: list[int], log: Log | None, draw: Draw | None = None) -> None:
    """Goes on from phase SHUFFLE with the order that was drawn."""
    shuffle_order(s, t, order, log)
    new_round(s, t, log, draw)


def playout(s: State, t: LookupTables, draw: Draw) -> None:
    """Plays on to the end of the game with random actions, each legal one with equal chance.

    Numbers are drawn in the order of decisions and shuffles, those for cards in seat order.
    """
    while True:
        phase = s[PHASE]
        if phase == PLAY:
            draw_cards(s, t, draw)
            move_all(s, t, None)
            _clear_and_end(s, t, 0, None, draw)
        elif phase == SHUFFLE:
            reshuffle(s, t, any_order(t, draw), None, draw)
        elif phase == OVER:
            return
        else:
            codes = legal(s, t)
            apply(s, t, codes[int(draw() * len(codes))], None, draw)


def any_order(t: LookupTables, draw: Draw) -> list[int]:
    """A random movement order, each with equal chance."""
    rest = list(range(t.workers))
    return [rest.pop(int(draw() * left)) for left in range(t.workers, 0, -1)]


def new_round(s: State, t: LookupTables, log: Log | None, draw: Draw | None) -> None:
    """Begins the next round and runs on to its first decision."""
    begin_round(s, t, log)
    if not offer_jack(s, t, log, draw):
        open_cards(s)


def _clear_and_end(s: State, t: LookupTables, visit: int, log: Log | None, draw: Draw | None) -> None:
    if not clear_rooms(s, t, visit, log, draw) and end_round(s, t, log):
        new_round(s, t, log, draw)
