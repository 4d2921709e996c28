"""Where everything is in a state, which is one flat list of integers.

A state is `list[int]`: the fields below, then the stack of ships, bottom first, so that `state.pop()` draws the top
ship and the size of the stack is `len(state) - STACK`. Its offsets do not depend on the number of players; seats that
are not played stay 0.

Numbers used in a state:
seat       0..3
worker     `2 * seat` for a seat's big, `2 * seat + 1` for its little, `JACK` for Lazy Jack
stop       0..2W-1, or `TAVERN`; a stop's number is also the field that says who stands there
ship       index into the component set's ships; the pilot boat is the index after the last of them
row        four small numbers in one, `DIGIT` bits each, the first lowest: a number for each dock, or for each seat.
           Rows are added and subtracted as a whole
code       an action, see `service.engine.core.lookup_tables`
"""

from collections.abc import Callable
from typing import Final

State = list[int]
Log = list[tuple[int, ...]]
"""What happened, an entry for each event (ROUND_BEGAN and the kinds after it). Playouts pass None and log nothing."""

Draw = Callable[[], float]
"""Random numbers, 0 <= x < 1. Given these, the core does not stop at a decision, but takes one of the legal actions,
each with equal chance."""

# Phases: what the state waits for. Those that wait for a decision come first.
HIRE: Final = 0
PLAY: Final = 1
LOAD: Final = 2
UNLOAD: Final = 3
SHUFFLE: Final = 4  # a new order for the next round
OVER: Final = 5

NOBODY: Final = -1
TAVERN: Final = -1
NO_SHIP: Final = -1
JACK: Final = 8
WORKERS: Final = 9
SEATS: Final = 4
DOCKS: Final = 4
PRICE_OF_JACK: Final = 3
LAST_SIX: Final = 6
COINS_IN_ALL: Final = 15
BARRELS_EACH: Final = 16

DIGIT: Final = 5  # bits: no number in a row is above 16
LOWEST: Final = 31
ROW: Final = (1 << DIGIT * DOCKS) - 1

# One field for each stop: the worker that stands there, or NOBODY.
AT: Final = 0
STOPS: Final = 16

# One field for each worker, Jack last.
PLACE: Final = AT + STOPS
CARD: Final = PLACE + WORKERS  # 0: not chosen

# The movement order, first to last.
ORDER: Final = CARD + WORKERS

# One field for each seat.
POINTS: Final = ORDER + 2 * SEATS
COINS: Final = POINTS + SEATS
SUPPLY: Final = COINS + SEATS  # barrels in hand count here until they are aboard

# Two fields for each dock: the ship, and a row of the barrels aboard, by seat. No ship: NO_SHIP and 0.
DOCK: Final = SUPPLY + SEATS
ABOARD: Final = 1
BERTH: Final = 2
LAST_DOCK: Final = DOCK + (DOCKS - 1) * BERTH
DOCKS_END: Final = DOCK + DOCKS * BERTH

# Single fields.
FREE: Final = DOCKS_END  # a row: free capacity by dock
PHASE: Final = FREE + 1
ROUND: Final = PHASE + 1
SEAT: Final = ROUND + 1  # the seat to act; while cards are chosen, the first seat that has not chosen
KEY: Final = SEAT + 1  # the key of the options of that decision
BANK: Final = KEY + 1
JACK_SEAT: Final = BANK + 1  # the seat that hired Jack, or NOBODY
COMPANION: Final = JACK_SEAT + 1  # the worker Jack was placed with, or NOBODY
RESHUFFLE: Final = COMPANION + 1  # 1 if a ship was drawn from the last six in this round
OFFERED: Final = RESHUFFLE + 1  # one bit for each seat that was offered Jack in this round
STOP: Final = OFFERED + 1  # the stop of the room where a seat has to load or unload
HAND: Final = STOP + 1  # barrels in hand, or barrels that must be unloaded

STACK: Final = HAND + 1


def digit(row: int, place: int) -> int:
    """The number at a place (0..3) of a row."""
    return row >> DIGIT * place & LOWEST


# The kinds of entries in a log, each a tuple that starts with its kind.
#
# ROUND_BEGAN    round, then the order's workers
# OFFERED_JACK   seat
# HIRED          seat, companion
# DECLINED       seat
# CHOSEN         seat
# REVEALED       the cards by worker (9 numbers, 0: none), then the seat that hired Jack, or NOBODY
# MOVED          worker, from, to, pushed worker or NOBODY, pushed from, pushed to, 1 if the worker fell back
# COIN_TAKEN     worker, stop
# LOADED         worker, stop, 1 if forced, the row of barrels, then the ship at each dock, or NO_SHIP
# UNLOADED       likewise
# SAILED         ship, points paid by seat (4 numbers), the seat that filled it or NOBODY
# DRAWN          ship, 1 if it was one of the last six
# ORDER_CHANGED  1 if shuffled, then the order's workers
ROUND_BEGAN: Final = 0
OFFERED_JACK: Final = 1
HIRED: Final = 2
DECLINED: Final = 3
CHOSEN: Final = 4
REVEALED: Final = 5
MOVED: Final = 6
COIN_TAKEN: Final = 7
LOADED: Final = 8
UNLOADED: Final = 9
SAILED: Final = 10
DRAWN: Final = 11
ORDER_CHANGED: Final = 12
