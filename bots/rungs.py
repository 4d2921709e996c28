"""The ladder of reference bots, lowest rung first. A new rung is one class and one line here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from bots.sdk import Bot


class UnknownBotError(ValueError):
    """No reference bot has this name; the text lists those that there are."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A reference bot: its name, its idea in a line, and how one is made from a name and a seed."""

    name: str
    idea: str
    make: Callable[[str, str], Bot]


RUNGS = (
    Rung("random", "any legal action", RandomBot),
    Rung("greedy", "cards by the expected value of stops, loads by majority and the last space", GreedyBot),
)


def make_bot(wanted: str, *, name: str | None = None, seed: str | None = None) -> Bot:
    """A reference bot by the name of its rung, with or without a number behind it (`greedy`, `greedy-2`).

    `greedy-2` is the bot `greedy` under another name and seed; both default to what is wanted. UnknownBotError if
    there is no such rung.
    """
    stem = re.sub(r"-[1-9][0-9]{0,3}$", "", wanted)
    for rung in RUNGS:
        if rung.name == stem:
            return rung.make(wanted if name is None else name, wanted if seed is None else seed)
    known = ", ".join(rung.name for rung in RUNGS)
    raise UnknownBotError(f"there is no bot {wanted!r}; the bots are: {known} (also with a number behind, as greedy-2)")
