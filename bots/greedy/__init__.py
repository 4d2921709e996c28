"""Rung `greedy`: takes what pays most now."""

from bots.greedy.bot import GreedyBot, Weights

__all__ = ["GreedyBot", "Weights"]
