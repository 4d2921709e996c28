"""A whole game as JSON and back, exactly: hidden things included. For stores, tools and tests."""

from typing import NamedTuple

from service.engine.box import Box
from service.engine.chance import parse_seed
from service.engine.checks import check_core
from service.engine.components import components_to_json, parse_components, parse_players
from service.engine.core.layout import OVER, PHASE
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
