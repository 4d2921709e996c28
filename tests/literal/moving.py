"""Step 3 of a round: move."""

from .pieces import Stop, Tavern, Worker
from .table import Table


def move_everybody(table: Table) -> None:
    """“Jack first, then every worker in the order.”"""
    if table.jack is not None:
        move(table, table.jack)
    for worker in table.order:
        move(table, worker)


def move(table: Table, worker: Worker) -> None:
    """Move one worker by its card, with all that comes of it."""
    if worker.card is None:
        raise AssertionError(f"seat {worker.owner.seat} has no card for {worker.kind}")
    # “A worker moves clockwise exactly as many stops as its card says, passing others freely.”
    walked_over: list[Stop] = []
    here: Stop | Tavern = worker.place
    for _ in range(worker.card):
        here = here.clockwise
        walked_over.append(here)
    reached = walked_over[-1]

    # “If the stop it reaches is empty, it stays.”
    # (“The stop that the mover left counts as empty”: here and below the mover itself is not looked at. “When Jack
    # starts from a stop, his companion stands on it, so for Jack it is occupied”: the companion is looked at.)
    standing = table.who_stands_on(reached, besides=worker)
    if standing is None:
        worker.place = reached
        return

    # “If a worker stands there (anyone's, Jack and one's own included), that one is pushed to the opposite stop, if it
    # is empty, and the mover takes the stop.”
    if table.who_stands_on(reached.opposite, besides=worker) is None:
        standing.place = reached.opposite
        worker.place = reached
        return

    # “If the opposite stop is occupied too, nobody is pushed, and the mover falls back”
    fall_back(table, worker, walked_over)


def fall_back(table: Table, worker: Worker, walked_over: list[Stop]) -> None:
    """“the mover falls back against the direction of the path to the first empty stop”"""
    if isinstance(worker.place, Tavern):
        # “A worker (Jack too) that came out of a tavern and finds no empty stop among those it walked over stays in
        # the tavern.”
        for stop in reversed(walked_over):
            if table.who_stands_on(stop, besides=worker) is None:
                worker.place = stop
                return
        return
    # From a stop: at the latest the one that the mover left is empty, “so the worst case is no move”. For Jack it is
    # not: “he can fall back past it, round the loop if need be, to the first empty stop”.
    stop = walked_over[-1].behind
    while table.who_stands_on(stop, besides=worker) is not None:
        stop = stop.behind
    worker.place = stop
