"""Whether the entrants of a tournament are ready: found out before its first match (PROTOCOL "Tournaments")."""

from __future__ import annotations

from service.operations.bots.registry import status_of
from service.operations.context import Context
from service.operations.tournaments.document import TournamentDoc, load_tournament
from service.operations.tournaments.lifecycle import begin
from service.store.bots import Bot
from service.store.tournaments import TournamentRow
from service.tournament.ladder import OFFLINE


def entrants_left(ctx: Context, row: TournamentRow, doc: TournamentDoc) -> list[Bot]:
    """The entrants that are not withdrawn; in a season of a ladder those that are away because they are not online.
    Raises Unavailable."""
    if doc.season is not None:
        away = [one.bot for one in doc.season.entrants.values() if one.away == OFFLINE]
        return [bot for bot in ctx.bots.many(away) if bot is not None]
    found = ctx.bots.many([entrant.bot for entrant in doc.entrants if entrant.bot not in row.withdrawn])
    return [bot for bot in found if bot is not None]


def begin_if_ready(ctx: Context, tournament: str) -> bool:
    """Begins a tournament that waits for its entrants, if all of them are online. To be called when push entrants have
    just been called. Raises NotFound, Unavailable."""
    row, doc = load_tournament(ctx, tournament)
    if row.status != "waiting" or any(status_of(bot) != "online" for bot in entrants_left(ctx, row, doc)):
        return False
    return begin(ctx, tournament)
