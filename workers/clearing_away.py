"""Takes away, bit by bit, what is left of tournaments that were removed: their games, then all else."""

from __future__ import annotations

import logging

from service.archive.file import game_id
from service.operations.context import Context
from service.operations.matches import voids
from service.operations.tournament_doc import TournamentDoc

MATCHES_A_PASS = 50
"""A steward's tick must be short: the clocks of casual games go with it."""

log = logging.getLogger("montego.steward")


class ClearingAway:
    """One pass at a time. Where it is with each tournament only it knows: who comes after it begins anew."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._next: dict[str, int] = {}

    def run(self) -> None:
        """A pass over all that were removed. Raises Unavailable."""
        removed = self._ctx.tournaments.removed()
        if not removed:
            return
        # Whoever still plays a block of it may be about to create a game.
        played = {tournament for tournament, _, _ in self._ctx.tournaments.active()}
        for tournament, document in removed:
            if tournament not in played:
                self._clear(tournament, TournamentDoc.load(document))

    def _clear(self, tournament: str, doc: TournamentDoc) -> None:
        schedule = doc.schedule()
        first = self._next.get(tournament, 0)
        some = range(first, min(schedule.matches, first + MATCHES_A_PASS))
        again = voids(self._ctx, tournament, some)
        for number in some:
            for attempt in range(2 if number in again else 1):
                self._ctx.games.remove(game_id(tournament, number, attempt))
        self._next[tournament] = some.stop
        if some.stop >= schedule.matches:
            self._ctx.tournaments.forget(tournament, schedule.blocks)
            del self._next[tournament]
            log.info("tournament %s and its games are removed", tournament)
