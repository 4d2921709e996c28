"""A model's reply read as a choice, whatever it is wrapped in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from montego_bot import Ask, BadChoice, Bot, FunctionBot, answer

_NUMBER = re.compile(
    r"(?:index|action|option|number|answer|choice|choose|chosen|play)\W{0,12}(\d{1,3})\b", re.IGNORECASE
)
_BARE = re.compile(r"\W*(\d{1,3})\W*")


class BadReply(ValueError):
    """A reply that names no legal action. The text says why, for the model to read."""


def read_reply(text: str, ask: Ask, legal_list: bool) -> tuple[dict[str, Any], str]:
    """The action, as JSON, and the model's thoughts ("" if it told none). Raises BadReply.

    The last JSON object that holds an index, an action, or is an action itself counts, in whatever text it stands. With
    a numbered list, a number alone or a phrase such as "I choose 4" counts if there is no such object.
    """
    found = [value for value in _objects(text) if {"index", "action", "type"} & value.keys()]
    if found:
        thoughts = found[-1].get("thoughts")
        return _legal(_choice_of(found[-1]), ask), thoughts if isinstance(thoughts, str) else ""
    if legal_list and (number := _number(text)) is not None:
        return _legal(number, ask), ""
    if not text.strip():
        raise BadReply("the answer was empty")
    if "{" in text:
        raise BadReply("the answer has no complete JSON object; it may have been cut off: be brief")
    raise BadReply("the answer has no JSON object")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object in a text that stands in no other one, in order."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _choice_of(value: dict[str, Any]) -> object:
    if "index" in value:
        index = value["index"]
        return int(index) if isinstance(index, str) and index.strip().isdecimal() else index
    action = value.get("action", value)
    return (
        {name: member for name, member in action.items() if name != "thoughts"} if isinstance(action, dict) else action
    )


def _number(text: str) -> int | None:
    """The number alone, or the last one after a word such as "index"."""
    if bare := _BARE.fullmatch(text):
        return int(bare[1])
    named = _NUMBER.findall(text)
    return int(named[-1]) if named else None


def _legal(choice: Any, ask: Ask) -> dict[str, Any]:
    """The legal action that is meant. Raises BadReply."""
    try:
        bot: Bot = FunctionBot(lambda _: choice, name="model")
        legal: dict[str, Any] = answer(bot, ask)["action"]
    except BadChoice as error:
        raise BadReply(f"{error}; there are {len(ask.legal_actions)} legal actions") from None
    return legal
