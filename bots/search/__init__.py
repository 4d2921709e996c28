"""The rungs that search: `lookahead`, `montecarlo`, `duct`. See docs/bots-reference.md."""

from bots.search.bot import SearchBot
from bots.search.limits import SearchLimits
from bots.search.rungs import duct_bot, lookahead_bot, montecarlo_bot

__all__ = ["SearchBot", "SearchLimits", "duct_bot", "lookahead_bot", "montecarlo_bot"]
