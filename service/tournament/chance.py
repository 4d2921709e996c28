"""Random numbers by hash, as PROTOCOL's "Chance" says, for what a tournament draws itself: schedules and resamples.

The engine has the same few lines for deals. They are written again here because the two rooms know nothing of each
other, and are held to the same published example by the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

_SPAN = 1 << 64


class Draws:
    """One sequence of draws: hash number c of (seed, label), c from 0, its first 8 bytes as a big-endian integer."""

    __slots__ = ("_counter", "_prefix")

    def __init__(self, seed: str, label: str) -> None:
        self._prefix = hash_prefix(seed, label)
        self._counter = 0

    def below(self, bound: int) -> int:
        """A draw from 0 to bound - 1, all equally likely: values beyond the last multiple of bound are skipped."""
        if not 1 <= bound <= _SPAN:
            raise ValueError(f"a draw needs a bound from 1 to 2**64, not {bound}")
        usable = _SPAN - _SPAN % bound
        while True:
            digest = sha256(self._prefix + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
            value = int.from_bytes(digest[:8], "big")
            if value < usable:
                return value % bound


def hash_prefix(seed: str, label: str) -> bytes:
    """What every hash of the sequence (seed, label) begins with; the counter follows as 8 bytes, big-endian."""
    return seed.encode() + b"\0" + label.encode() + b"\0"


def shuffled(seed: str, label: str, items: Sequence[T]) -> list[T]:
    """Fisher-Yates from the last index down to 1, swapping i with a draw below i + 1."""
    draws = Draws(seed, label)
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = draws.below(i + 1)
        result[i], result[j] = result[j], result[i]
    return result
