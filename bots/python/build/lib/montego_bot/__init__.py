"""The kit for bots in Python: you write one function, and the kit does the rest of the bot protocol.

    from montego_bot import run_push

    def first(ask):
        return ask.legal_actions[0]

    run_push(first, port=9000)

`run_poll(first, url=..., token=...)` makes the same function a poll bot. `push_app(first)` is a WSGI application.
"""

from montego_bot.bot import BadChoice, Bot, Choice, Commented, FunctionBot, answer
from montego_bot.messages import (
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
from montego_bot.poll import Poller, Refused
from montego_bot.push import push_app
from montego_bot.run import run_poll, run_push
from montego_bot.seeded_random import generator, question_hash
from montego_bot.server import BotServer, CannotListen, running
from montego_bot.signing import BadSecret, BadSignature, Verifier

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
    "Commented",
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
