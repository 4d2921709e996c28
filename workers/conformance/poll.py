"""The check of a poll bot: a game made for it, in which its asks wait as they do in a match."""

from __future__ import annotations

import random
import time
from threading import Event

from service.operations.bots.checks import open_game
from service.operations.context import Context
from service.operations.games.asks import open_decision, start_message
from service.operations.games.change import Settlement, abort, load, settle
from service.operations.games.projection import GameView
from service.store.bots import Bot
from workers.conformance.report import Report
from workers.players.poll import PollPlayer

TOTAL_S = 20.0
UP_MS = 3000
MAX_FAULTS = 3

FIXES = {
    "late": "Answer within `budget_ms`. Does it poll again at once (`after`, `wait`), and answer all that waits?",
    "bad_body": 'POST {"decision":…,"action":…} or {"decision":…,"index":…}, with Content-Type application/json.',
    "illegal": "Answer with an entry of `legal_actions`, or with its index, counted from 0.",
}


def check_poll(ctx: Context, bot: Bot, check: str) -> Report:
    """Whether the bot polls, and plays a game legally and in time. Raises Unavailable."""
    report = Report("poll")
    view = open_game(ctx, bot, check)
    try:
        player = PollPlayer(ctx, bot)
        arrival = player.warm_up(start_message(view.id, view.meta, view.names, 0), UP_MS, Event())
        report.version = arrival.version
        if not arrival.up:
            report.fault("polling", arrival.detail, "Start it: GET /v1/bots/me/decisions, with its token.")
            return report
        if arrival.version is None:
            detail = "It polls, without a `version`."
            report.advise("polling", detail, "Add ?version=…: it is kept with each match, and shows what you changed.")
        else:
            report.ok("polling", f"It polls, with version {arrival.version}.")
        _play(ctx, view, player, report)
    finally:
        abort(ctx, view.id)
    return report


def _play(ctx: Context, view: GameView, player: PollPlayer, report: Report) -> None:
    until = time.monotonic() + TOTAL_S
    chance = random.Random(view.id)
    faults: dict[str, str] = {}
    wrong = 0
    while not view.over and wrong < MAX_FAULTS and time.monotonic() < until:
        question = open_decision(view, 0)
        if question is not None:
            player.settle(view, question.id, None)
            report.asks += 1
            view = load(ctx, view.id)
            elapsed = (view.ledgers[0].previous or {}).get("elapsed_ms") or 0
            fault = view.closed[question.id].fault
            if fault is None:
                report.answer_ms.append(elapsed)
            else:
                wrong += 1
                faults.setdefault(fault, f"{question.id}: {fault}, after {elapsed} ms")
        theirs = open_decision(view, 1)
        if theirs is not None:
            action = chance.choice(view.game.legal_actions(theirs.id))
            view = settle(ctx, view.id, Settlement(theirs.id, action)).view
    _judge(report, faults, whole=view.over)


def _judge(report: Report, faults: dict[str, str], *, whole: bool) -> None:
    for kind, detail in faults.items():
        report.fault("a game", f"{detail}; its ledger of faults says more.", FIXES[kind])
    if not faults:
        end = "to its end" if whole else f"for {TOTAL_S:.0f} s"
        report.ok("a game", f"{report.asks} asks, of a game of 2 players {end}, are answered legally.")
    if report.answer_ms:
        report.judge_speed(report.answer_ms)
