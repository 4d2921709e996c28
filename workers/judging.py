"""What a bot's answer to an ask is worth: an action, or a fault (PROTOCOL "Faults")."""

from __future__ import annotations

from typing import Any

from service.engine.actions import Action, parse_action
from service.engine.errors import IllegalAction, InvalidInput
from service.engine.game import Game
from service.operations.bots.faults import RECEIVED_LIMIT, Fault, printable
from service.strict_json import StrictJsonError, parse_strict
from workers.outbound import Exchange, Failed


def ask_id(game: str, decision: str) -> str:
    """The `webhook-id` of an ask: the same again when it is sent again."""
    return f"{game}_{decision.replace('.', '-')}"


def verdict_on(exchange: Exchange, game: Game, decision: str) -> Action | Fault:
    """The action that came of an ask, or the fault."""
    if isinstance(exchange, Failed):
        return Fault(exchange.kind, exchange.detail, exchange.received, exchange.status)
    return judge(exchange.body, game, decision)


def judge(body: bytes, game: Game, decision: str) -> Action | Fault:
    """The action that the body of a 200 names for an open decision, or the fault that it is.

    *bad_body*: not strict JSON, not an object, or not exactly one of `action` and `index` of the right type.
    *illegal*: well formed, but not on the list. Other members are ignored.
    """
    received = printable(body, RECEIVED_LIMIT)
    try:
        answer = parse_strict(body)
    except StrictJsonError as error:
        return Fault("bad_body", f"The body cannot be read: {error.reason}.", received, 200)
    if not isinstance(answer, dict):
        return Fault("bad_body", "The body is no JSON object.", received, 200)
    if ("action" in answer) == ("index" in answer):
        return Fault("bad_body", "The body must have exactly one of `action` and `index`.", received, 200)
    if "index" in answer:
        return _by_index(answer["index"], game, decision, received)
    return _by_content(answer["action"], game, decision, received)


def _by_index(index: Any, game: Game, decision: str, received: str) -> Action | Fault:
    if isinstance(index, bool) or not isinstance(index, int):
        return Fault("bad_body", "`index` must be a whole number.", received, 200)
    legal = game.legal_actions(decision)
    if not 0 <= index < len(legal):
        return Fault("illegal", f"There is no index {index}: the {len(legal)} actions count from 0.", received, 200)
    return legal[index]


def _by_content(value: Any, game: Game, decision: str, received: str) -> Action | Fault:
    try:
        action = parse_action(value)
    except InvalidInput as error:
        where = ".".join(("action", *(str(part) for part in error.path)))
        return Fault("bad_body", printable(f"{where}: {error.reason}", RECEIVED_LIMIT), received, 200)
    try:
        game.apply(decision, action)
    except IllegalAction as error:
        return Fault("illegal", printable(error.reason, RECEIVED_LIMIT), received, 200)
    return action
