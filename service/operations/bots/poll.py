"""What a poll bot reads: all of its open decisions, in any game, in one answer (PROTOCOL "Poll")."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from service.errors import Forbidden, NotFound, Unauthorized, Unreadable
from service.ids import match_of_game
from service.operations.access.tokens import Caller
from service.operations.context import Context
from service.operations.games.asks import ask_of, end_message, start_message
from service.operations.games.change import load
from service.operations.games.projection import GameView
from service.store.bots import Bot

ENDED_MS = 600_000
"""How long the end of a game stays among the notices."""
MAX_NOTICES = 64
"""How many starts, and how many ends, one answer has."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a bot now. `cursor` names this very set: it differs as soon as the set does. `more`: how many
    games are left out."""

    decisions: list[dict[str, Any]]
    notices: list[dict[str, Any]]
    cursor: str
    more: int

    def to_json(self) -> dict[str, Any]:
        """The answer's body."""
        more = {"more": self.more} if self.more else {}
        return {"decisions": self.decisions, "notices": self.notices, "cursor": self.cursor, **more}


def poll(ctx: Context, caller: Caller, *, after: str | None, wait_s: float, version: str | None) -> Waiting:
    """What waits for the calling bot; with `after`, only once that differs from what the cursor names, or when the
    time is up.

    Raises Unauthorized without a bot's token, Forbidden for a push bot or another token, Unavailable.
    """
    bot = _poll_bot(caller)
    # Without `after` it is answered at once.
    ctx.bots.polled(bot.id, version, 0 if after is None else round(wait_s * 1000))
    until = time.monotonic() + wait_s
    while True:
        news = ctx.hub.version(f"bot:{bot.id}")
        waiting = _waiting(ctx, bot)
        left = until - time.monotonic()
        if after is None or waiting.cursor != after or left <= 0:
            return waiting
        ctx.hub.wait(f"bot:{bot.id}", news, left)


def _poll_bot(caller: Caller) -> Bot:
    if caller.kind == "anonymous":
        raise Unauthorized("This needs the token of a bot: Authorization: Bearer …")
    if caller.bot is None:
        raise Forbidden("Only a bot's token may poll.")
    if caller.bot.kind != "poll":
        raise Forbidden("This bot is called at its url; only a bot of kind poll may poll.")
    return caller.bot


def _waiting(ctx: Context, bot: Bot) -> Waiting:
    """All asks of matches, and as many of casual games as the bot takes at a time (`max_games`): an answer costs the
    same however many games wait. What is left out is counted, and follows when some of these are answered."""
    offers = ctx.game_lists.offered(bot.id)
    decisions: list[dict[str, Any]] = []
    for game in (*ctx.game_lists.asked_in_matches(bot.id), *offers.since_ms):
        found = _seated(ctx, bot, game)
        ask = None if found is None else ask_of(ctx, *found, offered_ms=offers.since_ms.get(game))
        if ask is not None:
            decisions.append(ask)
        elif found is None and game in offers.since_ms:
            ctx.game_lists.withdraw_offer(bot.id, game)
    notices: list[dict[str, Any]] = []
    started = sorted(ctx.game_lists.games_of(bot.id), key=lambda game: match_of_game(game) is None)
    for view, seat in _all_seated(ctx, bot, started[:MAX_NOTICES]):
        if view.status == "running":
            notices.append({"type": "start", **start_message(view.id, view.meta, view.names, seat)})
    ended = ctx.game_lists.ended_of(bot.id, ENDED_MS)
    for view, seat in _all_seated(ctx, bot, ended[:MAX_NOTICES]):
        if view.over:
            notices.append({"type": "end", **end_message(view, seat)})
    more = offers.queued + max(0, len(started) - MAX_NOTICES) + max(0, len(ended) - MAX_NOTICES)
    return Waiting(decisions, notices, _cursor(decisions, notices), more)


def _seated(ctx: Context, bot: Bot, game: str) -> tuple[GameView, int] | None:
    """The game and the bot's seat in it. None: the game is gone or cannot be read, or the bot has no seat there."""
    try:
        view = load(ctx, game)
    except (NotFound, Unreadable):
        return None
    return (view, view.bots.index(bot.id)) if bot.id in view.bots else None


def _all_seated(ctx: Context, bot: Bot, games: list[str]) -> Iterator[tuple[GameView, int]]:
    """Those games of a hint in which the bot still has a seat, and that seat."""
    for game in games:
        found = _seated(ctx, bot, game)
        if found is not None:
            yield found


def _cursor(decisions: list[dict[str, Any]], notices: list[dict[str, Any]]) -> str:
    names = [f"{ask['game']} {ask['decision']['id']} {ask['attempt']}" for ask in decisions]
    names += [f"{notice['game']} {notice['type']}" for notice in notices]
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:24]
