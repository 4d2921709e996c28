"""Entering a ladder and leaving it."""

from __future__ import annotations

from service.errors import InvalidRequest, Unavailable, WrongState
from service.operations.access.tokens import Caller, refuse_stranger
from service.operations.bots.registry import find, owns
from service.operations.context import Context
from service.operations.ladders.document import RunningSeason, load_ladder, load_season
from service.operations.ladders.seasons import append, entering, entrant_of
from service.store.bots import Bot
from service.tournament.ladder import LEFT, SeasonEntrant

_TRIES = 20


def enter(ctx: Context, caller: Caller, ladder: str, reference: str) -> SeasonEntrant:
    """Enters a bot: its author's key may, the bot itself, or an organiser. A bot that has left comes back as it was; a
    version that has not played yet is an entrant of its own.

    Raises NotFound, Unauthorized, Forbidden, InvalidRequest (no such bot), WrongState (it is entered, or the ladder is
    closed), Unavailable.
    """
    row, doc = load_ladder(ctx, ladder)
    bot = _owned(ctx, caller, reference)
    if doc.entry == "own" and not (caller.is_organiser or bot.owner == doc.owner):
        refuse_stranger(ctx, caller, "Only bots of the key that opened this ladder may enter.")
    if row.status != "open":
        raise WrongState("The ladder is closed.")
    for _ in range(_TRIES):
        season = load_season(ctx, ladder)
        known = entrant_of(season, bot.id)
        if known is not None and known.away != LEFT:
            raise WrongState(f"{bot.name} is entered already, as {known.name}.")
        if known is not None and bot.version in (known.version, None):
            name = known.name
            entries = [{"type": "back", "at": ctx.wall_ms(), "entrant": name}]
        else:
            name = free_name(season, bot)
            entries = entering(ctx, bot, name)
        if append(ctx, season, entries, "entered", entering=[bot.id], entrant=name):
            ctx.queue.enqueue_probe(season.tournament)
            return load_season(ctx, ladder).season.entrants[name]
    raise Unavailable("The ladder changes too fast; try again.")


def leave(ctx: Context, caller: Caller, ladder: str, reference: str) -> None:
    """Takes a bot off: it gets no new blocks, and one that it plays goes on. Its author's key may, the bot itself, or
    an organiser. Again: nothing changes.

    Raises NotFound, Unauthorized, Forbidden, InvalidRequest (no such bot, or it has not entered), WrongState for a
    reference bot, Unavailable.
    """
    bot = _owned(ctx, caller, reference)
    for _ in range(_TRIES):
        season = load_season(ctx, ladder)
        known = entrant_of(season, bot.id)
        if known is None:
            raise InvalidRequest(("bot",), f"{bot.name} has not entered this ladder.")
        if known.reference:
            raise WrongState(f"{bot.name} is a reference bot: the scale rests on it.")
        if known.away == LEFT:
            return
        at = ctx.wall_ms()
        entries = [{"type": "away", "at": at, "entrant": known.name, "reason": LEFT}]
        if known.away is not None:
            entries.insert(0, {"type": "back", "at": at, "entrant": known.name})
        playing = season.season.state.entrants[known.name].playing
        if append(ctx, season, entries, "left", released=[] if playing else [bot.id], entrant=known.name):
            return
    raise Unavailable("The ladder changes too fast; try again.")


def free_name(season: RunningSeason, bot: Bot) -> str:
    """The name of a bot's next entrant: the bot's, and from its second version on with a number."""
    taken = season.season.entrants
    if bot.name not in taken:
        return bot.name
    number = 2
    while f"{bot.name} ({number})" in taken:
        number += 1
    return f"{bot.name} ({number})"


def _owned(ctx: Context, caller: Caller, reference: str) -> Bot:
    bot = find(ctx, reference)
    if bot is None:
        raise InvalidRequest(("bot",), f"There is no bot {reference[:40]!r}.")
    if not owns(caller, bot):
        refuse_stranger(ctx, caller, "Only the bot's owner, the bot itself or an organiser may do this.")
    return bot
