"""The reference bots in the order of their strength, each a rung. A new one is one class and one line here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from bots.search import SearchLimits, duct_bot, lookahead_bot, montecarlo_bot
from montego_bot import Bot


class UnknownBotError(ValueError):
    """No reference bot has this name; the text lists the names."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A reference bot: its name, its idea in a line, and how to make one from a name, a seed and search limits.

    With limits None a rung takes its own. Only a rung that searches accepts limits.
    """

    name: str
    idea: str
    make: Callable[[str, str, SearchLimits | None], Bot]
    searches: bool = True


def _random(name: str, seed: str, _: SearchLimits | None) -> Bot:
    return RandomBot(name, seed)


def _greedy(name: str, seed: str, _: SearchLimits | None) -> Bot:
    return GreedyBot(name, seed)


RUNGS = (
    Rung("random", "any legal action", _random, searches=False),
    Rung("greedy", "cards by the expected value of stops, loads by majority and the last space", _greedy, False),
    Rung("lookahead", "one step ahead, against a few samples of what the others may do", lookahead_bot),
    Rung("montecarlo", "flat Monte Carlo to the end of the round, most tries for the best actions", montecarlo_bot),
    Rung("duct", "decoupled UCT: a tree in which all who choose at the same time learn", duct_bot),
)


class NoSearchError(ValueError):
    """Search limits were given for a bot that does not search."""


def make_bot(
    wanted: str, *, name: str | None = None, seed: str | None = None, limits: SearchLimits | None = None
) -> Bot:
    """A reference bot by the name of its rung, with or without a number behind it (`greedy`, `greedy-2`).

    `greedy-2` is the bot `greedy` under another name and seed; name and seed default to `wanted`. Raises
    UnknownBotError if there is no such rung, NoSearchError if `limits` are given for a rung that does not search.
    """
    stem = re.sub(r"-[1-9][0-9]{0,3}$", "", wanted)
    for rung in RUNGS:
        if rung.name == stem:
            if limits is not None and not rung.searches:
                raise NoSearchError(f"{rung.name} does not search: it takes no limits")
            return rung.make(wanted if name is None else name, wanted if seed is None else seed, limits)
    known = ", ".join(rung.name for rung in RUNGS)
    raise UnknownBotError(f"there is no bot {wanted!r}; the bots are: {known} (or with a number at the end: greedy-2)")
