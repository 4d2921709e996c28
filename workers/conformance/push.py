"""The check of a push bot: scripted and random asks, good and hostile ones, sent by the outbound client of a match."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from service.engine.components import components_to_json
from service.operations.bots.faults import Fault
from service.protocol import BOT_PROTOCOL
from workers.conformance.caller import ASK_MS, BotCaller, BotResponse, OutOfTime, Target
from workers.conformance.positions import PracticeGame, Question, longest_question, scripted
from workers.conformance.report import Report
from workers.outbound import Answered, Failed, OutboundClient
from workers.players.push import read_information

TOTAL_S = 24.0
"""A check ends after this time: the API waits for 25 s."""
GAME_S = 8.0
"""The whole game ends after this time."""
MAX_FAULTS = 3
CONCURRENT_ASKS = 6
END_S = 2.0

FIXES = {
    "late": "Answer within `budget_ms`; does the bot hang, or send its answer drop by drop?",
    "unreachable": "Is it running, at that address, and does it go on serving after an answer?",
    "bad_status": "Answer 200. See what the bot logged about this ask.",
    "bad_body": 'Answer {"action":…} or {"index":…}, exactly one of them, as strict JSON of at most 64 KiB.',
    "illegal": "Answer with an entry of `legal_actions`, or with its index, counted from 0.",
}
SPLIT_MS = 30
"""An answer is short: if its last byte comes so long after its first, the bot's system held the rest back."""
WANTS_SECRET = (
    "The bot accepts only what is signed with its secret: give that in MONTEGO_BOT_SECRET, or have the service check "
    "it (montego bots check)."
)


def check_push(outbound: OutboundClient, target: Target, total_s: float = TOTAL_S) -> Report:
    """Runs all checks, one after another, for at most `total_s` seconds. Most of them run only if the bot comes up and
    plays a game."""
    began = time.monotonic()
    caller = BotCaller(outbound, target, began + total_s)
    report = Report("push")
    try:
        if _information(caller, report) and _start(caller, report) and _whole_game(caller, report):
            for check in CHECKS:
                check(caller, report)
    except OutOfTime:
        report.advise(
            "time",
            f"The check was broken off after {total_s:.0f} s: what is not listed was not checked.",
            "Answer faster: a bot has some twenty decisions in a match.",
        )
    report.asks, report.answer_ms = caller.asks, caller.answer_ms
    return report


def _information(caller: BotCaller, report: Report) -> bool:
    exchange = caller.get()
    if isinstance(exchange, Failed):
        report.failure = f"GET /: {exchange}"
        report.fault("information", report.failure, FIXES[exchange.kind])
        return False
    arrival = read_information(exchange.body)
    report.version, report.up, report.failure = arrival.version, arrival.up, arrival.detail
    if not arrival.up:
        fix = f'Answer GET / with {{"protocol":"{BOT_PROTOCOL}","name":…,"version":…,"author":…}}.'
        report.fault("information", arrival.detail, fix)
        return False
    if arrival.version is None:
        report.advise(
            "information",
            "The answer to GET / has no `version`.",
            "Add one: it is kept with each match, and shows what you changed.",
        )
    else:
        report.ok("information", f"GET / is answered with the protocol, and version {arrival.version}.")
    return True


def _start(caller: BotCaller, report: Report) -> bool:
    target = caller.target
    game = PracticeGame(target.game, 4, "start")
    message = {
        "protocol": BOT_PROTOCOL,
        "game": target.game,
        "match": None,
        "tournament": None,
        "seat": 0,
        "players": 4,
        "variants": game.state.variants.to_json(),
        "components": components_to_json(game.components),
        "seats": list(game.names),
        "move_ms": ASK_MS,
        "bank_ms": 0,
        "max_faults": None,
        "attempts": 1,
    }
    exchange = caller.post("/start", f"{target.game}_start", message)
    if isinstance(exchange, Answered):
        report.ok("start", "POST /start is answered 200.")
        return True
    detail = f"POST /start: {exchange}"
    unsigned = exchange.status in (401, 403) and not target.secrets
    report.fault("start", detail, WANTS_SECRET if unsigned else FIXES[exchange.kind])
    return False


def _whole_game(caller: BotCaller, report: Report) -> bool:
    """Lets the bot play a game, until it has made too many faults or taken too long. Whether to go on checking."""
    game = PracticeGame(caller.target.game, 4, f"whole game {caller.target.game}")
    until = time.monotonic() + GAME_S
    faults: list[tuple[Question, Fault]] = []
    asked, previous = 0, None
    while (question := game.question()) is not None:
        if len(faults) >= MAX_FAULTS or time.monotonic() > until:
            break
        answer = caller.ask(question, previous=previous)
        asked += 1
        if answer.fault is not None:
            faults.append((question, answer.fault))
        outcome = "ok" if answer.fault is None else answer.fault.kind
        previous = {"decision": question.decision.id, "outcome": outcome, "elapsed_ms": answer.elapsed_ms}
        default = game.state.default_action(question.decision.id)
        game.settle(question.decision.id, answer.action or default)
    if not faults:
        whole = "to its end" if game.state.outcome is not None else f"for {GAME_S:.0f} s"
        report.ok("a game", f"{asked} asks, of a game of 4 players {whole}, are answered legally.")
    for question, fault in {fault.kind: (question, fault) for question, fault in reversed(faults)}.values():
        unsigned = fault.status in (401, 403) and not caller.target.secrets
        report.fault("a game", _described(question, fault), WANTS_SECRET if unsigned else FIXES[fault.kind])
    return len(faults) < MAX_FAULTS


def _each_decision(caller: BotCaller, report: Report) -> None:
    questions = scripted(f"{caller.target.game}-s")
    answers = [(question, caller.ask(question).fault) for question in questions]
    wrong = {fault.kind: (question, fault) for question, fault in answers if fault is not None}
    for question, fault in wrong.values():
        report.fault("each decision", _described(question, fault), FIXES[fault.kind])
    if not wrong:
        kinds = ", ".join(dict.fromkeys(question.decision.type for question in questions))
        report.ok("each decision", f"{kinds}: each is answered legally, with 2, 3 and 4 players.")


def _unknown_members(caller: BotCaller, report: Report) -> None:
    question = scripted(f"{caller.target.game}-u")[0]
    answer = caller.ask(question, alter=with_unknown_members)
    fix = "Ignore what you don't know: later versions of the service may add members anywhere."
    _note(report, "unknown members", question, answer, "Members that it does not know are ignored.", fix)


def _long_lists(caller: BotCaller, report: Report) -> None:
    question = longest_question(f"{caller.target.game}-l")
    actions = len(question.state.legal_actions(question.decision.id))
    passed = f"An ask with {actions} legal actions and 60 ships is answered."
    fix = "Don't rely on the usual ships and warehouses: games can be played with others."
    _note(report, "long lists", question, caller.ask(question), passed, fix)


def _repeated_ask(caller: BotCaller, report: Report) -> None:
    question = scripted(f"{caller.target.game}-r")[0]
    first, second = caller.ask(question), caller.ask(question)
    if first.fault or second.fault:
        _note(report, "repeated ask", question, first if first.fault else second, "", "The same ask may come twice.")
    elif first.action != second.action:
        report.advise(
            "repeated ask",
            "The same ask, sent again, got another answer.",
            "Answer it the same way: an ask is sent again after a broken connection, and only one answer counts.",
        )
    else:
        report.ok("repeated ask", "The same ask, sent again, gets the same answer.")


def _several_at_once(caller: BotCaller, report: Report) -> None:
    questions = (scripted(f"{caller.target.game}-p") * CONCURRENT_ASKS)[:CONCURRENT_ASKS]
    with ThreadPoolExecutor(CONCURRENT_ASKS, thread_name_prefix="check") as pool:
        answers = list(pool.map(caller.ask, questions))
    question, answer = next(
        (pair for pair in zip(questions, answers, strict=True) if pair[1].fault), (questions[0], answers[0])
    )
    passed = f"{CONCURRENT_ASKS} asks at a time are answered."
    fix = "Serve in threads, or let it play one game at a time: register it with `max_games` 1 (--max-games 1)."
    _note(report, "several games at once", question, answer, passed, fix)


def _no_json(caller: BotCaller, report: Report) -> None:
    exchange = caller.send("/act", f"{caller.target.game}_0-play-0-0", b'{"protocol":')
    question = scripted(f"{caller.target.game}-n")[0]
    answer = caller.ask(question)
    if answer.fault is None and isinstance(exchange, Answered):
        report.advise("a body that is no JSON", "It was answered 200.", "Answer 400 to what cannot be read.")
        return
    passed = "It is refused, and the next ask is answered."
    _note(report, "a body that is no JSON", question, answer, passed, "A bad request must not end the bot.")


def _signatures(caller: BotCaller, report: Report) -> None:
    question = scripted(f"{caller.target.game}-w")[0]
    if not caller.target.secrets:
        report.advise(
            "signatures",
            "Asks are answered that are signed with a secret that it cannot know.",
            "Check signatures, so that nobody else can ask it; the kit does when it is given the secret.",
        )
        return
    for check, what, exchange in (
        ("a wrong signature", "with a wrong signature", caller.forged(question)),
        ("an old signature", "that was signed an hour ago", caller.stale(question)),
    ):
        if isinstance(exchange, Answered):
            fix = (
                "Refuse it with 401: compare `webhook-signature`, and let `webhook-timestamp` be 5 minutes off at most."
            )
            report.advise(check, f"An ask {what} was answered.", fix)
        elif exchange.kind != "bad_status":
            detail = f"An ask {what}: {exchange}"
            report.advise(check, detail, "Refuse it with 401, and go on serving.")
        else:
            report.ok(check, f"An ask {what} is refused.")


def _end(caller: BotCaller, report: Report) -> None:
    game = caller.target.game
    result = {"places": [1, 2, 3, 4], "points": [40, 31, 28, 20], "ended": "played", "faults": {}}
    message = {"game": game, "match": None, **result, "record": f"/v1/games/{game}/record"}
    exchange = caller.post("/end", f"{game}_end", message, END_S)
    if isinstance(exchange, Failed):
        detail = f"POST /end: {exchange}"
        report.advise("end", detail, "Answer 200 within 2 s. The answer has no effect.")
    else:
        report.ok("end", "POST /end is answered 200.")


def _speed(caller: BotCaller, report: Report) -> None:
    report.judge_speed(caller.answer_ms)
    receiving_ms = statistics.median(caller.receiving_ms)
    if receiving_ms >= SPLIT_MS:
        report.advise(
            "answers in one piece",
            f"Half of the answers took {receiving_ms:.0f} ms or more from their first byte to their last.",
            "Write headers and body at once, or set TCP_NODELAY. Else the second part waits for the acknowledgement of "
            "the first, about 40 ms (Nagle's algorithm with delayed acknowledgements).",
        )


CHECKS: tuple[Callable[[BotCaller, Report], None], ...] = (
    _each_decision,
    _unknown_members,
    _long_lists,
    _repeated_ask,
    _several_at_once,
    _no_json,
    _signatures,
    _end,
    _speed,
)


def with_unknown_members(value: Any) -> Any:
    """The same JSON with another member in every object, except in the actions, which are sent back as they are."""
    if isinstance(value, list):
        return [with_unknown_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {name: item if name == "legal_actions" else with_unknown_members(item) for name, item in value.items()}
    return {"\N{SNOWMAN} of a later version": {"nested": [None, 1e300, "<b>"]}, **changed, "raw": 7}


def _note(report: Report, check: str, question: Question, answer: BotResponse, passed: str, fix: str) -> None:
    if answer.fault is None:
        report.ok(check, passed)
    else:
        report.fault(check, _described(question, answer.fault), fix)


def _described(question: Question, fault: Fault) -> str:
    received = f"; received: {fault.received}" if fault.received else ""
    return f"{question.decision.id}: {fault.kind}: {fault.detail}{received}"
