"""Step 4 of a round: room by room, whoever stands there takes a coin, then loads or unloads."""

from service.engine.core.happenings import COIN_TAKEN
from service.engine.core.layout import BANK, COINS, JACK, JACK_SEAT, NOBODY, SUPPLY, Draw, Log, State
from service.engine.core.load import load
from service.engine.core.tables import Tables
from service.engine.core.unload import unload


def clear_rooms(s: State, t: Tables, visit: int, log: Log | None, draw: Draw | None) -> bool:
    """Clears the rooms from the given one on. True if it came to a question, False if all are cleared."""
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
