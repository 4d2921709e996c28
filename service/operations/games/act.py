"""A client acts: what an answer to a decision may be, and what a repeated one gets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

from service.engine import actions as engine_actions
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
from service.operations.bots.faults import Fault, printable
from service.operations.context import Context
from service.operations.games.asks import observation, open_decision, poll_elapsed_ms
from service.operations.games.change import Settlement, change, load, settled
from service.operations.games.charge import charge
from service.operations.games.log_entries import seat_of
from service.operations.games.projection import Closed, GameProjection, GameView, folded

MAX_COMMENT = 500
"""The longest comment that is kept, in characters."""


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer to a decision: exactly one of `action` (JSON) and `index` (into the legal actions) is given. The
    `comment` is for those who read the record."""

    decision: str
    action: Any = None
    index: int | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Acted:
    """An accepted answer. `version`: the one that it made; the view may be newer."""

    decision: str
    action: dict[str, Any]
    version: int
    view: GameView
    seat: int

    @property
    def observation(self) -> dict[str, Any]:
        """What the seat sees now."""
        return observation(self.view, self.seat)

    @classmethod
    def of(cls, decision: str, view: GameView, seat: int) -> Acted:
        """The answer that settled a decision."""
        closed = view.closed[decision]
        return cls(decision, action_to_json(closed.action), closed.version, view, seat)


def act(ctx: Context, caller: Caller, game: str, submission: Submission) -> Acted:
    """Settles a decision of the caller's seat.

    A repeated answer is judged by its content: the same one gets the same decision, action and version. Raises
    NotFound, Unauthorized, Forbidden, InvalidRequest, IllegalAction, DecisionClosed, NotYourDecision, GameOver,
    WrongState, Unavailable. Only a poll bot's refused answer in a match changes anything: the bot may try again, or its
    decision is settled by default; the error says so in `settled` and `attempts_left`.
    """
    with ctx.projections.turn(game):
        known = _known(caller, ctx.projections.latest(game))
        view = known or load(ctx, game)
        seat = seat_required(ctx, caller, view)
        try:
            changed = change(ctx, game, partial(answered, ctx, submission, seat), known=known)
            if not changed.entries:
                check_repeat(ctx, changed.view, submission)
        except engine_actions.NotLegal as error:
            raise illegal(ctx, view, submission, error) from None
    return Acted.of(submission.decision, changed.view, seat)


def _known(caller: Caller, latest: GameView | None) -> GameView | None:
    """The game as this process last saw it, if by that the caller holds a seat: it saves most answers a read. Not in a
    match, whose asks are not part of the log."""
    if latest is None or latest.meta.match is not None:
        return None
    try:
        return None if seat_at(caller, latest) is None else latest
    except Unauthorized:
        return None


def answered(ctx: Context, submission: Submission, seat: int, view: GameView, at_ms: int) -> GameProjection | None:
    """The step that an answer takes; None when the decision is closed.

    Raises WrongState, GameOver, NotYourDecision, InvalidRequest, and the engine's NotLegal.
    """
    decision, match = submission.decision, view.meta.match
    if match is not None and view.meta.seats[seat].kind == "push":
        raise WrongState("The decisions of this match are answered by the bot's web server, not here.")
    if view.status == "open":
        raise WrongState("The game has not begun: a seat is still open.")
    if decision in view.closed and seat_of(decision) == seat:
        return None
    if view.over:
        raise GameOver("The game is over.")
    if all(waiting.id != decision or waiting.seat != seat for waiting in view.game.decisions):
        raise NotYourDecision(f"The decision {decision[:40]} was not asked of seat {seat}.")
    if match is not None and decision not in view.asked:
        raise NotYourDecision(f"The decision {decision} has not been put to the bot yet.")
    action = _action(view.game, submission)
    elapsed_ms = poll_elapsed_ms(ctx, view, decision)
    return settled(Settlement(decision, action, None, elapsed_ms, kept_comment(submission.comment)), view, at_ms)


def kept_comment(given: object) -> str | None:
    """A comment as it is kept: cut, and without what cannot be shown. None for anything else than a text, and for one
    of which nothing is left."""
    return (printable(given, MAX_COMMENT) or None) if isinstance(given, str) else None


def chosen_action(game: Game, submission: Submission) -> Action:
    """The action that an answer to an open decision names; whether it is legal is not judged where it is given in full.

    Raises the engine's InvalidInput for a value that is no action, and NotLegal for an index that is not there.
    """
    if submission.index is None:
        return parse_action(submission.action)
    legal = game.legal_actions(submission.decision)
    if not 0 <= submission.index < len(legal):
        why = f"There is no action of index {submission.index}: the {len(legal)} legal actions count from 0."
        raise engine_actions.NotLegal(why, legal)
    return legal[submission.index]


def _action(game: Game, submission: Submission) -> Action:
    try:
        return chosen_action(game, submission)
    except engine_errors.InvalidInput as error:
        raise InvalidRequest(("action", *error.path), error.reason) from None


def illegal(ctx: Context, view: GameView, submission: Submission, error: engine_actions.NotLegal) -> IllegalAction:
    """The error for an illegal answer. In a match the answer is charged to the bot."""
    refused = IllegalAction(error.reason, legal_actions=[action_to_json(action) for action in error.legal])
    if view.meta.match is not None:
        sent = {"index": submission.index} if submission.action is None else {"action": submission.action}
        fault = Fault("illegal", error.reason, json.dumps(sent, ensure_ascii=False))
        refused.extra |= _charge(ctx, view, submission.decision, fault)
    return refused


def check_repeat(ctx: Context, view: GameView, submission: Submission) -> None:
    """Raises DecisionClosed unless the decision was settled by this very answer. An index counts in the list of that
    time."""
    closed = view.closed[submission.decision]
    game = view.game
    if submission.index is not None:
        row = ctx.games.read(view.id, 0)
        if row is None:
            raise NotFound("There is no game of this id.")
        game = folded(GameView.new(view.id, view.meta), row.entries[: closed.version - 1]).game
    if _action(game, submission) != closed.action or closed.by != "player":
        why = "by default" if closed.by == "default" else "otherwise"
        raise DecisionClosed(f"The decision was settled {why} before.", settled=settled_json(closed))


def settled_json(closed: Closed) -> dict[str, Any]:
    """How a decision was settled, for the seat of which it was asked."""
    return {"action": action_to_json(closed.action), "by": closed.by, "fault": closed.fault}


def _charge(ctx: Context, view: GameView, decision: str, fault: Fault) -> dict[str, Any]:
    """A poll bot's answer in a match that does not count: the bot may try again, or the decision is settled by default.

    Returns members for the error. `settled`: how the decision stands settled, None while it is open, or when it is not
    one of this bot. `attempts_left`: how often the bot may try again.
    """
    elapsed_ms, terms = poll_elapsed_ms(ctx, view, decision), view.meta.match
    if elapsed_ms is None or terms is None:
        return {"settled": None, "attempts_left": 0}
    after = charge(ctx, view.id, decision, fault, elapsed_ms).view
    closed = after.closed.get(decision)
    if closed is not None:
        return {"settled": settled_json(closed), "attempts_left": 0}
    return {"settled": None, "attempts_left": terms.attempts - len(after.ledgers[seat_of(decision)].refused)}


def invalid_answer(
    ctx: Context, caller: Caller, game: str, decision: str | None, *, detail: str, received: str
) -> dict[str, Any] | None:
    """A request that is no answer is charged as *bad_body* for the decision that it was meant for, if it comes from a
    poll bot in a match.

    `decision`: the one that it names; None: it names none, and the open one is meant. `detail` and `received` are for
    the bot's author: what was wrong, and the beginning of what came. Returns `settled` and `attempts_left` for the
    error; None, and nothing has changed, when the caller is no poll bot in a match or the decision is not open to it.

    Raises Unavailable.
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
    asked = open_decision(view, seat)
    if asked is None or decision not in (None, asked.id):
        return None
    return _charge(ctx, view, asked.id, Fault("bad_body", detail, received))
