"""The searching rungs as bots, with the iterations they take unless told otherwise."""

from __future__ import annotations

from bots.search.bot import SearchBot
from bots.search.duct import ITERATIONS as DUCT_ITERATIONS
from bots.search.duct import duct
from bots.search.limits import Thinking
from bots.search.lookahead import SAMPLES, lookahead
from bots.search.montecarlo import ITERATIONS as MONTECARLO_ITERATIONS
from bots.search.montecarlo import montecarlo


def lookahead_bot(name: str, seed: str, thinking: Thinking | None = None) -> SearchBot:
    """One step ahead; an iteration is a sample of what the others may do."""
    return SearchBot(lookahead, thinking or Thinking(SAMPLES), name, seed)


def montecarlo_bot(name: str, seed: str, thinking: Thinking | None = None) -> SearchBot:
    """Flat Monte Carlo to the end of the round; an iteration is a try of one action."""
    return SearchBot(montecarlo, thinking or Thinking(MONTECARLO_ITERATIONS), name, seed)


def duct_bot(name: str, seed: str, thinking: Thinking | None = None) -> SearchBot:
    """Decoupled UCT; an iteration is a walk down the tree."""
    return SearchBot(duct, thinking or Thinking(DUCT_ITERATIONS), name, seed)
