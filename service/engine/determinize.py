"""A full state drawn at random from what one seat sees, for search. It uses the observation only, never the true state.

A seat cannot see the order of the stack, later reshuffles, and the cards of other seats before the reveal. All of these
are drawn uniformly: nothing that a seat has seen makes one order or one card more likely than another.
"""

from collections.abc import Mapping
from typing import Any

from service.chance import Draws, shuffled
from service.engine.components import ComponentSet
from service.engine.core.clear import load, unload
from service.engine.core.hire import next_offer, offer_jack
from service.engine.core.layout import (
    ABOARD,
    BANK,
    BERTH,
    CARD,
    COINS,
    COMPANION,
    DIGIT,
    DOCK,
    DOCKS,
    FREE,
    JACK,
    JACK_SEAT,
    NO_SHIP,
    NOBODY,
    OFFERED,
    ORDER,
    PLACE,
    POINTS,
    RESHUFFLE,
    ROUND,
    STACK,
    STOPS,
    SUPPLY,
    TAVERN,
    WORKERS,
    State,
)
from service.engine.core.play import choose_cards, open_cards, play_key
from service.engine.decisions import NONE_ASKED, asked_before
from service.engine.errors import InvalidInput
from service.engine.game import Game
from service.engine.game_config import GameConfig
from service.engine.invariants import check_core
from service.engine.json_checks import permutation
from service.engine.setup import Reshuffles, parse_variants

View = Mapping[str, Any]


def determinize(observation: View, components: ComponentSet, seed: str) -> Game:
    """A game that agrees with this observation, drawn from a seed, each with equal chance.

    Its open decisions are those of the observation. The ids of later decisions of other seats in the same round may
    differ in their last number, since an observation does not say how many decisions a seat has had. Raises
    InvalidInput if the value is not an observation of a game that goes on.
    """
    try:
        return _drawn(observation, components, seed)
    except (KeyError, IndexError, TypeError, ValueError, StopIteration) as error:
        raise InvalidInput((), f"is not an observation with these components: {error!r}") from error


def _drawn(view: View, components: ComponentSet, seed: str) -> Game:
    if view["phase"] == "over":
        raise InvalidInput(("phase",), "the game is over")
    houses = [house.id for house in components.warehouses]
    board = permutation([entry["warehouse"] for entry in view["board"]], ("board",), houses, "warehouse")
    config = GameConfig(view["players"], parse_variants(view["variants"]), components, board)
    core = _seen(config, view)
    core.extend(shuffled(seed, "stack", sorted(config.ships.index(ship["ship"]) for ship in view["unseen"])))
    asked = NONE_ASKED
    if view["phase"] == "hire":
        _offer(config, core, view)
    elif view["phase"] == "play":
        _choose(config, core, view, seed)
    else:
        asked = _ask(config, core, view["decisions"][0])
        _keep_own_cards(core, view)
    check_core(config, core)
    resigned = frozenset(seat["seat"] for seat in view["seats"] if seat["resigned"])
    return Game(config, Reshuffles(seed), tuple(core), asked, resigned)


def _seen(config: GameConfig, view: View) -> State:
    """The part of the state that everybody can see."""
    core = [0] * STACK
    core[:STOPS] = [NOBODY] * STOPS
    core[PLACE : PLACE + WORKERS] = [TAVERN] * WORKERS
    core[JACK_SEAT] = core[COMPANION] = NOBODY
    if view["jack"] is not None:
        core[JACK_SEAT] = view["jack"]["seat"]
        core[COMPANION] = config.number(view["jack"]["seat"], view["jack"]["companion"])
    if len(view["workers"]) != 2 * config.players + (view["jack"] is not None):
        raise ValueError("some workers are missing")
    for entry in view["workers"]:
        number = JACK if entry["worker"] == "jack" else config.number(entry["seat"], entry["worker"])
        if entry["stop"] is not None:
            core[PLACE + number] = entry["stop"]
            # Until Jack moves, he is at the stop of his companion, but the stop is the companion's.
            if number != JACK or view["phase"] == "clear":
                core[entry["stop"]] = number
    core[ORDER : ORDER + 2 * config.players] = [
        config.number(token["seat"], token["worker"]) for token in view["order"]
    ]
    for entry in view["seats"]:
        seat = entry["seat"]
        core[POINTS + seat], core[COINS + seat], core[SUPPLY + seat] = entry["points"], entry["coins"], entry["supply"]
    _dock(config, core, view["docks"])
    core[BANK] = view["bank"]
    core[ROUND] = view["round"]
    core[RESHUFFLE] = 1 if view["reshuffle"] else 0
    return core


def _dock(config: GameConfig, core: State, docks: list[View]) -> None:
    for dock in range(DOCKS):
        core[DOCK + BERTH * dock] = NO_SHIP
    for dock, entry in enumerate(docks):
        ship = config.ships.index(entry["ship"])
        core[DOCK + BERTH * dock] = ship
        for seat, barrels in enumerate(entry["barrels"]):
            core[DOCK + BERTH * dock + ABOARD] += barrels << DIGIT * seat
        core[FREE] += config.tables.capacity[ship] - sum(entry["barrels"]) << DIGIT * dock


def _offer(config: GameConfig, core: State, view: View) -> None:
    """Jack was declined by all seats that come before the one that is asked."""
    if view["decisions"]:
        while (seat := next_offer(core, config.tables)) != view["decisions"][0]["seat"]:
            if seat == NOBODY:
                raise ValueError("nobody is offered Jack here")
            core[OFFERED] |= 1 << seat
    if not offer_jack(core, config.tables, None, None):
        raise ValueError("nobody is offered Jack here")


def _choose(config: GameConfig, core: State, view: View, seed: str) -> None:
    """Cards that are chosen: the seat's own as it knows them, and random ones for other seats that have chosen."""
    open_cards(core)
    for entry in view["seats"]:
        seat = entry["seat"]
        if not entry["chosen"]:
            continue
        if seat == view["seat"]:
            code = view["cards"]["big"] + 8 * view["cards"]["little"] + 64 * view["cards"].get("jack", 0)
        else:
            options = config.tables.options[play_key(core, seat)]
            code = options[Draws(seed, f"cards.{seat}").below(len(options))]
        if choose_cards(core, config.tables, seat, code, None):
            raise ValueError("all have chosen")


def _keep_own_cards(core: State, view: View) -> None:
    """Keeps the seat's own cards, which it sees until the round ends."""
    if view["cards"] is not None:
        seat = view["seat"]
        core[CARD + 2 * seat] = view["cards"]["big"]
        core[CARD + 2 * seat + 1] = view["cards"]["little"]
        core[CARD + JACK] = view["cards"].get("jack", 0)


def _ask(config: GameConfig, core: State, decision: View) -> tuple[int, ...]:
    """Brings the state to the decision about a room, and returns the counts of decisions before it."""
    stop = config.rooms.index((decision["warehouse"], decision["room"]))
    seat = decision["seat"]
    settle = load if decision["type"] == "load" else unload
    if not settle(core, config.tables, seat, decision["barrels"], stop, None, None):
        raise ValueError("there is nothing to choose")
    return asked_before(decision["type"], seat, int(decision["id"].rsplit(".", 1)[1]))
