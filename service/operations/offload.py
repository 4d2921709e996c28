"""Where long calculations run: the API serves all requests of a process in one thread, which none of them may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Offload(Protocol):
    """Runs a long calculation where it holds nobody up, and returns its result. The calculation reads no store."""

    def __call__(self, work: Callable[[], T]) -> T: ...


def inline(work: Callable[[], T]) -> T:
    """Offload for a process in which nobody waits meanwhile."""
    return work()
