"""The seasons that a process read last. A read fetches only the entries that are new to it."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from service.operations.offload import Offload
from service.tournament.ladder import Season
from service.tournament.results import MatchResult
from service.tournament.tables import Tables, season_tables


@dataclass(frozen=True, slots=True)
class _Kept:
    season: Season
    last: str | None
    """The newest entry that it has, as text."""


class SeasonCache:
    """At most `size` seasons."""

    def __init__(self, size: int = 16) -> None:
        self._size = size
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._tables: OrderedDict[str, tuple[tuple[int, int], Tables]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, tournament: str, players: int, read: Callable[[int], Sequence[str]]) -> Season:
        """The season as its log stands. `read` gives the log's entries after the first so many."""
        with self._lock:
            kept = self._kept.get(tournament)
        known = kept.season.entries if kept is not None else 0
        # With the last entry that is known: a store that has lost it has another one there, or none.
        found = read(max(0, known - 1))
        if kept is None or known == 0 or not found or found[0] != kept.last:
            entries, season = (read(0) if known > 1 else found), Season(players)
        else:
            entries, season = found[1:], kept.season
        if not entries:
            return season
        season = season.followed_by(json.loads(entry) for entry in entries)
        with self._lock:
            self._kept[tournament] = _Kept(season, entries[-1])
            self._kept.move_to_end(tournament)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return season

    def tables(
        self,
        tournament: str,
        season: Season,
        number: int,
        read: Callable[[], Mapping[int, MatchResult]],
        offload: Offload,
    ) -> Tables:
        """The tables of a season that has so many results. `read` reads these, unless the tables that were computed
        last rest on as many."""
        known = (season.entries, number)
        with self._lock:
            kept = self._tables.get(tournament)
        if kept is not None and kept[0] == known:
            return kept[1]
        found = read()
        made = offload(lambda: season_tables(season, found.values()))
        with self._lock:
            self._tables[tournament] = (known, made)
            while len(self._tables) > self._size:
                self._tables.popitem(last=False)
        return made
