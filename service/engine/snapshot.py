"""A whole game as JSON and back, exactly: hidden things included. For stores, tools and tests."""

from typing import NamedTuple

from service.engine.box import Box
from service.engine.chance import parse_seed
from service.engine.components import components_to_json, parse_components, parse_players
from service.engine.core.layout import (
    ABOARD,
    AT,
    BANK,
    BARRELS_EACH,
    BERTH,
    COINS,
    COINS_IN_ALL,
    DOCK,
    DOCKS,
    DOCKS_END,
    FREE,
    JACK,
    KEY,
    NO_SHIP,
    NOBODY,
    ORDER,
    OVER,
    PHASE,
    PLACE,
    PLAY,
    ROW,
    SEAT,
    SHUFFLE,
    STACK,
    STOP,
    SUPPLY,
    TAVERN,
    digit,
)
from service.engine.core.options import KEYS
from service.engine.decisions import NONE_ASKED
from service.engine.errors import InvalidInput
from service.engine.facts import GameFacts, Outcome
from service.engine.setup import Reshuffles, order_to_json, parse_orders
from service.engine.shapes import between, integer, members, one_of, permutation, sequence
from service.engine.variants import parse_variants

ENDINGS = ("played", "resigned", "aborted")
_MEMBERS = ("players", "variants", "components", "warehouses", "reshuffles", "core", "asked", "resigned", "outcome")


class Parts(NamedTuple):
    """What a game is made of."""

    box: Box
    reshuffles: Reshuffles
    core: list[int]
    asked: tuple[int, ...]
    resigned: frozenset[int]
    outcome: Outcome | None


def outcome_to_json(outcome: Outcome) -> dict[str, object]:
    """As the member `result` of a record."""
    return {
        "points": list(outcome.points),
        "places": None if outcome.places is None else list(outcome.places),
        "rounds": outcome.rounds,
        "ended": outcome.ended,
    }


def parse_outcome(value: object, players: int) -> Outcome:
    """An outcome from JSON. Judges its shape only. Raises InvalidInput."""
    found = members(value, (), ("points", "places", "rounds", "ended"))
    ended = one_of(found["ended"], ("ended",), ENDINGS)
    places = None
    if ended == "aborted":
        if found["places"] is not None:
            raise InvalidInput(("places",), "must be null in a game that was aborted")
    else:
        places = _integers(found["places"], "places", players)
    return Outcome(_integers(found["points"], "points", players), places, integer(found["rounds"], ("rounds",)), ended)


def game_to_json(game: GameFacts) -> dict[str, object]:
    """`core` is the flat state that `service.engine.core.layout` describes."""
    return {
        "players": game.players,
        "variants": game.variants.to_json(),
        "components": components_to_json(game.components),
        "warehouses": list(game.box.board),
        "reshuffles": {
            "seed": game.reshuffles.seed,
            "given": [order_to_json(order) for order in game.reshuffles.given],
        },
        "core": list(game.core),
        "asked": list(game.asked),
        "resigned": sorted(game.resigned),
        "outcome": None if game.outcome is None else outcome_to_json(game.outcome),
    }


def parse_game(value: object) -> Parts:
    """The parts of a game from JSON. Raises InvalidInput if they cannot be those of a game."""
    found = members(value, (), _MEMBERS)
    players = parse_players(found["players"])
    components = parse_components(found["components"], players)
    ids = [house.id for house in components.warehouses]
    board = permutation(found["warehouses"], ("warehouses",), ids, "warehouse")
    box = Box(players, parse_variants(found["variants"]), components, board)
    source = members(found["reshuffles"], ("reshuffles",), ("seed", "given"))
    seed = None if source["seed"] is None else parse_seed(source["seed"], ("reshuffles", "seed"))
    core = [integer(number, ("core", i)) for i, number in enumerate(sequence(found["core"], ("core",)))]
    check_core(box, core)
    asked = _integers(found["asked"], "asked", len(NONE_ASKED))
    resigned = frozenset(
        between(seat, ("resigned", i), 0, players - 1)
        for i, seat in enumerate(sequence(found["resigned"], ("resigned",)))
    )
    outcome = None if found["outcome"] is None else parse_outcome(found["outcome"], players)
    if core[PHASE] == OVER and outcome is None:
        raise InvalidInput(("outcome",), "is missing from a game that is over")
    return Parts(box, Reshuffles(seed, parse_orders(source["given"], players)), core, asked, resigned, outcome)


def _integers(value: object, name: str, count: int) -> tuple[int, ...]:
    numbers = tuple(integer(number, (name, i)) for i, number in enumerate(sequence(value, (name,))))
    if len(numbers) != count:
        raise InvalidInput((name,), f"must be {count} numbers, not {len(numbers)}")
    return numbers


def check_core(box: Box, core: list[int]) -> None:
    """Refuses a state that breaks what is true of every state, before the core relies on it."""
    if len(core) < STACK:
        raise InvalidInput(("core",), f"must have {STACK} numbers or more, not {len(core)}")
    _check_ships(box, core)
    _check_board(box, core)
    players = box.players
    if core[BANK] < 0 or core[BANK] + sum(core[COINS : COINS + players]) != COINS_IN_ALL:
        raise InvalidInput(("core",), f"does not hold {COINS_IN_ALL} coins in all")
    for seat in range(players):
        aboard = sum(digit(core[dock + ABOARD], seat) for dock in range(DOCK, DOCKS_END, BERTH))
        if core[SUPPLY + seat] + aboard != BARRELS_EACH:
            raise InvalidInput(("core",), f"does not hold {BARRELS_EACH} barrels of seat {seat}")
    if core[PHASE] not in range(OVER + 1) or core[PHASE] == SHUFFLE or core[SEAT] not in range(players):
        raise InvalidInput(("core",), "waits for nothing that exists")
    if core[STOP] not in range(box.tables.stops) or core[KEY] not in range(KEYS):
        raise InvalidInput(("core",), "asks for nothing that exists")
    if core[PHASE] not in (PLAY, OVER) and not box.tables.options[core[KEY]]:
        raise InvalidInput(("core",), "asks where there is nothing to choose")


def _check_ships(box: Box, core: list[int]) -> None:
    docked = [core[dock] for dock in range(DOCK, DOCKS_END, BERTH) if core[dock] != NO_SHIP]
    ships = docked + core[STACK:]
    if len(set(ships)) != len(ships) or not set(ships) <= set(range(len(box.ships))):
        raise InvalidInput(("core",), "has a ship that does not exist, or one twice")
    if [core[dock] for dock in range(DOCK, DOCK + BERTH * len(docked), BERTH)] != docked:
        raise InvalidInput(("core",), "has a dock that is empty, and a ship behind it")
    if len(core) > STACK and len(docked) < DOCKS:
        raise InvalidInput(("core",), "has a dock that is empty, though there are ships left")
    for dock in range(DOCKS):
        ship, aboard = core[DOCK + BERTH * dock : DOCK + BERTH * (dock + 1)]
        capacity = 0 if ship == NO_SHIP else box.tables.capacity[ship]
        load = [digit(core[FREE], dock), *(digit(aboard, seat) for seat in range(box.players))]
        if sum(load) != capacity or not 0 <= aboard <= ROW:
            raise InvalidInput(("core",), "has a ship with more or less in it than it can hold")


def _check_board(box: Box, core: list[int]) -> None:
    workers = [*range(2 * box.players), JACK]
    for worker in workers[:-1]:
        place = core[PLACE + worker]
        if place != TAVERN and (place not in range(box.tables.stops) or core[AT + place] != worker):
            raise InvalidInput(("core",), f"has worker {worker} on a stop where it is not")
    standing = {stop: core[AT + stop] for stop in range(box.tables.stops) if core[AT + stop] != NOBODY}
    for stop, worker in standing.items():
        if worker not in workers or core[PLACE + worker] != stop:
            raise InvalidInput(("core",), f"has a worker on stop {stop} that is not there")
    if sorted(core[ORDER : ORDER + 2 * box.players]) != workers[:-1]:
        raise InvalidInput(("core",), "has an order that does not name every worker once")
