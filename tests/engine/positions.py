"""Positions laid out by hand, and a few words to play on from them.

Workers are named "0 big", "2 little", "jack". The board has empty rooms but where a test puts something; ships at the
docks 0 to 3 are "a", "b", "c", "d" (the pilot boat is "pilot"), those of the stack "t1", "t2", … from the top.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from service.engine.actions import Action, Decline, Hire, Load, Play, Unload
from service.engine.components import ComponentSet, Room, Ship, Warehouse, number_of_warehouses
from service.engine.core import flow
from service.engine.core.layout import (
    ABOARD,
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
    NO_SHIP,
    NOBODY,
    PLACE,
    POINTS,
    ROUND,
    STACK,
    SUPPLY,
)
from service.engine.events import Event
from service.engine.game import Game, Step
from service.engine.invariants import check_core
from service.engine.setup import Order, Reshuffles, Setup, Variants, all_tokens

EMPTY = Room(0, 0, 0)
COIN = Room(0, 0, 1)
Dock = tuple[int, tuple[int, int, int], tuple[int, ...]]
"""Capacity, points, barrels by seat. Capacity 0 is the pilot boat."""

PILOT: Dock = (0, (0, 0, 0), ())
WIDE: Dock = (16, (7, 4, 3), ())
Cards = tuple[int, int] | tuple[int, int, int]


def good(barrels: int, coin: int = 0) -> Room:
    return Room(barrels, 0, coin)


def broken(barrels: int, coin: int = 0) -> Room:
    return Room(0, barrels, coin)


def lay(  # noqa: PLR0913 - a position has many parts
    players: int = 2,
    *,
    at: Mapping[str, int] | None = None,
    rooms: Mapping[int, Room] | None = None,
    docks: Sequence[Dock] = (PILOT, WIDE, WIDE, WIDE),
    stack: Sequence[tuple[int, tuple[int, int, int]]] = ((5, (5, 3, 2)),) * 9,
    order: Order | None = None,
    coins: Sequence[int] = (),
    points: Sequence[int] = (),
    round_number: int = 2,
    variants: Variants | None = None,
    orders: Sequence[Order] = (),
) -> Game:
    """A game at the start of a round. `at` gives the stops of the workers that are not in their tavern."""
    components = _components(players, rooms or {}, docks, stack)
    setup = Setup(
        tuple(house.id for house in components.warehouses),
        tuple(ship.id for ship in components.ships),
        order or all_tokens(players),
    )
    first = Game.deal(players, variants or Variants(), components, setup, Reshuffles("reshuffles", tuple(orders))).game
    core = list(first.core)
    for worker, stop in (at or {}).items():
        number = _number(worker)
        core[PLACE + number] = stop
        core[stop] = number
    _dock(core, docks, players, pilot=first.config.tables.pilot)
    core[STACK:] = [_docked(docks) + place for place in reversed(range(len(stack)))]
    core[POINTS : POINTS + players] = [*points, *[0] * (players - len(points))]
    core[COINS : COINS + players] = [*coins, *[0] * (players - len(coins))]
    core[BANK] = COINS_IN_ALL - sum(core[COINS : COINS + players])
    core[ROUND] = round_number - 1
    core[JACK_SEAT] = core[COMPANION] = -1
    flow.new_round(core, first.config.tables, None, None)
    check_core(first.config, core)
    return replace(first, core=tuple(core))


def _components(
    players: int, rooms: Mapping[int, Room], docks: Sequence[Dock], stack: Sequence[tuple[int, tuple[int, int, int]]]
) -> ComponentSet:
    width = number_of_warehouses(players)
    houses = tuple(
        Warehouse(f"w{i + 1}", rooms.get(i, EMPTY), rooms.get(2 * width - 1 - i, EMPTY)) for i in range(width)
    )
    docked = [Ship("abcd"[i], dock[0], dock[1]) for i, dock in enumerate(docks) if dock[0]]
    waiting = [Ship(f"t{i + 1}", capacity, points) for i, (capacity, points) in enumerate(stack)]
    # Sets have four ships or more; those that are not asked for never appear.
    spare = [Ship(f"spare{i}", 3, (0, 0, 0)) for i in range(4)]
    return ComponentSet((*docked, *waiting, *spare), houses)


def _docked(docks: Sequence[Dock]) -> int:
    return sum(1 for dock in docks if dock[0])


def _dock(core: list[int], docks: Sequence[Dock], players: int, pilot: int) -> None:
    number = 0
    core[SUPPLY : SUPPLY + players] = [BARRELS_EACH] * players
    core[FREE] = 0
    for place in range(DOCKS):
        field = DOCK + BERTH * place
        core[field], core[field + ABOARD] = NO_SHIP, 0
        if place >= len(docks):
            continue
        capacity, _, barrels = docks[place]
        if capacity == 0:
            core[field] = pilot
            continue
        core[field] = number
        number += 1
        for seat, count in enumerate(barrels):
            core[field + ABOARD] += count << DIGIT * seat
            core[SUPPLY + seat] -= count
        core[FREE] += capacity - sum(barrels) << DIGIT * place


def _number(worker: str) -> int:
    seat, kind = worker.split()
    return 2 * int(seat) + (kind == "little")


def tokens(*names: str) -> Order:
    """A movement order: `tokens("1 little", "0 big", …)`."""
    return tuple((int(name.split()[0]), name.split()[1]) for name in names)


def choose(game: Game, *cards: Cards) -> Step:
    """Every seat chooses its cards, in seat order: big, little, and Jack's if it has hired him."""
    step = Step(game, [], game.round, NOBODY)
    for seat, chosen in enumerate(cards):
        step = step.game.apply(f"{game.round}.play.{seat}.0", Play(*chosen))
    return step


def answer(game: Game, action: Action) -> Step:
    """The first open decision is settled so."""
    return game.apply(game.decisions[0].id, action)


def load(game: Game, **ships: int) -> Step:
    return answer(game, Load(tuple(ships.items())))


def unload(game: Game, **ships: int) -> Step:
    return answer(game, Unload(tuple(ships.items())))


def hire(game: Game, worker: str) -> Game:
    return answer(game, Hire("big" if worker == "big" else "little")).game


def decline(game: Game) -> Game:
    return answer(game, Decline()).game


def stops(game: Game) -> dict[str, int | None]:
    """Where everybody stands; None is the tavern."""
    found: dict[str, int | None] = {}
    for seat, kind in all_tokens(game.players):
        place = game.core[PLACE + _number(f"{seat} {kind}")]
        found[f"{seat} {kind}"] = None if place < 0 else place
    if game.jack is not None:
        place = game.core[PLACE + 8]
        found["jack"] = None if place < 0 else place
    return found


def docked(game: Game) -> dict[str, tuple[int, ...]]:
    """The docked ships, front first, with the barrels of each seat."""
    found = {}
    for place in range(DOCKS):
        ship, row = game.core[DOCK + BERTH * place : DOCK + BERTH * (place + 1)]
        if ship != NO_SHIP:
            found[game.config.ships[ship]] = tuple(row >> DIGIT * seat & 31 for seat in range(game.players))
    return found


def happened(events: Sequence[Event], kind: str) -> list[dict[str, Any]]:
    """What the events of one kind say, in order."""
    return [event.data for event in events if event.type == kind]


def supplies(game: Game) -> tuple[int, ...]:
    return game.core[SUPPLY : SUPPLY + game.players]


def coins(game: Game) -> tuple[int, ...]:
    return game.core[COINS : COINS + game.players]
