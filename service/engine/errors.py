"""Errors that the engine raises on purpose; that of an illegal action is in `service.engine.actions`."""

Path = tuple[str | int, ...]
"""A place in a JSON value: member names and indices from the outside in."""


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
    """Something in a JSON value that does not fit: where it stands, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.reason}" if self.path else self.reason


class EngineError(Exception):
    """The base of all errors that the engine raises on purpose."""


class InvalidInput(Misfit, EngineError):
    """Something from outside has the wrong shape or breaks a stated limit. Nothing has changed."""


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


class NoOrder(EngineError):
    """A reshuffle for which there is neither a given order nor a seed."""

    def __init__(self, round_number: int) -> None:
        super().__init__(round_number)
        self.round = round_number

    def __str__(self) -> str:
        return f"the order is shuffled before round {self.round}, but neither an order nor a seed is given for it"


class GameIsNotOver(EngineError):
    """A record was wanted of a game that has not ended."""

    def __str__(self) -> str:
        return "the game is not over"


class DamagedRecord(Misfit, EngineError):
    """A record that contradicts itself or the rules: the first entry that is wrong, and why."""
