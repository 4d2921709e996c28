"""Numbers drawn from a seed by SHA-256 (RULES "Chance"), so that anybody can draw the same in any language.

The rules and the tournament arithmetic both use it and know nothing of each other: deals, schedules and resamples are
all drawn this way.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

_SPAN = 1 << 64


def hash_prefix(seed: str, label: str) -> bytes:
    """The common start of all hashed texts of (seed, label); the counter follows as 8 bytes, big-endian."""
    return seed.encode() + b"\0" + label.encode() + b"\0"


def draw_hash(seed: str, label: str, counter: int) -> bytes:
    """H(seed, label, counter), 32 bytes."""
    return sha256(hash_prefix(seed, label) + counter.to_bytes(8, "big")).digest()


class Draws:
    """The sequence of draws of (seed, label): each takes the hash with the next counter, from 0 on."""

    __slots__ = ("_counter", "_prefix")

    def __init__(self, seed: str, label: str) -> None:
        self._prefix = hash_prefix(seed, label)
        self._counter = 0

    def below(self, bound: int) -> int:
        """The next number of 0..bound-1, each with equal chance. Raises ValueError for a bound beyond 1..2**64.

        It is the first 8 bytes of a hash modulo the bound. Values beyond the last multiple of the bound are skipped.
        """
        if not 1 <= bound <= _SPAN:
            raise ValueError(f"a draw needs a bound from 1 to 2**64, not {bound}")
        usable = _SPAN - _SPAN % bound
        while True:
            digest = sha256(self._prefix + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
            value = int.from_bytes(digest[:8], "big")
            if value < usable:
                return value % bound


def shuffled(seed: str, label: str, items: Sequence[T]) -> list[T]:
    """The items in an order drawn with this seed and label (Fisher-Yates from the last index down)."""
    result = list(items)
    draws = Draws(seed, label)
    for i in range(len(result) - 1, 0, -1):
        j = draws.below(i + 1)
        result[i], result[j] = result[j], result[i]
    return result
