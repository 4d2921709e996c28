"""Events (PROTOCOL "Events"), made from what the core has logged."""

from collections.abc import Callable
from typing import NamedTuple

from service.engine.core import layout
from service.engine.core.layout import JACK, NOBODY, TAVERN, Log
from service.engine.game_config import GameConfig
from service.engine.setup import order_to_json

Data = dict[str, object]

_BARRELS = (layout.LOADED, layout.UNLOADED)


class Event(NamedTuple):
    """Something that happened, as everybody in the game may see it. `forced`: an action that was the only legal one."""

    type: str
    round: int
    forced: bool
    data: Data


def events_of(config: GameConfig, log: Log, current: int, jack_seat: int) -> tuple[Event, ...]:
    """The core's log as events.

    `current` is the round in which the log starts, `jack_seat` the seat that has hired Jack by then, or NOBODY.
    """
    events = []
    for entry in log:
        kind = entry[0]
        if kind == layout.ROUND_BEGAN:
            current = entry[1]
            jack_seat = NOBODY
        elif kind == layout.HIRED:
            jack_seat = entry[1]
        name, data_of = _KINDS[kind]
        events.append(
            Event(name, current, entry[3] == 1 if kind in _BARRELS else False, data_of(config, entry, jack_seat))
        )
    return tuple(events)


def _order(config: GameConfig, workers: tuple[int, ...]) -> list[Data]:
    return order_to_json([config.workers[worker] for worker in workers])


def _round_began(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    return {"order": _order(config, entry[2:])}


def _seat(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    return {"seat": entry[1]}


def _hired(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    return {"seat": entry[1], "companion": config.workers[entry[2]][1]}


def _revealed(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    cards = []
    for seat in range(config.players):
        shown = {"seat": seat, "big": entry[1 + 2 * seat], "little": entry[2 + 2 * seat]}
        if seat == jack_seat:
            shown["jack"] = entry[1 + JACK]
        cards.append(shown)
    return {"cards": cards}


def _stop(stop: int) -> int | None:
    return None if stop == TAVERN else stop


def _moved(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    _, number, start, end, pushed_number, pushed_from, pushed_to, fell_back = entry
    seat, worker = config.worker(number, jack_seat)
    pushed = None
    if pushed_number != NOBODY:
        pushed_seat, pushed_worker = config.worker(pushed_number, jack_seat)
        pushed = {"seat": pushed_seat, "worker": pushed_worker, "from": pushed_from, "to": pushed_to}
    return {
        "seat": seat,
        "worker": worker,
        "from": _stop(start),
        "to": _stop(end),
        "pushed": pushed,
        "fell_back": fell_back == 1,
    }


def _at_room(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    seat, worker = config.worker(entry[1], jack_seat)
    warehouse, room = config.rooms[entry[2]]
    return {"seat": seat, "worker": worker, "warehouse": warehouse, "room": room}


def _barrels(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    data = _at_room(config, entry, jack_seat)
    data["ships"] = {config.ships[entry[5 + dock]]: barrels for dock, barrels in config.tables.docks[entry[4]]}
    return data


def _sailed(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    filled_by = None if entry[6] == NOBODY else entry[6]
    return {"ship": config.ships[entry[1]], "paid": list(entry[2 : 2 + config.players]), "filled_by": filled_by}


def _drawn(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    return {"ship": config.ships[entry[1]], "last_six": entry[2] == 1}


def _order_changed(config: GameConfig, entry: tuple[int, ...], jack_seat: int) -> Data:
    return {"order": _order(config, entry[2:]), "shuffled": entry[1] == 1}


_KINDS: dict[int, tuple[str, Callable[[GameConfig, tuple[int, ...], int], Data]]] = {
    layout.ROUND_BEGAN: ("round_began", _round_began),
    layout.OFFERED_JACK: ("offered", _seat),
    layout.HIRED: ("jack_hired", _hired),
    layout.DECLINED: ("declined", _seat),
    layout.CHOSEN: ("chosen", _seat),
    layout.REVEALED: ("revealed", _revealed),
    layout.MOVED: ("moved", _moved),
    layout.COIN_TAKEN: ("coin_taken", _at_room),
    layout.LOADED: ("loaded", _barrels),
    layout.UNLOADED: ("unloaded", _barrels),
    layout.SAILED: ("ship_sailed", _sailed),
    layout.DRAWN: ("ship_drawn", _drawn),
    layout.ORDER_CHANGED: ("order_changed", _order_changed),
}
