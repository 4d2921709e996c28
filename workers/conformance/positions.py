"""Questions to check a bot with: games on the engine alone, in which one seat is the bot's."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from service.engine.actions import Action
from service.engine.components import ComponentSet, parse_components, standard_components
from service.engine.decisions import Decision
from service.engine.game import Game
from service.engine.observation import GameHeader
from service.engine.setup import Reshuffles, Variants, draw_setup
from service.operations.games.asks import Budget, compose_ask

COMMITMENT = "0" * 64


@dataclass(frozen=True, slots=True)
class Question:
    """A decision of the bot's seat, and the state that it is about."""

    game: str
    state: Game
    decision: Decision
    version: int

    def ask(self, budget_ms: int, time_ms: int, previous: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The ask as the service would send it."""
        view = GameHeader(self.game, self.version, "running", _names(self.state.players), COMMITMENT, "seeded")
        budget = Budget(budget_ms, 0)
        return compose_ask(self.state, view, self.decision, budget, time_ms=time_ms, previous=previous)


class PracticeGame:
    """One game. Seat 0 is the bot's, all others play at random."""

    def __init__(self, game: str, players: int, seed: str, components: ComponentSet | None = None) -> None:
        used = components or standard_components(players)
        setup = draw_setup(used, players, seed)
        self.id = game
        self.state = Game.deal(players, Variants(), used, setup, Reshuffles(seed)).game
        self.components = used
        self.names = _names(players)
        self._random = random.Random(seed)
        self._version = players + 1

    def question(self) -> Question | None:
        """Lets the other seats play up to the next decision of seat 0. None: the game is over."""
        while self.state.outcome is None:
            mine = next((decision for decision in self.state.decisions if decision.seat == 0), None)
            if mine is not None:
                return Question(self.id, self.state, mine, self._version)
            decision = self.state.decisions[0]
            self.settle(decision.id, self._random.choice(self.state.legal_actions(decision.id)))
        return None

    def settle(self, decision: str, action: Action) -> None:
        """Plays an action."""
        self.state = self.state.apply(decision, action).game
        self._version += 1

    def play_on(self, question: Question) -> None:
        """Plays for seat 0: at random, but hiring whenever it can, for the long lists of cards that come of it."""
        legal = self.state.legal_actions(question.decision.id)
        action = legal[-1] if question.decision.type == "hire" else self._random.choice(legal)
        self.settle(question.decision.id, action)


def scripted(game: str) -> list[Question]:
    """Two questions of each type, from games of 2, 3 and 4 players: the one with the most legal actions, and the last
    of the game."""
    found: dict[str, list[Question]] = {}
    for players in (2, 3, 4):
        for question in _walk(PracticeGame(f"{game}-{players}", players, f"scripted {players}")):
            found.setdefault(question.decision.type, []).append(question)
    picked = []
    for questions in found.values():
        picked += [max(questions, key=_choices), questions[-1]]
    return picked


def longest_question(game: str) -> Question:
    """The question with the longest lists: many ships to come, and as many legal actions as can be found."""
    questions = _walk(PracticeGame(game, 4, "long lists", large_set()))
    return max(questions, key=_choices)


def large_set() -> ComponentSet:
    """The largest component set for 4 players: 60 ships of 16 barrels, four good barrels in every room."""
    ships = [{"id": f"ship-{number:02d}", "capacity": 16, "points": [20, 10, 5]} for number in range(60)]
    room = {"good": 4, "broken": 0, "coin": 1}
    houses = [{"id": f"house-{number}", "upper": room, "lower": room} for number in range(8)]
    return parse_components({"ships": ships, "warehouses": houses}, 4)


def _names(players: int) -> tuple[str, ...]:
    return ("the bot that is checked", *(f"opponent {seat}" for seat in range(1, players)))


def _choices(question: Question) -> int:
    return len(question.state.legal_actions(question.decision.id))


def _walk(game: PracticeGame) -> Iterator[Question]:
    while (question := game.question()) is not None:
        yield question
        game.play_on(question)
