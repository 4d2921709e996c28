"""What one seat may see of a game (PROTOCOL "Observation"), built up from the parts it sees, never stripped down."""

from dataclasses import dataclass

from service.engine.components import room_to_json
from service.engine.core.layout import (
    ABOARD,
    BANK,
    BARRELS_EACH,
    BERTH,
    CARD,
    COINS,
    DOCK,
    DOCKS_END,
    JACK,
    JACK_SEAT,
    LAST_SIX,
    NO_SHIP,
    NOBODY,
    ORDER,
    PHASE,
    PLACE,
    PLAY,
    POINTS,
    RESHUFFLE,
    STACK,
    SUPPLY,
    TAVERN,
    digit,
)
from service.engine.game import Game
from service.engine.game_config import GameConfig

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class GameHeader:
    """What everybody may see of a game and the engine does not know.

    `status` is open, running, finished or aborted; `names` are by seat, None where nobody sits yet; `deal` is drawn,
    seeded or given.
    """

    game: str
    version: int
    status: str
    names: tuple[str | None, ...]
    commitment: str
    deal: str


def observe(game: Game, seat: int | None, header: GameHeader) -> Json:
    """What a seat may see; with None, what a spectator may see. Equal states give equal JSON, members in one order."""
    core = game.core
    running = header.status == "running"
    decisions = game.decisions if running else ()
    unseen = core[STACK:]
    return {
        "game": header.game,
        "version": header.version,
        "status": header.status,
        "players": game.players,
        "variants": game.variants.to_json(),
        "seat": seat,
        "round": game.round,
        "phase": game.phase,
        "decisions": [decision.to_json() for decision in decisions],
        "due": [decision.seat for decision in decisions],
        "board": _board(game.config),
        "workers": _workers(game.config, core),
        "order": [_worker(game.config, worker) for worker in core[ORDER : ORDER + 2 * game.players]],
        "docks": _docks(game.config, core),
        "stack": len(unseen),
        "unseen": sorted((_ship(game.config, ship) for ship in unseen), key=lambda ship: str(ship["ship"])),
        "last_six": 0 < len(unseen) <= LAST_SIX,
        "reshuffle": core[RESHUFFLE] == 1,
        "bank": core[BANK],
        "jack": None if game.jack is None else {"seat": game.jack[0], "companion": game.jack[1]},
        "seats": [_seat(game, number, header.names[number]) for number in range(game.players)],
        "cards": None if seat is None or game.outcome is not None else game.cards(seat),
        "deal": header.deal,
        "commitment": header.commitment,
        "places": None if game.outcome is None or game.outcome.places is None else list(game.outcome.places),
    }


def _board(config: GameConfig) -> list[Json]:
    houses = {house.id: house for house in config.components.warehouses}
    return [
        {
            "warehouse": house,
            "upper": room_to_json(houses[house].upper),
            "lower": room_to_json(houses[house].lower),
        }
        for house in config.board
    ]


def _worker(config: GameConfig, worker: int) -> Json:
    seat, name = config.workers[worker]
    return {"seat": seat, "worker": name}


def _workers(config: GameConfig, core: tuple[int, ...]) -> list[Json]:
    workers: list[Json] = [
        {**_worker(config, worker), "stop": _stop(core, worker)} for worker in range(2 * config.players)
    ]
    if core[JACK_SEAT] != NOBODY:
        workers.append({"seat": core[JACK_SEAT], "worker": "jack", "stop": _stop(core, JACK)})
    return workers


def _stop(core: tuple[int, ...], worker: int) -> int | None:
    return None if core[PLACE + worker] == TAVERN else core[PLACE + worker]


def _docks(config: GameConfig, core: tuple[int, ...]) -> list[Json]:
    return [
        {**_ship(config, core[dock]), "barrels": [digit(core[dock + ABOARD], seat) for seat in range(config.players)]}
        for dock in range(DOCK, DOCKS_END, BERTH)
        if core[dock] != NO_SHIP
    ]


def _ship(config: GameConfig, ship: int) -> Json:
    return {
        "ship": config.ships[ship],
        "capacity": config.tables.capacity[ship],
        "points": list(config.tables.points[ship]),
    }


def _seat(game: Game, seat: int, name: str | None) -> Json:
    core = game.core
    choosing = core[PHASE] == PLAY and game.outcome is None
    return {
        "seat": seat,
        "name": name,
        "points": core[POINTS + seat],
        "coins": core[COINS + seat],
        "supply": core[SUPPLY + seat],
        "aboard": BARRELS_EACH - core[SUPPLY + seat],
        "chosen": choosing and core[CARD + 2 * seat] != 0,
        "resigned": seat in game.resigned,
    }
