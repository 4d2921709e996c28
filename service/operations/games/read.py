"""Reading games: what a caller sees, what its seat is asked, what has happened, and the list of public games."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.engine.actions import action_to_json
from service.errors import GameOver, NotFound, NotYourDecision, Unreadable
from service.operations.access.tokens import Caller, refuse_stranger, seat_at, seat_required
from service.operations.bots.registry import owned
from service.operations.context import Context
from service.operations.games.asks import ask_of, observation, open_decision
from service.operations.games.change import load, wait_for_change
from service.operations.games.projection import GameView
from service.store.paging import Page
from service.timestamps import timestamp


@dataclass(frozen=True, slots=True)
class Observed:
    """A game as a caller sees it; `seat` None: as a spectator."""

    view: GameView
    seat: int | None

    @property
    def observation(self) -> dict[str, Any]:
        """What the seat, or a spectator, sees."""
        return observation(self.view, self.seat)


@dataclass(frozen=True, slots=True)
class Events:
    """Events after a number, and the game after them, as the caller sees it; `last` is the number of the newest one.
    `reset`: the event that they were to follow is not one of the game (any more): these are all events from the first
    on."""

    events: list[Mapping[str, Any]]
    last: int
    over: bool
    reset: bool
    seen: Observed


def observe(ctx: Context, caller: Caller, game: str) -> Observed:
    """What the caller sees: a seat's observation, or a spectator's. Raises NotFound, Unauthorized, Unavailable."""
    view = load(ctx, game)
    return Observed(view, _viewer(ctx, caller, view))


def wait_for_observation(ctx: Context, caller: Caller, seen: Observed, timeout_s: float) -> Observed:
    """The same, as soon as the game is another than it was seen, or when the time is up."""
    view = wait_for_change(ctx, seen.view, timeout_s)
    return Observed(view, _viewer(ctx, caller, view))


def _viewer(ctx: Context, caller: Caller, view: GameView) -> int | None:
    seat = seat_at(caller, view)
    if seat is None and caller.kind in ("seat", "creator") and caller.id != view.id:
        refuse_stranger(ctx, caller, "This token belongs to another game.")
    return seat


def decision(ctx: Context, caller: Caller, game: str, wait_s: float) -> dict[str, Any] | None:
    """The ask of the seat's open decision; None when none came up in time.

    Raises NotFound, Unauthorized, Forbidden, GameOver, Unavailable.
    """
    until = time.monotonic() + wait_s
    while True:
        changes = ctx.hub.version(f"bot:{caller.id}") if caller.kind == "bot" else 0
        view = load(ctx, game)
        seat = seat_required(ctx, caller, view)
        if view.over:
            raise GameOver("The game is over.")
        ask = ask_of(ctx, view, seat)
        left = until - time.monotonic()
        if ask is not None or left <= 0:
            return ask
        if view.meta.match is not None:
            # The referee puts a match's decision to a poll bot: that changes what waits for the bot, and not the game.
            ctx.hub.wait(f"bot:{caller.id}", changes, left)
        else:
            wait_for_change(ctx, view, left)


def legal_actions(ctx: Context, caller: Caller, game: str) -> dict[str, Any]:
    """The seat's open decision and its legal actions, in canonical order.

    Raises NotFound, Unauthorized, Forbidden, NotYourDecision, GameOver, Unavailable.
    """
    view = load(ctx, game)
    seat = seat_required(ctx, caller, view)
    if view.over:
        raise GameOver("The game is over.")
    asked = open_decision(view, seat)
    if asked is None:
        raise NotYourDecision("This seat has no open decision now.")
    legal = [action_to_json(action) for action in view.game.legal_actions(asked.id)]
    return {"decision": asked.to_json(), "legal_actions": legal}


def events(ctx: Context, game: str, after: int, at: str | None = None) -> Events:
    """The events after number `after`; the same for every viewer. `at`: the time of that one, if the caller knows it.

    Raises NotFound, Unavailable.
    """
    return _events(Observed(load(ctx, game), None), after, at)


def wait_for_events(
    ctx: Context, caller: Caller, game: str, after: int, timeout_s: float, at: str | None = None
) -> Events:
    """The same, as soon as there are any, or when the game is over or the time is up. Raises Unauthorized and Forbidden
    too, as `observe` does."""
    until = time.monotonic() + timeout_s
    seen = observe(ctx, caller, game)
    while True:
        found = _events(seen, after, at)
        left = until - time.monotonic()
        if found.events or found.reset or found.over or left <= 0:
            return found
        seen = wait_for_observation(ctx, caller, seen, left)


def _events(seen: Observed, after: int, at: str | None) -> Events:
    view = seen.view
    known = view.events(after - 1)[:1] if after > 0 else []
    reset = after > 0 and (not known or at not in (None, known[0]["at"]))
    return Events(view.events(0 if reset else after), len(view.history), view.over, reset, seen)


def public_games(ctx: Context, status: str | None, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of public games, newest first. Raises InvalidRequest for an invalid cursor, Unavailable."""
    page = ctx.game_lists.public(status, limit, cursor)
    return {"items": [_summary(view) for view in _loaded(ctx, page.ids)], "next": page.next}


def key_games(ctx: Context, caller: Caller, status: str | None, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of the casual games that were created with the caller's key, newest first. With `status` a page may have
    fewer games than `limit`.

    Raises Unauthorized, Forbidden without a key, InvalidRequest for an invalid cursor, Unavailable.
    """
    if caller.kind != "key":
        refuse_stranger(ctx, caller, "This needs a key.")
    return _filtered(ctx, ctx.game_lists.of_key(caller.id, limit, cursor), status)


def bot_games(
    ctx: Context, caller: Caller, bot: str, status: str | None, limit: int, cursor: str | None
) -> dict[str, Any]:
    """A page of the casual games in which a bot has a seat, newest first. With `status` a page may have fewer games
    than `limit`. The bot's owner or an organiser may.

    Raises NotFound, Unauthorized, Forbidden, InvalidRequest for an invalid cursor, Unavailable.
    """
    return _filtered(ctx, ctx.game_lists.of_bot(owned(ctx, caller, bot).id, limit, cursor), status)


def _filtered(ctx: Context, page: Page, status: str | None) -> dict[str, Any]:
    views = [view for view in _loaded(ctx, page.ids) if status in (None, view.status)]
    return {"items": [_summary(view) for view in views], "next": page.next}


def _loaded(ctx: Context, games: tuple[str, ...]) -> list[GameView]:
    found = []
    for game in games:
        try:
            found.append(load(ctx, game))
        except (NotFound, Unreadable):
            # Removed since the page was read.
            continue
    return found


def _summary(view: GameView) -> dict[str, Any]:
    return {
        "game": view.id,
        "name": view.meta.name,
        "status": view.status,
        "players": view.meta.players,
        "seats": list(view.names),
        "open_seats": [seat for seat, name in enumerate(view.names) if name is None],
        "round": view.game.round,
        "turn_seconds": view.meta.turn_seconds,
        "created": timestamp(view.meta.created_ms),
    }
