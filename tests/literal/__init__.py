"""A second, literal implementation of Montego Bay, written from the rules page alone.

It is slow and obvious on purpose: objects that stand for the pieces on the table, and methods that follow the
sentences of the rules page in their order, each quoted where it is played. It shares no code with the engine, so that
the engine can be held against it.
"""

from .chance import commitment, deal
from .rules import LiteralGame

__all__ = ["LiteralGame", "commitment", "deal"]
