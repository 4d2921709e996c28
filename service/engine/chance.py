"""All chance comes from a seed by SHA-256 (PROTOCOL "Chance"), so that anybody can derive it in any language."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

from service.engine.errors import InvalidInput, Path
from service.engine.shapes import shown, string

T = TypeVar("T")

LONGEST_SEED = 128
NONCE_BYTES = 16
_WORD = 1 << 64


def parse_seed(value: object, path: Path = ("seed",)) -> str:
    """A seed: 1 to 128 printable characters. Raises InvalidInput."""
    seed = string(value, path)
    if not 1 <= len(seed) <= LONGEST_SEED:
        raise InvalidInput(path, f"must have 1 to {LONGEST_SEED} characters, not {len(seed)}")
    if not seed.isprintable():
        raise InvalidInput(path, f"must be printable, unlike {shown(seed)}")
    return seed


def draw_hash(seed: str, label: str, counter: int) -> bytes:
    """H(seed, label, counter), 32 bytes."""
    return sha256(seed.encode() + b"\0" + label.encode() + b"\0" + counter.to_bytes(8, "big")).digest()


class Draws:
    """One sequence of draws, from counter 0 on."""

    def __init__(self, seed: str, label: str) -> None:
        self._seed = seed
        self._label = label
        self._counter = 0

    def below(self, m: int) -> int:
        """The next number of 0..m-1, each with equal chance."""
        limit = _WORD // m * m
        while True:
            x = int.from_bytes(draw_hash(self._seed, self._label, self._counter)[:8], "big")
            self._counter += 1
            if x < limit:
                return x % m


def shuffled(seed: str, label: str, items: Sequence[T]) -> list[T]:
    """The items in an order drawn with this seed and label (Fisher-Yates from the last index down)."""
    result = list(items)
    draws = Draws(seed, label)
    for i in range(len(result) - 1, 0, -1):
        j = draws.below(i + 1)
        result[i], result[j] = result[j], result[i]
    return result


def commitment(nonce: bytes, seed: str) -> str:
    """Hex SHA-256 of the nonce's 16 bytes, then the seed in UTF-8."""
    if len(nonce) != NONCE_BYTES:
        raise InvalidInput(("nonce",), f"must be {NONCE_BYTES} bytes, not {len(nonce)}")
    return sha256(nonce + seed.encode()).hexdigest()


def block_seed(tournament_seed: str, block: int) -> str:
    """The seed of a tournament's block, counted from 0."""
    return draw_hash(tournament_seed, "block", block).hex()


def match_seed(block_seed: str, attempt: int, seating: int) -> str:
    """The seed of a block's match: of which seating, and for which time it is played, both from 0."""
    return draw_hash(block_seed, f"match.{attempt}", seating).hex()
