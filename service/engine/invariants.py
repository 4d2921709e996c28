"""What is true of every state of the core. A state put together outside that breaks any of it is refused."""

from service.engine.core.clear import load, unload
from service.engine.core.hire import offer_jack
from service.engine.core.layout import (
    ABOARD,
    AT,
    BANK,
    BARRELS_EACH,
    BERTH,
    CARD,
    COINS,
    COINS_IN_ALL,
    COMPANION,
    DIGIT,
    DOCK,
    DOCKS,
    DOCKS_END,
    FREE,
    HAND,
    HIRE,
    JACK,
    JACK_SEAT,
    KEY,
    LOAD,
    NO_SHIP,
    NOBODY,
    OFFERED,
    ORDER,
    OVER,
    PHASE,
    PLACE,
    PLAY,
    POINTS,
    RESHUFFLE,
    ROUND,
    ROW,
    SEAT,
    SEATS,
    STACK,
    STOP,
    STOPS,
    SUPPLY,
    TAVERN,
    UNLOAD,
    WORKERS,
    State,
    digit,
)
from service.engine.core.lookup_tables import CARDS
from service.engine.core.play import play_key
from service.engine.errors import InvalidInput
from service.engine.game_config import GameConfig


def check_core(config: GameConfig, core: State) -> None:
    """Raises InvalidInput for a state that cannot occur in a game."""
    if len(core) < STACK:
        raise _impossible(f"must have {STACK} numbers or more, not {len(core)}")
    _check_seats(config, core)
    _check_ships(config, core)
    _check_board(config, core)
    _check_jack(config, core)
    if not _is_asked(config, core):
        raise _impossible("asks for nothing that can be asked there")


def _impossible(reason: str) -> InvalidInput:
    return InvalidInput(("core",), reason)


def _check_seats(config: GameConfig, core: State) -> None:
    players = config.players
    for first in (POINTS, COINS, SUPPLY):
        if min(core[first : first + players]) < 0 or any(core[first + players : first + SEATS]):
            raise _impossible("has a seat with less than nothing, or one that is not played with something")
    if core[BANK] < 0 or core[BANK] + sum(core[COINS : COINS + players]) != COINS_IN_ALL:
        raise _impossible(f"does not hold {COINS_IN_ALL} coins in all")
    for seat in range(players):
        aboard = sum(digit(core[dock + ABOARD], seat) for dock in range(DOCK, DOCKS_END, BERTH))
        if core[SUPPLY + seat] + aboard != BARRELS_EACH:
            raise _impossible(f"does not hold {BARRELS_EACH} barrels of seat {seat}")
    if core[ROUND] < 1 or core[RESHUFFLE] not in (0, 1) or core[OFFERED] not in range(1 << players):
        raise _impossible("has an impossible round, reshuffle flag or offer")


def _check_ships(config: GameConfig, core: State) -> None:
    docked = [core[dock] for dock in range(DOCK, DOCKS_END, BERTH) if core[dock] != NO_SHIP]
    ships = docked + core[STACK:]
    if len(set(ships)) != len(ships) or not set(ships) <= set(range(len(config.ships))):
        raise _impossible("has a ship that does not exist, or one twice")
    if config.tables.pilot in core[STACK:]:
        raise _impossible("has the pilot boat in the stack")
    if [core[dock] for dock in range(DOCK, DOCK + BERTH * len(docked), BERTH)] != docked:
        raise _impossible("has a dock that is empty, and a ship behind it")
    if len(core) > STACK and len(docked) < DOCKS:
        raise _impossible("has a dock that is empty, though there are ships left")
    if not 0 <= core[FREE] <= ROW:
        raise _impossible("has free capacity that no row can hold")
    for dock in range(DOCKS):
        ship, aboard = core[DOCK + BERTH * dock : DOCK + BERTH * (dock + 1)]
        capacity = 0 if ship == NO_SHIP else config.tables.capacity[ship]
        load = [digit(core[FREE], dock), *(digit(aboard, seat) for seat in range(config.players))]
        if sum(load) != capacity or not 0 <= aboard < 1 << DIGIT * config.players:
            raise _impossible("has a ship with more or less in it than it can hold")


def _check_board(config: GameConfig, core: State) -> None:
    workers = range(2 * config.players)
    for worker in workers:
        place = core[PLACE + worker]
        if place != TAVERN and (place not in range(config.tables.stops) or core[AT + place] != worker):
            raise _impossible(f"has worker {worker} on a stop where it is not")
    for stop in range(STOPS):
        worker = core[AT + stop]
        if worker != NOBODY and (worker not in (*workers, JACK) or core[PLACE + worker] != stop):
            raise _impossible(f"has a worker on stop {stop} that is elsewhere")
    if sorted(core[ORDER : ORDER + 2 * config.players]) != list(workers):
        raise _impossible("has an order that does not name every worker once")
    if any(core[ORDER + 2 * config.players : ORDER + 2 * SEATS]):
        raise _impossible("has workers of seats that are not played")


def _check_jack(config: GameConfig, core: State) -> None:
    seat = core[JACK_SEAT]
    place = core[PLACE + JACK]
    if seat == NOBODY:
        if core[COMPANION] != NOBODY or place != TAVERN:
            raise _impossible("has Jack on the path, whom nobody has hired")
        return
    if seat not in range(config.players) or core[COMPANION] not in (2 * seat, 2 * seat + 1):
        raise _impossible("has Jack hired by a seat that does not exist")
    if place not in (TAVERN, *range(config.tables.stops)):
        raise _impossible("has Jack on a stop that does not exist")
    with_companion = core[PHASE] == PLAY and place == core[PLACE + core[COMPANION]]
    if place != TAVERN and core[AT + place] != JACK and not with_companion:
        raise _impossible("has Jack on a stop where he is not")


def _is_asked(config: GameConfig, core: State) -> bool:
    """Whether the state waits for a decision that the core itself would wait for."""
    phase, seat = core[PHASE], core[SEAT]
    if phase == OVER:
        return seat == 0
    if seat not in range(config.players):
        return False
    if phase == PLAY:
        return _is_play(config, core)
    if phase == HIRE:
        asked = list(core)
        asked[OFFERED] &= ~(1 << seat)
        chosen = any(core[CARD : CARD + WORKERS])
        return (
            core[JACK_SEAT] == NOBODY and not chosen and offer_jack(asked, config.tables, None, None) and asked == core
        )
    return phase in (LOAD, UNLOAD) and _is_room(config, core)


def _is_play(config: GameConfig, core: State) -> bool:
    """Whether the seat to act is the first one that has not chosen."""
    choosing = []
    for seat in range(config.players):
        big, little = core[CARD + 2 * seat : CARD + 2 * seat + 2]
        if big == little == 0:
            choosing.append(seat)
        elif big not in range(1, CARDS + 1) or little not in range(1, CARDS + 1):
            return False
    jack = core[CARD + JACK]
    if jack not in range(CARDS + 1) or (core[JACK_SEAT] in (NOBODY, *choosing)) != (jack == 0):
        return False
    return bool(choosing) and core[SEAT] == choosing[0] and core[KEY] == play_key(core, choosing[0])


def _is_room(config: GameConfig, core: State) -> bool:
    """Whether a worker of the seat to act stands at a room that leaves something to choose."""
    seat, stop = core[SEAT], core[STOP]
    worker = core[AT + stop] if stop in range(config.tables.stops) else NOBODY
    if worker == NOBODY or (worker >> 1 if worker != JACK else core[JACK_SEAT]) != seat:
        return False
    room = next(visit for visit in config.tables.visits[0] if visit[0] == stop)
    good, broken = room[1], room[2]
    asked = list(core)
    if core[PHASE] == LOAD:
        if not 0 < core[HAND] <= min(good, core[SUPPLY + seat]):
            return False
        return load(asked, config.tables, seat, core[HAND], stop, None, None) and asked == core
    if worker == JACK or broken == 0:
        return False
    return unload(asked, config.tables, seat, broken, stop, None, None) and asked == core
