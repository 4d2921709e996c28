"""The kit for bots in Python: you write one function, and the kit does the rest of the bot protocol.

    from bots.sdk import run_push

    def first(ask):
        return ask.legal_actions[0]

    run_push(first, port=9000)

`run_poll(first, url=..., token=...)` makes the same function a poll bot. `push_app(first)` is a WSGI application.
"""

from bots.sdk.bot import BadChoice, Bot, Choice, FunctionBot, answer
from bots.sdk.messages import (
    PROTOCOL,
    Action,
    Ask,
    BadMessage,
    Cards,
    Decision,
    DockedShip,
    End,
    HiredJack,
    Observation,
    Previous,
    Room,
    Seat,
    Start,
    Token,
    UnseenShip,
    Warehouse,
    Worker,
    read_ask,
    read_end,
    read_start,
)
from bots.sdk.poll import Poller, Refused
from bots.sdk.push import push_app
from bots.sdk.run import run_poll, run_push
from bots.sdk.seeded_random import generator, question_hash
from bots.sdk.server import BotServer, CannotListen, running
from bots.sdk.signing import BadSecret, BadSignature, Verifier

__all__ = [
    "PROTOCOL",
    "Action",
    "Ask",
    "BadChoice",
    "BadMessage",
    "BadSecret",
    "BadSignature",
    "Bot",
    "BotServer",
    "CannotListen",
    "Cards",
    "Choice",
    "Decision",
    "DockedShip",
    "End",
    "FunctionBot",
    "HiredJack",
    "Observation",
    "Poller",
    "Previous",
    "Refused",
    "Room",
    "Seat",
    "Start",
    "Token",
    "UnseenShip",
    "Verifier",
    "Warehouse",
    "Worker",
    "answer",
    "generator",
    "push_app",
    "question_hash",
    "read_ask",
    "read_end",
    "read_start",
    "run_poll",
    "run_push",
    "running",
]
