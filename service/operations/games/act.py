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
from service.operations.games.asks import observation, owed
from service.operations.games.change import Change, Settlement, change, load, settle_first, settled
from service.operations.games.log_entries import seat_of
from service.operations.games.projection import Closed, Table, folded


@dataclass(frozen=True, slots=True)
class Answer:
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


def act(ctx: Context, caller: Caller, game: str, answer: Answer) -> Acted:
    """Settles a decision of the caller's seat.

    A repeated answer is judged by its content: the same one gets the same decision, action and version. Raises
    NotFound, Unauthorized, Forbidden, InvalidRequest, IllegalAction, DecisionClosed, NotYourDecision, GameOver,
    WrongState, Unavailable. Only a poll bot's refused answer in a match changes anything: its decision is settled by
    default, and the error says so in `settled`.
    """
    with ctx.tables.turn(game):
        known = _known(ctx, caller, game, answer)
        if known is not None:
            # What is refused by an old table is judged anew by the newest one.
            with suppress(IllegalAction):
                return _act(ctx, caller, known, answer)
        return _act(ctx, caller, load(ctx, game), answer)


def _known(ctx: Context, caller: Caller, game: str, answer: Answer) -> Table | None:
    """The game as this process last saw it, if the answer can be judged by that: the append is refused, and says how
    the game stands, where that was not the newest version. It saves most answers a read."""
    table = ctx.tables.latest(game)
    if table is None or table.status != "running" or table.meta.match is not None:
        return None
    if all(waiting.id != answer.decision for waiting in table.game.decisions):
        return None
    try:
        return None if seat_at(caller, table) is None else table
    except Unauthorized:
        return None


def _act(ctx: Context, caller: Caller, table: Table, answer: Answer) -> Acted:
    seat = seat_required(ctx, caller, table)
    _check_channel(table, seat)
    try:
        action, after = _settle(ctx, table, seat, answer)
    except IllegalAction as error:
        if table.meta.match is not None:
            sent = {"index": answer.index} if answer.action is None else {"action": answer.action}
            fault = Fault("illegal", error.detail, json.dumps(sent, ensure_ascii=False))
            error.extra["settled"] = refuse(ctx, table, answer.decision, fault)
        raise
    closed = after.closed[answer.decision]
    return Acted(answer.decision, action_to_json(action), closed.version, observation(after, seat))


def _check_channel(table: Table, seat: int) -> None:
    if table.meta.match is not None and table.meta.seats[seat].kind == "push":
        raise WrongState("The decisions of this match are answered by the bot's web server, not here.")


def _settle(ctx: Context, table: Table, seat: int, answer: Answer) -> tuple[Action, Table]:
    chosen: list[Action] = []

    def decide(now: Table) -> Change | None:
        _check_open(now, seat, answer.decision)
        action = _action(now.game, answer) if answer.decision not in now.closed else _repeated(ctx, now, answer)
        chosen[:] = [action]
        closed = now.closed.get(answer.decision)
        if closed is not None:
            _check_repeat(closed, action)
            return None
        elapsed = _elapsed_ms(now, answer.decision)
        try:
            return settled(ctx, now, Settlement(answer.decision, action, None, elapsed))
        except engine_errors.IllegalAction as error:
            raise _illegal(error) from None

    after = change(ctx, table.id, decide, first=table)
    return chosen[0], after


def _check_open(table: Table, seat: int, decision: str) -> None:
    """Whether the decision was ever asked of the seat."""
    if table.status == "open":
        raise WrongState("The game has not begun: a seat is still open.")
    if decision in table.closed and seat_of(decision) == seat:
        return
    if table.over:
        raise GameOver("The game is over.")
    if all(waiting.id != decision or waiting.seat != seat for waiting in table.game.decisions):
        raise NotYourDecision(f"The decision {decision[:40]} was not asked of seat {seat}.")
    match = table.meta.match
    if match is not None and decision not in table.asked:
        raise NotYourDecision(f"The decision {decision} has not been put to the bot yet.")


def _elapsed_ms(table: Table, decision: str) -> int | None:
    asked = table.asked.get(decision)
    return None if asked is None else max(0, table.time_ms - asked.at_ms)


def _action(game: Game, answer: Answer) -> Action:
    """The action that an answer names. Raises InvalidRequest, IllegalAction."""
    if answer.index is None:
        try:
            return parse_action(answer.action)
        except engine_errors.InvalidInput as error:
            raise InvalidRequest(("action", *error.path), error.reason) from None
    legal = game.legal_actions(answer.decision)
    if not 0 <= answer.index < len(legal):
        listed = [action_to_json(action) for action in legal]
        why = f"There is no action of index {answer.index}: the {len(legal)} legal actions count from 0."
        raise IllegalAction(why, legal_actions=listed)
    return legal[answer.index]


def _repeated(ctx: Context, table: Table, answer: Answer) -> Action:
    """The action of an answer to a decision that is closed; an index counts in the list of that time."""
    if answer.index is None:
        return _action(table.game, answer)
    row = ctx.games.read(table.id, 0)
    if row is None:
        raise NotFound("There is no game of this id.")
    return _action(folded(table.id, row, table.closed[answer.decision].version - 1).play.game, answer)


def _check_repeat(closed: Closed, action: Action) -> None:
    if closed.by != "player" or closed.action != action:
        settled_as = settled_json(closed)
        why = "by default" if closed.by == "default" else "otherwise"
        raise DecisionClosed(f"The decision was settled {why} before.", settled=settled_as)


def settled_json(closed: Closed) -> dict[str, Any]:
    """How a decision was settled, for the seat that owed it."""
    return {"action": action_to_json(closed.action), "by": closed.by, "fault": closed.fault}


def _illegal(error: engine_errors.IllegalAction) -> IllegalAction:
    return IllegalAction(error.reason, legal_actions=[action_to_json(action) for action in error.legal])


def refuse(ctx: Context, table: Table, decision: str, fault: Fault) -> dict[str, Any] | None:
    """A poll bot's answer in a match that does not count: the decision is settled by default, with the fault, which its
    author can read.

    Returns how the decision stands settled; None when it is not one that is open to this bot.
    """
    if decision not in table.asked:
        return None
    elapsed = _elapsed_ms(table, decision)
    after, first = settle_first(ctx, table.id, Settlement(decision, None, fault.kind, elapsed))
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
        table = load(ctx, game)
    except NotFound:
        return None
    seat = seat_at(caller, table)
    if seat is None or table.meta.match is None or table.meta.seats[seat].kind != "poll":
        return None
    waiting = owed(table, seat)
    if waiting is None or decision not in (None, waiting.id):
        return None
    return refuse(ctx, table, waiting.id, Fault("bad_body", detail, received))
