"""A client acts: what an answer to a decision may be, and what a repeated one gets."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from service.engine import errors as engine_errors
from service.engine.actions import Action, action_to_json, parse_action
from service.engine.game import Game
from service.errors import (
    DecisionClosed,
    GameOver,
    IllegalAction,
    InvalidRequest,
    NotFound,
    NotYourDecision,
    Unauthorized,
    WrongState,
)
from service.operations.access.tokens import Caller, seat_at, seat_required
from service.operations.bots.faults import Fault, note_fault
from service.operations.context import Context
from service.operations.games.asks import observation, open_decision
from service.operations.games.change import Change, Settlement, change, load, settle_first, settled
from service.operations.games.log_entries import seat_of
from service.operations.games.projection import Closed, GameView, folded


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer to a decision: exactly one of `action` (JSON) and `index` (into the legal actions) is given."""

    decision: str
    action: Any = None
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Acted:
    """An accepted answer. `version`: the one that it made; the observation may be newer."""

    decision: str
    action: dict[str, Any]
    version: int
    observation: dict[str, Any]


def act(ctx: Context, caller: Caller, game: str, submission: Submission) -> Acted:
    """Settles a decision of the caller's seat.

    A repeated answer is judged by its content: the same one gets the same decision, action and version. Raises
    NotFound, Unauthorized, Forbidden, InvalidRequest, IllegalAction, DecisionClosed, NotYourDecision, GameOver,
    WrongState, Unavailable. Only a poll bot's refused answer in a match changes anything: its decision is settled by
    default, and the error says so in `settled`.
    """
    with ctx.projections.turn(game):
        known = _known(ctx, caller, game, submission)
        if known is not None:
            # What is refused by an old view is judged anew by the newest one.
            with suppress(IllegalAction):
                return _act(ctx, caller, known, submission)
        return _act(ctx, caller, load(ctx, game), submission)


def _known(ctx: Context, caller: Caller, game: str, submission: Submission) -> GameView | None:
    """The game as this process last saw it, if the answer can be judged by that: the append is refused, and says how
    the game stands, where that was not the newest version. It saves most answers a read."""
    view = ctx.projections.latest(game)
    if view is None or view.status != "running" or view.meta.match is not None:
        return None
    if all(waiting.id != submission.decision for waiting in view.game.decisions):
        return None
    try:
        return None if seat_at(caller, view) is None else view
    except Unauthorized:
        return None


def _act(ctx: Context, caller: Caller, view: GameView, submission: Submission) -> Acted:
    seat = seat_required(ctx, caller, view)
    _check_channel(view, seat)
    try:
        action, after = _settle(ctx, view, seat, submission)
    except IllegalAction as error:
        if view.meta.match is not None:
            sent = {"index": submission.index} if submission.action is None else {"action": submission.action}
            fault = Fault("illegal", error.detail, json.dumps(sent, ensure_ascii=False))
            error.extra["settled"] = refuse(ctx, view, submission.decision, fault)
        raise
    closed = after.closed[submission.decision]
    return Acted(submission.decision, action_to_json(action), closed.version, observation(after, seat))


def _check_channel(view: GameView, seat: int) -> None:
    if view.meta.match is not None and view.meta.seats[seat].kind == "push":
        raise WrongState("The decisions of this match are answered by the bot's web server, not here.")


def _settle(ctx: Context, view: GameView, seat: int, submission: Submission) -> tuple[Action, GameView]:
    chosen: list[Action] = []

    def decide(now: GameView) -> Change | None:
        _check_open(now, seat, submission.decision)
        action = (
            _action(now.game, submission) if submission.decision not in now.closed else _repeated(ctx, now, submission)
        )
        chosen[:] = [action]
        closed = now.closed.get(submission.decision)
        if closed is not None:
            _check_repeat(closed, action)
            return None
        elapsed = _elapsed_ms(now, submission.decision)
        try:
            return settled(ctx, now, Settlement(submission.decision, action, None, elapsed))
        except engine_errors.IllegalAction as error:
            raise _illegal(error) from None

    after = change(ctx, view.id, decide, first=view)
    return chosen[0], after


def _check_open(view: GameView, seat: int, decision: str) -> None:
    """Whether the decision was ever asked of the seat."""
    if view.status == "open":
        raise WrongState("The game has not begun: a seat is still open.")
    if decision in view.closed and seat_of(decision) == seat:
        return
    if view.over:
        raise GameOver("The game is over.")
    if all(waiting.id != decision or waiting.seat != seat for waiting in view.game.decisions):
        raise NotYourDecision(f"The decision {decision[:40]} was not asked of seat {seat}.")
    match = view.meta.match
    if match is not None and decision not in view.asked:
        raise NotYourDecision(f"The decision {decision} has not been put to the bot yet.")


def _elapsed_ms(view: GameView, decision: str) -> int | None:
    asked = view.asked.get(decision)
    return None if asked is None else max(0, view.time_ms - asked.at_ms)


def _action(game: Game, submission: Submission) -> Action:
    """The action that an answer names. Raises InvalidRequest, IllegalAction."""
    if submission.index is None:
        try:
            return parse_action(submission.action)
        except engine_errors.InvalidInput as error:
            raise InvalidRequest(("action", *error.path), error.reason) from None
    legal = game.legal_actions(submission.decision)
    if not 0 <= submission.index < len(legal):
        listed = [action_to_json(action) for action in legal]
        why = f"There is no action of index {submission.index}: the {len(legal)} legal actions count from 0."
        raise IllegalAction(why, legal_actions=listed)
    return legal[submission.index]


def _repeated(ctx: Context, view: GameView, submission: Submission) -> Action:
    """The action of an answer to a decision that is closed; an index counts in the list of that time."""
    if submission.index is None:
        return _action(view.game, submission)
    row = ctx.games.read(view.id, 0)
    if row is None:
        raise NotFound("There is no game of this id.")
    return _action(folded(view.id, row, view.closed[submission.decision].version - 1).play.game, submission)


def _check_repeat(closed: Closed, action: Action) -> None:
    if closed.by != "player" or closed.action != action:
        settled_as = settled_json(closed)
        why = "by default" if closed.by == "default" else "otherwise"
        raise DecisionClosed(f"The decision was settled {why} before.", settled=settled_as)


def settled_json(closed: Closed) -> dict[str, Any]:
    """How a decision was settled, for the seat that open_decision it."""
    return {"action": action_to_json(closed.action), "by": closed.by, "fault": closed.fault}


def _illegal(error: engine_errors.IllegalAction) -> IllegalAction:
    return IllegalAction(error.reason, legal_actions=[action_to_json(action) for action in error.legal])


def refuse(ctx: Context, view: GameView, decision: str, fault: Fault) -> dict[str, Any] | None:
    """A poll bot's answer in a match that does not count: the decision is settled by default, with the fault, which its
    author can read.

    Returns how the decision stands settled; None when it is not one that is open to this bot.
    """
    if decision not in view.asked:
        return None
    elapsed = _elapsed_ms(view, decision)
    after, first = settle_first(ctx, view.id, Settlement(decision, None, fault.kind, elapsed))
    bot = after.bots[seat_of(decision)]
    if first and bot is not None:
        note_fault(ctx, bot, after, decision, fault, elapsed)
    closed = after.closed.get(decision)
    return None if closed is None else settled_json(closed)


def spoil(
    ctx: Context, caller: Caller, game: str, decision: str | None, *, detail: str, received: str
) -> dict[str, Any] | None:
    """Settles the decision that was answered unusably by default, with the fault *bad_body*.

    `decision`: as the answer names it; None: it names none, and the open one is meant. `detail` and `received` are for
    the bot's author: what was wrong, and the beginning of what came. Returns how it stands settled;
    None, and nothing has changed, when the caller is no poll bot in a match or the decision is not open to it. Raises
    Unavailable.
    """
    if caller.kind != "bot":
        return None
    try:
        view = load(ctx, game)
    except NotFound:
        return None
    seat = seat_at(caller, view)
    if seat is None or view.meta.match is None or view.meta.seats[seat].kind != "poll":
        return None
    waiting = open_decision(view, seat)
    if waiting is None or decision not in (None, waiting.id):
        return None
    return refuse(ctx, view, waiting.id, Fault("bad_body", detail, received))
