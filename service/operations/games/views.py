"""Games: joining, watching, acting, ending."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.engine.actions import action_to_json
from service.errors import GameOver, NotFound, NotYourDecision, SeatTaken, Unauthorized, WrongState
from service.operations import callbacks
from service.operations.access.tokens import Caller, hashed, refuse_stranger, seat_at, seat_required, seat_token
from service.operations.context import Context
from service.operations.games.asks import Budget, build_ask, full_budget, observation, owed, published_budget
from service.operations.games.change import Change, at_ms, change, load, load_news
from service.operations.games.change import abort as abort_game
from service.operations.games.change import resign as resign_seats
from service.operations.games.create import check_name
from service.operations.games.log_entries import Entry, Joined, Started
from service.operations.games.projection import Table, timestamp


@dataclass(frozen=True, slots=True)
class SeatGiven:
    """A seat that somebody took, and its token, which is shown this once."""

    table: Table
    seat: int
    token: str


@dataclass(frozen=True, slots=True)
class View:
    """What a caller sees of a game. `private`: it is the view of a seat."""

    observation: dict[str, Any]
    version: int
    private: bool


@dataclass(frozen=True, slots=True)
class Events:
    """Events after a number; `last` is the number of the newest one."""

    events: list[Mapping[str, Any]]
    last: int
    over: bool


def join(ctx: Context, game: str, seat: int, name: str | None) -> SeatGiven:
    """Takes an open seat; the game starts with the last one. Repeated with the same chance, it is the same seat.

    Raises NotFound (game or seat), SeatTaken, InvalidRequest, Unavailable.
    """
    token = seat_token(ctx, game, seat)
    shown = check_name(name) or f"player {seat}"

    def decide(table: Table) -> Change | None:
        if table.tokens.get(str(seat)) == hashed(token):
            return None
        if not 0 <= seat < table.meta.players:
            raise NotFound(f"The game has no seat {seat}.")
        if table.status != "open" or table.names[seat] is not None:
            raise SeatTaken(f"Seat {seat} is not open.")
        at = at_ms(ctx, table)
        entries: list[Entry] = [Joined(at, seat, shown)]
        full = sum(taken is not None for taken in table.names) + 1 == table.meta.players
        if full:
            entries.append(Started(at))
        return Change(entries, table.game, "running" if full else "open")

    table = change(ctx, game, decide, tokens={str(seat): hashed(token)})
    return SeatGiven(table, seat, token)


def view(ctx: Context, caller: Caller, game: str) -> View:
    """What the caller sees: a seat's observation, or a spectator's. Raises NotFound, Unauthorized, Unavailable."""
    return _view(ctx, caller, load(ctx, game))


def wait_for_view(ctx: Context, caller: Caller, game: str, seen: int, timeout_s: float) -> View:
    """The same, as soon as the version differs from `seen`, or when the time is up."""
    version = wait_for_version(ctx, game, seen, timeout_s)
    return _view(ctx, caller, load_news(ctx, game, version))


def _view(ctx: Context, caller: Caller, table: Table) -> View:
    seat = _viewer(ctx, caller, table)
    return View(observation(table, seat), table.version, seat is not None)


def _viewer(ctx: Context, caller: Caller, table: Table) -> int | None:
    seat = seat_at(caller, table)
    if seat is None and caller.kind in ("seat", "creator") and caller.id != table.id:
        refuse_stranger(ctx, caller, "This token belongs to another game.")
    return seat


def wait_for_version(ctx: Context, game: str, seen: int, timeout_s: float) -> int:
    """The game's version as soon as it differs from `seen`, or when the time is up."""
    return ctx.hub.wait(f"game:{game}", seen, timeout_s)


def decision(ctx: Context, caller: Caller, game: str, wait_s: float) -> dict[str, Any] | None:
    """The ask of the seat's open decision; None when none came up in time.

    Raises NotFound, Unauthorized, Forbidden, GameOver, Unavailable.
    """
    until = time.monotonic() + wait_s
    while True:
        news = ctx.hub.version(f"bot:{caller.id}") if caller.kind == "bot" else 0
        table = load(ctx, game)
        seat = seat_required(ctx, caller, table)
        if table.over:
            raise GameOver("The game is over.")
        ask = ask_of(table, seat)
        left = until - time.monotonic()
        if ask is not None or left <= 0:
            return ask
        if table.meta.match is not None:
            # A match's decision is put to a poll bot by the referee, which is news of the bot and not of the game.
            ctx.hub.wait(f"bot:{caller.id}", news, left)
        else:
            wait_for_version(ctx, game, table.version, left)


def ask_of(table: Table, seat: int) -> dict[str, Any] | None:
    """The ask of the decision that a seat owes, with what is left of its budget now; None when it owes none, or when
    the referee of its match has not put it yet."""
    open_decision = owed(table, seat)
    if open_decision is None:
        return None
    budget: Budget | None = full_budget(table, seat)
    if table.meta.match is not None:
        budget = published_budget(table, open_decision)
    return None if budget is None else build_ask(table, open_decision, budget)


def legal_actions(ctx: Context, caller: Caller, game: str) -> dict[str, Any]:
    """The seat's open decision and its legal actions, in canonical order.

    Raises NotFound, Unauthorized, Forbidden, NotYourDecision, GameOver, Unavailable.
    """
    table = load(ctx, game)
    seat = seat_required(ctx, caller, table)
    if table.over:
        raise GameOver("The game is over.")
    open_decision = owed(table, seat)
    if open_decision is None:
        raise NotYourDecision("This seat owes no decision now.")
    legal = [action_to_json(action) for action in table.game.legal_actions(open_decision.id)]
    return {"decision": open_decision.to_json(), "legal_actions": legal}


def resign(ctx: Context, caller: Caller, game: str) -> View:
    """Resigns the caller's seat; repeating it changes nothing.

    Raises NotFound, Unauthorized, Forbidden, WrongState (the game has not begun), GameOver, Unavailable.
    """
    table = load(ctx, game)
    seat = seat_required(ctx, caller, table)
    if seat not in table.game.resigned:
        if table.over:
            raise GameOver("The game is over.")
        if table.status == "open":
            raise WrongState("The game has not begun; its creator may delete it.")
        table = resign_seats(ctx, game, [seat], "resigned", first=table)
    return View(observation(table, seat), table.version, True)


def abort(ctx: Context, caller: Caller, game: str) -> None:
    """Breaks a casual game off; repeating it changes nothing. Its creator or an organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState, Unavailable.
    """
    table = load(ctx, game)
    _creator_required(ctx, caller, table, "end it")
    if table.status == "finished":
        raise GameOver("The game is over.")
    abort_game(ctx, game)


def rotate_callback_secret(ctx: Context, caller: Caller, game: str) -> dict[str, Any]:
    """A new secret for the game's callback; the newest old one stays valid for a day. Its creator or an organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState where no callback was named, Unavailable.
    """
    table = load(ctx, game)
    _creator_required(ctx, caller, table, "do this")
    return {"game": game, **callbacks.rotate_secret(ctx, game, table.meta.callback_secret)}


def _creator_required(ctx: Context, caller: Caller, table: Table, what: str) -> None:
    """Raises Unauthorized or Forbidden unless the caller made the game or is an organiser."""
    if caller.is_organiser:
        return
    seat = seat_at(caller, table)
    if not (caller.kind == "creator" and caller.id == table.id):
        if caller.kind == "anonymous":
            raise Unauthorized("This needs the creator's token.")
        refuse_stranger(ctx, caller, f"Only the game's creator may {what}{'' if seat is None else ', not a seat'}.")


def events(ctx: Context, game: str, after: int) -> Events:
    """The events after number `after`; the same for every viewer. Raises NotFound, Unavailable."""
    table = load(ctx, game)
    return Events(table.events(after), table.event_count, table.over)


def wait_for_events(ctx: Context, caller: Caller, game: str, after: int, timeout_s: float) -> Events:
    """The same, as soon as there are any, or when the game is over or the time is up. Raises Unauthorized and Forbidden
    too, as `view` does."""
    until = time.monotonic() + timeout_s
    table = load(ctx, game)
    _viewer(ctx, caller, table)
    while True:
        left = until - time.monotonic()
        if table.event_count > after or table.over or left <= 0:
            return Events(table.events(after), table.event_count, table.over)
        table = load_news(ctx, game, wait_for_version(ctx, game, table.version, left))


def public_games(ctx: Context, status: str | None, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of public games, newest first. Raises InvalidRequest for a cursor that is none, Unavailable."""
    page = ctx.games.public(status, limit, cursor)
    return {"items": [_summary(table) for table in _tables(ctx, page.ids)], "next": page.next}


def _tables(ctx: Context, games: tuple[str, ...]) -> list[Table]:
    found = []
    for game in games:
        try:
            found.append(load(ctx, game))
        except NotFound:
            # Removed since the page was read.
            continue
    return found


def _summary(table: Table) -> dict[str, Any]:
    return {
        "game": table.id,
        "name": table.meta.name,
        "status": table.status,
        "players": table.meta.players,
        "seats": list(table.names),
        "open_seats": [seat for seat, name in enumerate(table.names) if name is None],
        "round": table.game.round,
        "turn_seconds": table.meta.turn_seconds,
        "created": timestamp(table.meta.created_ms),
    }
