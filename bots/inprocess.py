"""Games between bots in one process, without HTTP, to measure which bot is stronger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from montego_bot import PROTOCOL, Bot, answer, read_ask
from service.engine.actions import action_to_json, parse_action
from service.engine.components import standard_components
from service.engine.decisions import Decision
from service.engine.game import Game, Outcome
from service.engine.observation import GameHeader, observe
from service.engine.setup import Reshuffles, Variants, draw_setup


def question(game: Game, decision: Decision) -> dict[str, Any]:
    """The ask that a bot in a casual game without a time limit would get."""
    view = GameHeader("in-process", 0, "running", (None,) * game.players, "", "seeded")
    return {
        "protocol": PROTOCOL,
        "game": view.game,
        "match": None,
        "decision": decision.to_json(),
        "observation": observe(game, decision.seat, view),
        "legal_actions": [action_to_json(action) for action in game.legal_actions(decision.id)],
        "budget_ms": None,
        "bank_ms": None,
        "deadline": None,
        "previous": None,
    }


def play(bots: Sequence[Bot], seed: str, variants: Variants | None = None) -> Outcome:
    """Plays one game with the standard set. The 2 to 4 `bots` sit in order; an exception of a bot ends the game."""
    components = standard_components(len(bots))
    setup = draw_setup(components, len(bots), seed)
    game = Game.deal(len(bots), variants or Variants(), components, setup, Reshuffles(seed)).game
    while game.outcome is None:
        # Seats that are asked together all see the game as it is now, in whatever order they answer.
        asks = [question(game, decision) for decision in game.decisions]
        for ask in asks:
            chosen = answer(bots[ask["decision"]["seat"]], read_ask(ask))["action"]
            game = game.apply(ask["decision"]["id"], parse_action(chosen)).game
    return game.outcome
