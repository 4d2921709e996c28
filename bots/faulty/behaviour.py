"""Bots whose answers are right, but late, broken off, or not to be had; or that introduce themselves badly."""

from __future__ import annotations

from bots.faulty.bodies import RUDE
from bots.faulty.server import Exchange, FaultyBot, honest_answer
from montego_bot import PROTOCOL

_AFTER_S = 0.25
_DRIP_S = 0.05
_LIVES = 3


def _late(exchange: Exchange) -> None:
    if exchange.wait(exchange.budget_s + _AFTER_S):
        honest_answer(exchange)


def _hanging(exchange: Exchange) -> None:
    exchange.wait(float("inf"))
    exchange.hang_up()


def _drip(exchange: Exchange, at_once: bytes, drop: bytes) -> None:
    if exchange.send(at_once):
        while exchange.wait(_DRIP_S) and exchange.send(drop):
            pass
    exchange.hang_up()


def _dripping(exchange: Exchange) -> None:
    _drip(exchange, b'HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n{"index":0', b" ")


def _dripping_head(exchange: Exchange) -> None:
    _drip(exchange, b"HTTP/1.1 200 OK\r\nX-Thoughts: ", b"m")


def _closing(exchange: Exchange) -> None:
    honest_answer(exchange)
    exchange.hang_up()


def _hanging_up(exchange: Exchange) -> None:
    exchange.hang_up()


def _crashing(exchange: Exchange) -> None:
    if exchange.number < _LIVES:
        honest_answer(exchange)
    else:
        exchange.hang_up()
        exchange.server.crash()


def _other_protocol(exchange: Exchange) -> None:
    exchange.reply({"protocol": "montego-bay/0", "name": "old", "version": "1", "author": "nobody"})


def _another_version(exchange: Exchange) -> None:
    exchange.reply({"protocol": PROTOCOL, "name": "changing", "version": f"1.{exchange.number}", "author": "nobody"})


def _rude_information(exchange: Exchange) -> None:
    exchange.reply({"protocol": PROTOCOL, "name": RUDE * 200, "version": RUDE + "1", "author": "<b>" * 5000})


def _no_start(exchange: Exchange) -> None:
    exchange.reply({"title": "not today"}, 500)


FAULTY_BEHAVIOURS = (
    FaultyBot("late", "gives a good answer, a quarter of a second after the deadline", "late", _late),
    FaultyBot("hanging", "never answers", "late", _hanging),
    FaultyBot("dripping", "answers one byte every 50 ms", "late", _dripping),
    FaultyBot("dripping-head", "sends one byte of a header every 50 ms", "late", _dripping_head),
    FaultyBot("hanging-up", "hangs up before a status line", "unreachable", _hanging_up),
    FaultyBot("crashing", "answers three times, then is gone", "unreachable", _crashing),
    FaultyBot("refusing", "refuses connections", "unreachable", comes_up=False, listens=False),
    FaultyBot("other-protocol", "speaks an older protocol", None, information=_other_protocol, comes_up=False),
    FaultyBot("never-starting", "answers 500 to /start", None, start=_no_start, comes_up=False),
    FaultyBot("slow-start", "answers 503 for a second and a half, then plays well", None, warmup_s=1.5),
    FaultyBot("closing", "closes each connection after its answer, unannounced", None, _closing),
    FaultyBot("changing-version", "gives another version each time", None, information=_another_version),
    FaultyBot(
        "ansi-and-html", "has a name and version full of ANSI codes and HTML", None, information=_rude_information
    ),
)
