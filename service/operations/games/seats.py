"""Seats and endings: taking an open seat, resigning one, breaking a game off, and its callback's secret."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from service.errors import GameOver, NotFound, SeatTaken, Unauthorized, WrongState
from service.operations import callbacks
from service.operations.access.tokens import Caller, hashed, refuse_stranger, seat_at, seat_required, seat_token
from service.operations.context import Context
from service.operations.games.change import abort as abort_game
from service.operations.games.change import change, load
from service.operations.games.change import resign as resign_seats
from service.operations.games.log_entries import Joined, Started
from service.operations.games.projection import GameProjection, GameView
from service.operations.games.read import Observed
from service.operations.names import check_name
from service.store.idempotency import Claim, Receipt


@dataclass(frozen=True, slots=True)
class SeatGiven:
    """A seat that somebody took, and its token, which is shown this once. `answer`: the same as JSON."""

    view: GameView
    seat: int
    token: str
    answer: dict[str, Any]


def join(ctx: Context, game: str, seat: int, name: str | None, claim: Claim | None = None) -> SeatGiven:
    """Takes an open seat; the game starts with the last one. `claim`: of a call with an Idempotency-Key.

    Raises NotFound (game or seat), SeatTaken, InvalidRequest, Unavailable.
    """
    token = seat_token(ctx, game, seat)
    answer = {"game": game, "seat": seat, "token": token}
    step = partial(_joined, seat, check_name(name) or f"player {seat}")
    changed = change(ctx, game, step, tokens={str(seat): hashed(token)}, receipt=Receipt.of(claim, answer))
    return SeatGiven(changed.view, seat, token, answer)


def _joined(seat: int, name: str, view: GameView, at_ms: int) -> GameProjection:
    if not 0 <= seat < view.meta.players:
        raise NotFound(f"The game has no seat {seat}.")
    if view.status != "open" or view.names[seat] is not None:
        raise SeatTaken(f"Seat {seat} is not open.")
    projection = GameProjection(view)
    projection.add(Joined(at_ms, seat, name))
    if sum(taken is not None for taken in view.names) + 1 == view.meta.players:
        projection.add(Started(at_ms))
    return projection


def resign(ctx: Context, caller: Caller, game: str) -> Observed:
    """Resigns the caller's seat; repeating it changes nothing.

    Raises NotFound, Unauthorized, Forbidden, WrongState (the game has not begun), GameOver, Unavailable.
    """
    view = load(ctx, game)
    seat = seat_required(ctx, caller, view)
    if seat not in view.game.resigned:
        if view.over:
            raise GameOver("The game is over.")
        if view.status == "open":
            raise WrongState("The game has not begun; its creator may delete it.")
        view = resign_seats(ctx, game, [seat], "resigned", known=view)
    return Observed(view, seat)


def abort(ctx: Context, caller: Caller, game: str) -> None:
    """Breaks a casual game off; repeating it changes nothing. Its creator or an organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState, Unavailable.
    """
    view = load(ctx, game)
    _creator_required(ctx, caller, view, "end it")
    if view.meta.match is not None and view.meta.match.tournament:
        raise WrongState("This is the game of a match: cancel the tournament, or withdraw a bot from it.")
    if view.status == "finished":
        raise GameOver("The game is over.")
    abort_game(ctx, game)


def rotate_callback_secret(ctx: Context, caller: Caller, game: str, *, at_once: bool = False) -> dict[str, Any]:
    """A new secret for the game's callback. Its creator or an organiser may.

    Raises NotFound, Unauthorized, Forbidden, WrongState where no callback was named, Unavailable.
    """
    view = load(ctx, game)
    _creator_required(ctx, caller, view, "do this")
    return {"game": game, **callbacks.rotate_secret(ctx, game, view.meta.callback_secret, at_once=at_once)}


def _creator_required(ctx: Context, caller: Caller, view: GameView, what: str) -> None:
    """Raises Unauthorized or Forbidden unless the caller made the game or is an organiser."""
    if caller.is_organiser:
        return
    seat = seat_at(caller, view)
    if not (caller.kind == "creator" and caller.id == view.id):
        if caller.kind == "anonymous":
            raise Unauthorized("This needs the creator's token.")
        refuse_stranger(ctx, caller, f"Only the game's creator may {what}{'' if seat is None else ', not a seat'}.")
