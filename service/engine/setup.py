"""How a game begins: variants (RULES "Variants"), seeds (RULES "Chance"), their commitment, and the setup."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from service.chance import draw_hash, shuffled
from service.engine.components import ComponentSet
from service.engine.errors import InvalidInput, NoOrder, Path
from service.engine.json_checks import between, members, one_of, permutation, sequence, shown, string

TALLIES = ("warehouses", "circuit")
LAST_PLACES = ("paid", "unpaid")
MAX_STARTING_COINS = 3


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants of a game (RULES "Variants"). `starting_coins` is 0 to 3."""

    tally: str = "warehouses"
    last_place: str = "paid"
    starting_coins: int = 0

    def to_json(self) -> dict[str, object]:
        return {"tally": self.tally, "last_place": self.last_place, "starting_coins": self.starting_coins}


def parse_variants(value: object) -> Variants:
    """Variants from JSON, defaults filled in. Raises InvalidInput."""
    found = members(value, (), (), ("tally", "last_place", "starting_coins"))
    return Variants(
        one_of(found.get("tally", "warehouses"), ("tally",), TALLIES),
        one_of(found.get("last_place", "paid"), ("last_place",), LAST_PLACES),
        between(found.get("starting_coins", 0), ("starting_coins",), 0, MAX_STARTING_COINS),
    )


MAX_SEED_LENGTH = 128
NONCE_BYTES = 16


def parse_seed(value: object, path: Path = ("seed",)) -> str:
    """A seed: 1 to 128 printable characters. Raises InvalidInput."""
    seed = string(value, path)
    if not 1 <= len(seed) <= MAX_SEED_LENGTH:
        raise InvalidInput(path, f"must have 1 to {MAX_SEED_LENGTH} characters, not {len(seed)}")
    if not seed.isprintable():
        raise InvalidInput(path, f"must be printable, unlike {shown(seed)}")
    return seed


def commitment(nonce: bytes, seed: str) -> str:
    """Hex SHA-256 of the nonce's 16 bytes, then the seed in UTF-8."""
    if len(nonce) != NONCE_BYTES:
        raise InvalidInput(("nonce",), f"must be {NONCE_BYTES} bytes, not {len(nonce)}")
    return sha256(nonce + seed.encode()).hexdigest()


def block_seed(tournament_seed: str, block: int) -> str:
    """The seed of a tournament's block, counted from 0."""
    return draw_hash(tournament_seed, "block", block).hex()


def match_seed(block_seed: str, attempt: int, seating: int) -> str:
    """The seed of a match in a block. `attempt` and `seating` count from 0."""
    return draw_hash(block_seed, f"match.{attempt}", seating).hex()


Token = tuple[int, str]
"""A worker in the movement order: seat, then "big" or "little"."""

Order = tuple[Token, ...]

WORKER_NAMES = ("big", "little")
DOCKED = 3
SECRETS = ("seed", "nonce", "block_seed")


@dataclass(frozen=True, slots=True)
class Setup:
    """Warehouses from left to right, cargo ships in drawing order (the first three are docked), order first to last."""

    warehouses: tuple[str, ...]
    ships: tuple[str, ...]
    order: Order


@dataclass(frozen=True, slots=True)
class Reshuffles:
    """Where a shuffled order comes from: the order given for that round, or else the seed."""

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
    return tuple((seat, worker) for seat in range(players) for worker in WORKER_NAMES)


def draw_setup(components: ComponentSet, players: int, seed: str, block_seed: str | None = None) -> Setup:
    """A setup drawn from a seed (RULES "Chance"). With a block's seed, everything visible at the start comes from that
    one."""
    visible = seed if block_seed is None else block_seed
    warehouses = shuffled(visible, "warehouses", [house.id for house in components.warehouses])
    ships = shuffled(visible, "ships", [ship.id for ship in components.ships])
    stack = shuffled(seed, "stack", ships[DOCKED:])
    order = shuffled(visible, "order", all_tokens(players))
    return Setup(tuple(warehouses), (*ships[:DOCKED], *stack), tuple(order))


def parse_setup(value: object, components: ComponentSet, players: int) -> Setup:
    """A setup from JSON, as in a record; seeds and nonce in it are ignored. Raises InvalidInput."""
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
        token = (seat, one_of(found["worker"], (*here, "worker"), WORKER_NAMES))
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
    """The setup as `parse_setup` reads it, without seeds."""
    return {
        "warehouses": list(setup.warehouses),
        "ships": list(setup.ships),
        "order": order_to_json(setup.order),
    }
