"""The one place where an ask is built: the message by which a bot, or any seat, learns of its open decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.engine.actions import action_to_json
from service.engine.components import components_to_json
from service.engine.decisions import Decision
from service.engine.game import Game
from service.engine.observation import GameHeader, observe
from service.operations.context import Context
from service.operations.games.change import BOT_BUDGET_MS
from service.operations.games.document import GameMeta
from service.operations.games.log_entries import AnswerRefused
from service.operations.games.projection import GameView
from service.protocol import BOT_PROTOCOL
from service.store.games import PublishedAsk
from service.timestamps import timestamp

MAX_PUSH_MS = 60_000
"""How long a worker waits for a push bot in a casual game at most, however much is left of `turn_seconds`."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a seat has for a decision. `budget_ms` None: no limit."""

    budget_ms: int | None
    bank_ms: int


@dataclass(frozen=True, slots=True)
class Attempts:
    """How many answers to a decision a bot may give, and those that were refused (PROTOCOL "Attempts")."""

    allowed: int
    refused: tuple[AnswerRefused, ...]


ONE_ATTEMPT = Attempts(1, ())


def header_of(view: GameView, *, version: int | None = None) -> GameHeader:
    """What surrounds a game in an observation."""
    return GameHeader(
        game=view.id,
        version=view.version if version is None else version,
        status=view.status,
        names=view.names,
        commitment=view.meta.commitment,
        deal=view.meta.deal,
    )


def observation(view: GameView, seat: int | None) -> dict[str, Any]:
    """What a seat, or a spectator (None), sees now."""
    return observe(view.game, seat, header_of(view))


def open_decision(view: GameView, seat: int) -> Decision | None:
    """The open decision of a seat."""
    if view.status != "running":
        return None
    return next((decision for decision in view.game.decisions if decision.seat == seat), None)


def full_budget(view: GameView, seat: int) -> Budget:
    """The budget of a decision that is asked now for the first time, or anew after a crash or a refused answer.

    In a match `move_ms` and what is left of the bank, less what refused answers have taken; in a casual game
    `turn_seconds` less what has gone by, or what a bot gets without it.
    """
    terms = view.meta.match
    if terms is not None:
        ledger = view.ledgers[seat]
        bank = ledger.bank_left_ms(terms.bank_ms)
        budget_ms = max(0, terms.move_ms + bank - ledger.refused_ms)
        return Budget(budget_ms, min(bank, budget_ms))
    kind = view.meta.seats[seat].kind
    left = None if view.deadline_ms is None else max(0, view.deadline_ms - view.clock_ms)
    if view.meta.turn_seconds is None:
        # The deadline that the game may have is that of a poll bot: it binds nobody else.
        return Budget(BOT_BUDGET_MS if kind == "push" else left if kind == "poll" else None, 0)
    return Budget(min(left, MAX_PUSH_MS) if kind == "push" and left is not None else left, 0)


def casual_limit_ms(view: GameView) -> int:
    """What a bot has for a decision of a casual game."""
    return BOT_BUDGET_MS if view.meta.turn_seconds is None else view.meta.turn_seconds * 1000


def offered_left_ms(view: GameView, offered_ms: int) -> int:
    """What a poll bot has at least left for a decision of a casual game that it is offered since that service time: the
    time in which the game was queued behind others is not the bot's."""
    return max(0, casual_limit_ms(view) - (view.clock_ms - offered_ms))


def poll_elapsed_ms(ctx: Context, view: GameView, decision: str) -> int | None:
    """For how long a decision of a match has been put to its poll bot (PROTOCOL "The clock"), without the time in which
    the API could not take an answer in; None before it was put. Raises Unavailable."""
    asked = view.asked.get(decision)
    return None if asked is None else asked.spent_ms + _elapsed_ms(ctx, view, asked)


def _elapsed_ms(ctx: Context, view: GameView, asked: PublishedAsk) -> int:
    elapsed = max(0, view.time_ms - asked.at_ms)
    if elapsed <= ctx.api_processes.max_pause_ms:
        # Too short for a stall: most answers cost no read for it.
        return elapsed
    return max(0, elapsed - ctx.api_processes.time_since(asked.at_ms).stalled_ms)


def published_budget(ctx: Context, view: GameView, decision: Decision) -> Budget | None:
    """What is left of the budget of a match's decision that was put to a poll bot; None before it was. Raises
    Unavailable."""
    asked = view.asked.get(decision.id)
    if asked is None:
        return None
    left = max(0, asked.budget_ms - _elapsed_ms(ctx, view, asked))
    return Budget(left, min(asked.bank_ms, left))


def build_ask(view: GameView, decision: Decision, budget: Budget) -> dict[str, Any]:
    """The ask of a game's decision, showing the game as it stood when the decision was opened."""
    return compose_ask(
        view.opening.game,
        header_of(view, version=view.opening.version),
        decision,
        budget,
        time_ms=view.time_ms,
        match=view.meta.match.id if view.meta.match else None,
        previous=view.ledgers[decision.seat].previous,
        attempts=Attempts(view.meta.match.attempts if view.meta.match else 1, view.ledgers[decision.seat].refused),
    )


def ask_of(ctx: Context, view: GameView, seat: int, *, offered_ms: int | None = None) -> dict[str, Any] | None:
    """The ask of a seat's open decision, with what is left of its budget now; None when it has none, or when the
    referee of its match has not put it yet. `offered_ms`: service time since when the bot is offered the game."""
    decision = open_decision(view, seat)
    if decision is None:
        return None
    full = full_budget(view, seat)
    budget: Budget | None = full
    if view.meta.match is not None:
        budget = published_budget(ctx, view, decision)
    elif offered_ms is not None:
        budget = Budget(max(full.budget_ms or 0, offered_left_ms(view, offered_ms)), 0)
    return None if budget is None else build_ask(view, decision, budget)


def compose_ask(
    game: Game,
    header: GameHeader,
    decision: Decision,
    budget: Budget,
    *,
    time_ms: int,
    match: str | None = None,
    previous: Mapping[str, Any] | None = None,
    attempts: Attempts = ONE_ATTEMPT,
) -> dict[str, Any]:
    """The ask (PROTOCOL "The ask") about a state that may belong to no game of the store. `time_ms`: wall time
    now."""
    last = attempts.refused[-1] if attempts.refused else None
    deadline = None if budget.budget_ms is None else timestamp(time_ms + budget.budget_ms)
    return {
        "protocol": BOT_PROTOCOL,
        "game": header.game,
        "match": match,
        "decision": decision.to_json(),
        "observation": observe(game, decision.seat, header),
        "legal_actions": [action_to_json(action) for action in game.legal_actions(decision.id)],
        "budget_ms": budget.budget_ms,
        "bank_ms": budget.bank_ms,
        "deadline": deadline,
        "previous": previous,
        "attempt": len(attempts.refused) + 1,
        "attempts": attempts.allowed,
        "refused": {"fault": last.fault, "reason": last.reason} if last else None,
    }


def start_message(game: str, meta: GameMeta, names: Sequence[str | None], seat: int) -> dict[str, Any]:
    """The body of `/start`. In a casual game `match`, `tournament` and `max_faults` are null, and `attempts` is 1."""
    match = meta.match
    turn_ms = None if meta.turn_seconds is None else meta.turn_seconds * 1000
    return {
        "protocol": BOT_PROTOCOL,
        "game": game,
        "match": match.id if match else None,
        "tournament": (match.tournament or None) if match else None,
        "seat": seat,
        "players": meta.players,
        "variants": meta.variants.to_json(),
        "components": components_to_json(meta.component_set()),
        "seats": list(names),
        "move_ms": match.move_ms if match else turn_ms,
        "bank_ms": match.bank_ms if match else 0,
        "max_faults": match.max_faults if match else None,
        "attempts": match.attempts if match else 1,
    }


def end_message(view: GameView, seat: int) -> dict[str, Any]:
    """The body of `/end`. `faults`: the bot's own, kind to count; `places` is null after an abort."""
    outcome = view.game.outcome
    assert outcome is not None, "the game is over"
    return {
        "game": view.id,
        "match": view.meta.match.id if view.meta.match else None,
        "places": None if outcome.places is None else list(outcome.places),
        "points": list(outcome.points),
        "ended": outcome.ended,
        "faults": dict(view.ledgers[seat].faults),
        "record": f"/v1/games/{view.id}/record",
    }
