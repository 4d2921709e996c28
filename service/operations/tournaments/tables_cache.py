"""The tables of a tournament: computed when they are read, and again only when there are new results.

A process keeps the tables that it computed last. None of them is in the store, so none can disagree with the results.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from service.operations.offload import Offload
from service.tournament import formats
from service.tournament.plan import Plan
from service.tournament.results import MatchResult
from service.tournament.stages import Stage
from service.tournament.tables import Tables, tables

STALE_SHARE = 50
"""While a tournament runs, its ratings may lack one result in this many: intervals take seconds where there are
thousands of matches."""


@dataclass(frozen=True, slots=True)
class Known:
    """What tables depend on.

    results  how many there are; each is written once, so their number identifies them
    seed     what resamples are drawn from; another one once the tournament is over
    stages   those that are drawn: the standings of some formats go by them
    """

    results: int
    seed: str
    stages: tuple[Stage, ...] = ()


@dataclass(frozen=True, slots=True)
class _Kept:
    known: Known
    tables: Tables
    rated_at: int
    """How many results its ratings rest on."""


class TablesCache:
    """The tables that a process computed last, of at most `size` tournaments."""

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        # One calculation at a time; a caller that waits for the same tables then finds them done.
        self._computing = threading.Lock()

    def get(
        self,
        tournament: str,
        known: Known,
        plan: Plan,
        read: Callable[[], Mapping[int, str]],
        offload: Offload,
    ) -> Tables:
        """The tables of a tournament. `read` reads its results as they are stored; it is called only when the kept
        tables were computed from something else than `known`."""
        kept = self._find(tournament)
        if kept is not None and kept.known == known:
            return kept.tables
        with self._computing:
            kept = self._find(tournament)
            if kept is not None and kept.known == known:
                return kept.tables
            texts = read()
            made = offload(lambda: _compute(kept, known, plan, texts))
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


def _compute(kept: _Kept | None, known: Known, plan: Plan, texts: Mapping[int, str]) -> _Kept:
    results = [MatchResult.from_json(json.loads(text)) for text in texts.values()]
    number = len(results)
    # More results may have come in since `known` was read: the next reader will know of them.
    now = replace(known, results=number)
    ranking = formats.ranking(plan, known.stages, results)
    if kept is not None and kept.known.seed == known.seed and number - kept.rated_at < max(1, number // STALE_SHARE):
        rated = kept.tables.rated
        return _Kept(now, tables(plan.entrants, results, known.seed, rated, ranking), kept.rated_at)
    return _Kept(now, tables(plan.entrants, results, known.seed, ranking=ranking), number)
