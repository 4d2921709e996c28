"""Everything that the engine refuses, named once."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.engine.actions import Action

Path = tuple[str | int, ...]
"""Where in a JSON value: member names and indices from the outside in."""


def path_text(path: Path) -> str:
    """`ships[3].capacity` for `("ships", 3, "capacity")`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


class Misfit(Exception):
    """Something that does not fit, where in a JSON value it stands, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.reason}" if self.path else self.reason


class EngineError(Exception):
    """The parent of all that the engine raises on purpose."""


class InvalidInput(Misfit, EngineError):
    """Something from outside has the wrong shape or breaks a stated limit. Nothing has changed."""


class IllegalAction(EngineError):
    """A well-formed action that the rules forbid here: why, and what would be legal, in canonical order."""

    def __init__(self, reason: str, legal: "tuple[Action, ...]") -> None:
        super().__init__(reason, legal)
        self.reason = reason
        self.legal = legal

    def __str__(self) -> str:
        return self.reason


class NotOpen(EngineError):
    """No decision with this id is open now."""

    def __init__(self, decision: str) -> None:
        super().__init__(decision)
        self.decision = decision

    def __str__(self) -> str:
        return f"decision {self.decision} is not open"


class GameIsOver(EngineError):
    """The game has ended; nothing can be settled any more."""

    def __str__(self) -> str:
        return "the game is over"


class GameIsNotOver(EngineError):
    """Only a game that has ended has a record."""

    def __str__(self) -> str:
        return "the game is not over"


class DamagedRecord(Misfit, EngineError):
    """A record that does not hold together: the entry at which it goes wrong, and how."""
