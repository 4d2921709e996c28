"""The rungs that search as bots, with their default limits."""

from __future__ import annotations

from bots.search.bot import SearchBot
from bots.search.duct import ITERATIONS as DUCT_ITERATIONS
from bots.search.duct import duct
from bots.search.limits import SearchLimits
from bots.search.lookahead import SAMPLES, lookahead
from bots.search.montecarlo import ITERATIONS as MONTECARLO_ITERATIONS
from bots.search.montecarlo import montecarlo


def lookahead_bot(name: str, seed: str, limits: SearchLimits | None = None) -> SearchBot:
    """Looks one step ahead; an iteration is a sample of what the others may do."""
    return SearchBot(lookahead, limits or SearchLimits(SAMPLES), name, seed)


def montecarlo_bot(name: str, seed: str, limits: SearchLimits | None = None) -> SearchBot:
    """FlatSearch Monte Carlo to the end of the round; an iteration is a try of one action."""
    return SearchBot(montecarlo, limits or SearchLimits(MONTECARLO_ITERATIONS), name, seed)


def duct_bot(name: str, seed: str, limits: SearchLimits | None = None) -> SearchBot:
    """Decoupled UCT; an iteration is a walk down the tree."""
    return SearchBot(duct, limits or SearchLimits(DUCT_ITERATIONS), name, seed)
