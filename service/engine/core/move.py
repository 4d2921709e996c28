"""Step 3 of a round (RULES "Step 3: moving"): Jack moves, then every worker in the order."""

from service.engine.core.layout import CARD, COMPANION, JACK, JACK_SEAT, MOVED, NOBODY, ORDER, PLACE, TAVERN, Log, State
from service.engine.core.lookup_tables import LookupTables


def move_all(s: State, t: LookupTables, log: Log | None) -> None:
    """Moves all workers by their cards."""
    workers = s[ORDER : ORDER + t.workers]
    if s[JACK_SEAT] != NOBODY:
        workers.insert(0, JACK)
    move_in_turn(s, t, workers, log)


def move_in_turn(s: State, t: LookupTables, workers: list[int], log: Log | None) -> None:
    """Moves these workers, one after another, by the cards that were chosen for them."""
    stops = t.stops
    for worker in workers:
        start = s[PLACE + worker]
        target = start + s[CARD + worker]
        if start == TAVERN:
            # A first step leads onto stop 0 from the left tavern, onto stop W from the right one.
            if _from_the_right(s, worker):
                target += t.half
        else:
            if target >= stops:
                target -= stops
            # The stop that a worker leaves counts as empty from now on; on Jack's stop stands his companion.
            if worker != JACK:
                s[start] = NOBODY
        standing = s[target]
        if standing != NOBODY:
            opposite = stops - 1 - target
            if s[opposite] != NOBODY:
                _fall_back(s, t, worker, start, target, log)
                continue
            s[opposite] = standing
            s[PLACE + standing] = opposite
        s[target] = worker
        s[PLACE + worker] = target
        if log is not None:
            pushed_to = TAVERN if standing == NOBODY else stops - 1 - target
            log.append((MOVED, worker, start, target, standing, target, pushed_to, 0))


def _from_the_right(s: State, worker: int) -> bool:
    """Whether a worker starts from the right tavern, that of the littles. Jack starts where his companion is."""
    return (worker if worker != JACK else s[COMPANION]) & 1 == 1


def _fall_back(s: State, t: LookupTables, worker: int, start: int, target: int, log: Log | None) -> None:
    """Lets a worker fall back from a blocked stop to the first empty one.

    A worker that comes out of a tavern falls back onto stops that it walked over; if none of them is empty, it stays in
    the tavern. Any other worker ends on the stop that it left at the latest, except Jack: his companion stands there,
    so he can fall back past it, round the loop if need be.
    """
    if start == TAVERN:
        reach = s[CARD + worker] - 1
    else:
        reach = t.stops - 1
    stop = target
    end = TAVERN
    for _ in range(reach):
        stop = stop - 1 if stop > 0 else t.stops - 1
        if s[stop] == NOBODY:
            end = stop
            s[stop] = worker
            break
    s[PLACE + worker] = end
    if log is not None:
        log.append((MOVED, worker, start, end, NOBODY, TAVERN, TAVERN, 1))
