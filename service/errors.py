"""What a use case may refuse. Each error is named once, here; `service.api` maps its `code` to HTTP, once."""

from __future__ import annotations

from typing import Any, ClassVar


class OperationError(Exception):
    """Base. Programs go by `code` (PROTOCOL "Errors"); `extra` has further members of the problem answer."""

    code: ClassVar[str] = "internal_error"

    def __init__(self, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.extra = extra


class Unauthorized(OperationError):
    """No token where one is needed, or an unknown one."""

    code = "unauthorized"


class Forbidden(OperationError):
    """A valid token of another seat, game, bot or role."""

    code = "forbidden"


class NotFound(OperationError):
    """Nothing of that id."""

    code = "not_found"


class Unreadable(OperationError):
    """What is stored under this id cannot be read: it is damaged, or another version of the program has written it."""


class DecisionClosed(OperationError):
    """The decision was settled otherwise; `settled` has the action and who settled it."""

    code = "decision_closed"


class NotYourDecision(OperationError):
    """A decision that was never asked of this seat."""

    code = "not_your_decision"


class GameOver(OperationError):
    """The game is over."""

    code = "game_over"


class GameNotOver(OperationError):
    """Asked for what only a game that is over has."""

    code = "game_not_over"


class SeatTaken(OperationError):
    """The seat is not open."""

    code = "seat_taken"


class NameTaken(OperationError):
    """Another bot has the name."""

    code = "name_taken"


class WrongState(OperationError):
    """Whatever else the state forbids."""

    code = "wrong_state"


class InvalidRequest(OperationError):
    """Well-formed JSON that cannot be used; `errors` maps the path of a field to its messages."""

    code = "invalid_request"

    def __init__(self, path: tuple[str | int, ...], reason: str) -> None:
        super().__init__(f"{'.'.join(str(part) for part in path)}: {reason}" if path else reason)
        nested: Any = [reason]
        for part in reversed(path):
            nested = {str(part): nested}
        self.extra = {"errors": nested if path else {"_schema": nested}}


class IllegalAction(OperationError):
    """An action that the rules forbid; `legal_actions` lists what they allow."""

    code = "illegal_action"


class Unavailable(OperationError):
    """Redis does not answer; try again."""

    code = "unavailable"
