"""The tables of a tournament, computed when they are read, and again only when there is something new.

A process keeps those that it computed last. Nothing of it is in the store, so nothing can disagree with the results.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from service.tournament.rating import Rating, rate
from service.tournament.results import MatchResult
from service.tournament.tables import Tables, tables

T = TypeVar("T")

STALE_SHARE = 50
"""While a tournament runs, its ratings may lack one in so many of its results: intervals take seconds where there are
thousands of matches."""


class Offload(Protocol):
    """Runs long arithmetic where it holds nobody else up, and returns what it returns."""

    def __call__(self, work: Callable[[], T]) -> T: ...


def inline(work: Callable[[], T]) -> T:
    """Offload for a process in which nobody else waits."""
    return work()


@dataclass(frozen=True, slots=True)
class Known:
    """What tables depend on. `results`: how many there are; they are written once, so their number tells them.
    `seed`: what resamples are drawn from; another one once the tournament is over."""

    results: int
    seed: str


@dataclass(frozen=True, slots=True)
class _Kept:
    known: Known
    tables: Tables
    rated: Mapping[str, Rating]
    rated_at: int


class TablesCache:
    """The tables that a process computed last, of at most `size` tournaments."""

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        # One at a time: it is arithmetic, and who waits for the same tables finds them done.
        self._computing = threading.Lock()

    def get(
        self,
        tournament: str,
        known: Known,
        entrants: tuple[str, ...],
        read: Callable[[], Mapping[int, str]],
        offload: Offload,
    ) -> Tables:
        """The tables of a tournament of which that much is known. `read` reads its results, as they are stored."""
        kept = self._find(tournament)
        if kept is not None and kept.known == known:
            return kept.tables
        with self._computing:
            kept = self._find(tournament)
            if kept is not None and kept.known == known:
                return kept.tables
            texts = read()
            made = offload(lambda: _compute(kept, known, entrants, texts))
            self._keep(tournament, made)
            return made.tables

    def _find(self, tournament: str) -> _Kept | None:
        with self._lock:
            if tournament in self._kept:
                self._kept.move_to_end(tournament)
            return self._kept.get(tournament)

    def _keep(self, tournament: str, made: _Kept) -> None:
        with self._lock:
            self._kept[tournament] = made
            self._kept.move_to_end(tournament)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


def _compute(kept: _Kept | None, known: Known, entrants: tuple[str, ...], texts: Mapping[int, str]) -> _Kept:
    results = parsed(texts.values())
    number = len(results)
    if kept is not None and kept.known.seed == known.seed and number - kept.rated_at < max(1, number // STALE_SHARE):
        rated, rated_at = kept.rated, kept.rated_at
    else:
        rated, rated_at = rate(entrants, results, known.seed), number
    # More results may have come in since `known` was read; the next reader will know of them.
    return _Kept(Known(number, known.seed), tables(entrants, results, known.seed, rated), rated, rated_at)


def parsed(texts: Iterable[str]) -> list[MatchResult]:
    """Results as they are stored, read."""
    loaded: list[Any] = [json.loads(text) for text in texts]
    return [MatchResult.from_json(value) for value in loaded]
