"""What the core writes into a log: one tuple of integers for each thing that happened, its kind first.

ROUND_BEGAN    round, then the order's workers
OFFERED_JACK   seat
HIRED          seat, companion
DECLINED       seat
CHOSEN         seat
REVEALED       the cards by worker (9 numbers, 0: none), then who hired Jack, or NOBODY
MOVED          worker, from, to, pushed worker or NOBODY, pushed from, pushed to, 1 if the worker fell back
COIN_TAKEN     worker, stop
LOADED         worker, stop, 1 if forced, the row of barrels, then the ship at each dock, or NO_SHIP
UNLOADED       likewise
SAILED         ship, points paid by seat (4 numbers), who filled it or NOBODY
DRAWN          ship, 1 if it was one of the last six
ORDER_CHANGED  1 if shuffled, then the order's workers
"""

from typing import Final

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
