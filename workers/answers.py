"""What a bot's answer to an ask is worth: an action, or a fault (PROTOCOL "Faults")."""

from __future__ import annotations

from service.engine.actions import Action, NotLegal
from service.engine.errors import InvalidInput
from service.engine.game import Game
from service.operations.bots.faults import RECEIVED_LIMIT, Fault, printable
from service.operations.games.act import Submission, chosen_action, kept_comment
from service.strict_json import StrictJsonError, parse_strict
from workers.outbound import Exchange, Failed


def ask_id(game: str, decision: str, attempt: int = 1) -> str:
    """The `webhook-id` of an ask: the same again when it is sent again, another one for the next attempt."""
    name = f"{game}_{decision.replace('.', '-')}"
    return name if attempt == 1 else f"{name}_{attempt}"


def verdict_on(exchange: Exchange, game: Game, decision: str) -> Action | Fault:
    """The legal action that came of an ask, or the fault."""
    return fault_of(exchange) if isinstance(exchange, Failed) else judge(exchange.body, game, decision)


def fault_of(failed: Failed) -> Fault:
    """The fault of an ask that brought no answer."""
    return Fault(failed.kind, failed.detail, failed.received, failed.status)


def judge(body: bytes, game: Game, decision: str) -> Action | Fault:
    """The legal action that the body of a 200 names for an open decision, or the fault that it is."""
    action = read_answer(body, game, decision)
    if isinstance(action, Fault):
        return action
    try:
        game.apply(decision, action)
    except NotLegal as error:
        return illegal(error, body)
    return action


def read_answer(body: bytes, game: Game, decision: str) -> Action | Fault:
    """The action that the body of a 200 names for an open decision, or the fault that it is. Whether an action that is
    given in full is legal, the game says that takes it in.

    *bad_body*: not strict JSON, not an object, or not exactly one of `action` and `index` of the right type.
    *illegal*: an index that is not there. Other members are ignored.
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
    index = answer.get("index")
    if "index" in answer and (isinstance(index, bool) or not isinstance(index, int)):
        return Fault("bad_body", "`index` must be a whole number.", received, 200)
    try:
        return chosen_action(game, Submission(decision, answer.get("action"), index))
    except InvalidInput as error:
        where = ".".join(("action", *(str(part) for part in error.path)))
        return Fault("bad_body", printable(f"{where}: {error.reason}", RECEIVED_LIMIT), received, 200)
    except NotLegal as error:
        return illegal(error, body)


def comment_of(body: bytes) -> str | None:
    """The comment in an answer that was read before, or None."""
    answer = parse_strict(body)
    return kept_comment(answer.get("comment")) if isinstance(answer, dict) else None


def illegal(error: NotLegal, body: bytes) -> Fault:
    """The fault of an answer that the rules refuse."""
    return Fault("illegal", printable(error.reason, RECEIVED_LIMIT), printable(body, RECEIVED_LIMIT), 200)
