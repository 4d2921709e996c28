"""What the author of a bot writes: a class with one method, or a function. Its choices are checked here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from montego_bot.messages import Action, Ask, End, Start

MAX_COMMENT = 500
"""The longest comment in characters (PROTOCOL "Decisions and answers")."""


@dataclass(frozen=True)
class Commented:
    """A choice with a comment, which stands in the record of the game once that is over. What is too long is cut."""

    choice: Action | Mapping[str, Any] | int
    comment: str


Choice = Union[Action, Mapping[str, Any], int, Commented]
"""An entry of `ask.legal_actions`, an action as JSON, or an index into them; each with or without a comment."""


class BadChoice(ValueError):
    """The bot's own code returned something that is not legal. The author is told, and no action is sent."""


class Bot(ABC):
    """A bot. Set `name`, `version` and `author`, and write `act`.

    The methods may be called from several threads at the same time.
    """

    name: str = "bot"
    version: str = "1"
    author: str = ""

    @abstractmethod
    def act(self, ask: Ask) -> Choice:
        """Answers one question, within `ask.budget_ms` milliseconds."""

    def on_start(self, start: Start) -> None:  # noqa: B027  (most bots do not need it)
        """Called before the first ask of a game; may be called again for the same game."""

    def on_end(self, end: End) -> None:  # noqa: B027
        """Called when a game is over. It is not certain that the message arrives."""


class FunctionBot(Bot):
    """A bot made of one function."""

    def __init__(self, choose: Callable[[Ask], Choice], *, name: str, version: str = "1", author: str = "") -> None:
        self.name, self.version, self.author = name, version, author
        self._choose = choose

    def act(self, ask: Ask) -> Choice:
        """Asks the function."""
        return self._choose(ask)


def as_bot(bot: Bot | Callable[[Ask], Choice], name: str | None = None) -> Bot:
    """The given bot, or a bot made of a function. The function's own name is the default name of the bot."""
    if isinstance(bot, Bot):
        return bot
    return FunctionBot(bot, name=name or str(getattr(bot, "__name__", "bot")).replace("_", "-"))


def answer(bot: Bot, ask: Ask) -> dict[str, Any]:
    """The body of the bot's answer, `{"action": {...}}`, and its comment if it has one. Raises BadChoice if the bot
    returned no legal action."""
    choice = bot.act(ask)
    if isinstance(choice, Commented):
        return {"action": _legal(choice.choice, ask).to_json(), "comment": choice.comment[:MAX_COMMENT]}
    return {"action": _legal(choice, ask).to_json()}


def _legal(choice: object, ask: Ask) -> Action:
    legal = ask.legal_actions
    where = f"decision {ask.decision.id} ({len(legal)} legal actions)"
    if isinstance(choice, int) and not isinstance(choice, bool):
        if not 0 <= choice < len(legal):
            raise BadChoice(f"{where}: there is no index {choice}")
        return legal[choice]
    if isinstance(choice, Action):
        choice = choice.to_json()
    if not isinstance(choice, Mapping):
        raise BadChoice(f"{where}: expected an Action, a dict or an index, and act returned {choice!r:.80}")
    wanted = _content(choice)
    for action in legal:
        if _content(action.to_json()) == wanted:
            return action
    raise BadChoice(f"{where}: {dict(choice)!r:.200} is not legal")


def _content(action: Mapping[str, Any]) -> dict[str, Any]:
    # A count of 0 may be written out, so actions are compared without them.
    ships = action.get("ships")
    return (
        {**action, "ships": {ship: n for ship, n in ships.items() if n}} if isinstance(ships, Mapping) else {**action}
    )
