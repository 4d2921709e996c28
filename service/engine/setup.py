"""How a game starts: board, ships and movement order, drawn from a seed or given (RULES "Setup")."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from service.chance import shuffled
from service.engine.components import ComponentSet
from service.engine.errors import EngineError, InvalidInput, Path
from service.engine.shapes import between, members, one_of, permutation, sequence

Token = tuple[int, str]
"""A worker in the movement order: seat, then "big" or "little"."""

Order = tuple[Token, ...]

WORKERS = ("big", "little")
DOCKED = 3
SECRETS = ("seed", "nonce", "block_seed")


@dataclass(frozen=True, slots=True)
class Setup:
    """Warehouses from left to right, cargo ships in drawing order (the first three are docked), order first to last."""

    warehouses: tuple[str, ...]
    ships: tuple[str, ...]
    order: Order


class NoOrder(EngineError):
    """A reshuffle for which there is neither a given order nor a seed."""

    def __init__(self, round_number: int) -> None:
        super().__init__(round_number)
        self.round = round_number

    def __str__(self) -> str:
        return f"the order is shuffled before round {self.round}, but neither an order nor a seed is given for it"


@dataclass(frozen=True, slots=True)
class Reshuffles:
    """Where the order comes from when it is shuffled: the given order of that round, else the seed."""

    seed: str | None
    given: tuple[Order, ...] = ()

    def order_for(self, round_number: int, players: int) -> Order:
        """The order shuffled before a round (counted from 1). Raises NoOrder."""
        if 0 < round_number <= len(self.given):
            return self.given[round_number - 1]
        if self.seed is None:
            raise NoOrder(round_number)
        return tuple(shuffled(self.seed, f"order.{round_number}", all_tokens(players)))


@cache
def all_tokens(players: int) -> Order:
    """The tokens by seat, big before little."""
    return tuple((seat, worker) for seat in range(players) for worker in WORKERS)


def draw_setup(components: ComponentSet, players: int, seed: str, block_seed: str | None = None) -> Setup:
    """A setup from a seed (PROTOCOL "Chance"). With a block's seed, what can be seen at the start comes from that."""
    visible = seed if block_seed is None else block_seed
    warehouses = shuffled(visible, "warehouses", [house.id for house in components.warehouses])
    ships = shuffled(visible, "ships", [ship.id for ship in components.ships])
    stack = shuffled(seed, "stack", ships[DOCKED:])
    order = shuffled(visible, "order", all_tokens(players))
    return Setup(tuple(warehouses), (*ships[:DOCKED], *stack), tuple(order))


def parse_setup(value: object, components: ComponentSet, players: int) -> Setup:
    """A setup from JSON, as in a record; its seeds and nonce are ignored. Raises InvalidInput."""
    found = members(value, (), ("warehouses", "ships", "order"), SECRETS)
    return Setup(
        permutation(found["warehouses"], ("warehouses",), [h.id for h in components.warehouses], "warehouse"),
        permutation(found["ships"], ("ships",), [ship.id for ship in components.ships], "ship"),
        parse_order(found["order"], ("order",), players),
    )


def parse_order(value: object, path: Path, players: int) -> Order:
    """A movement order from JSON: every worker once."""
    tokens: list[Token] = []
    for i, item in enumerate(sequence(value, path)):
        here = (*path, i)
        found = members(item, here, ("seat", "worker"))
        seat = between(found["seat"], (*here, "seat"), 0, players - 1)
        token = (seat, one_of(found["worker"], (*here, "worker"), WORKERS))
        if token in tokens:
            raise InvalidInput(here, f"{token[1]} of seat {seat} is named twice")
        tokens.append(token)
    for seat, worker in all_tokens(players):
        if (seat, worker) not in tokens:
            raise InvalidInput(path, f"{worker} of seat {seat} is missing")
    return tuple(tokens)


def parse_orders(value: object, players: int) -> tuple[Order, ...]:
    """Movement orders by round, from round 1 on. Raises InvalidInput."""
    return tuple(parse_order(item, (i,), players) for i, item in enumerate(sequence(value, ())))


def order_to_json(order: Sequence[Token]) -> list[dict[str, object]]:
    return [{"seat": seat, "worker": worker} for seat, worker in order]


def setup_to_json(setup: Setup) -> dict[str, object]:
    """As `parse_setup` reads it; without seeds."""
    return {
        "warehouses": list(setup.warehouses),
        "ships": list(setup.ships),
        "order": order_to_json(setup.order),
    }
