"""How a decision is put: forced ones are taken at once, seats that resigned play the default, all others wait.

A step of the game that may ask is a generator. It yields the questions that are open together, and goes on when all of
them have an answer.
"""

from collections.abc import Generator

from .pieces import Player
from .questions import Action, Question
from .table import Table

Asking = Generator[list[Question], None, None]


class SoleSurvivorError(Exception):
    """Raised where a decision would be asked, but at most one seat is left that did not resign."""


def take_effect(table: Table, resigning: list[Player]) -> None:
    """Resignations take effect “when the next decision is asked, all that is forced done”.

    “If then a single seat is left, the game ends …; if none is left, all rank by points.”
    """
    for player in resigning:
        player.resignation_waits = False
        player.resigned = True
    if len([player for player in table.players if not player.resigned]) <= 1:
        # What still waited until the end of this card phase counts from here too: the round's cards are left out.
        for player in table.players:
            player.resigned = player.resigned or player.resignation_waits
            player.resignation_waits = False
        raise SoleSurvivorError


def ask(table: Table, question: Question) -> Generator[list[Question], None, Action]:
    """Ask one question and return its answer."""
    yield from ask_together(table, [question])
    if question.answer is None:
        raise AssertionError(f"{question.id} went on without an answer")
    return question.answer


def ask_together(table: Table, questions: list[Question]) -> Asking:
    """Ask questions that are open at the same time; afterwards each of them has its answer."""
    # “Where it has exactly one, the engine applies it itself”
    asked = [question for question in questions if len(question.legal) > 1]
    for question in questions:
        if question not in asked:
            question.answer = question.default()
    if not asked:
        return
    take_effect(table, [player for player in table.players if player.resignation_waits])
    for question in asked:
        table.number(question)
        # “For a seat that resigned … default actions are played from then on”
        if question.player.resigned:
            question.answer = question.default()
    if any(question.answer is None for question in asked):
        yield asked
