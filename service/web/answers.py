"""What the pages show of the answers in a game that is over: how long bots took, what their banks had left, their
faults, and what players wrote.
"""

from __future__ import annotations

from typing import NamedTuple

from service.operations.games.answers import GivenAnswer
from service.operations.games.projection import GameView
from service.web.timeline import GamePosition, Timeline
from service.web.words import Words


class BotSummary(NamedTuple):
    """How a bot answered in a game. `bank`: what is left of it in a match; `faults`: each kind and its number."""

    player: str
    answers: int
    average: str
    bank: str
    faults: str


class Remark(NamedTuple):
    """A comment that came with an answer, and the step that the answer made."""

    n: int
    player: str
    text: str


class AnswerPanel(NamedTuple):
    """The answer that made a position; all of it is empty where none did. `times`: what was measured of a bot's."""

    player: str = ""
    seat: int = 0
    times: tuple[str, ...] = ()
    fault: str = ""
    comment: str = ""


def bot_summaries(view: GameView, words: Words) -> list[BotSummary]:
    """How bots have answered. People's times are nobody's business."""
    match = view.meta.match
    found = []
    for seat, ledger in enumerate(view.ledgers):
        if view.meta.seats[seat].kind and (ledger.answers or ledger.faults):
            average = words.milliseconds(ledger.answer_ms / ledger.answers) if ledger.answers else "–"
            bank = words.milliseconds(ledger.bank_left_ms(match.bank_ms)) if match else "–"
            faults = ", ".join(f"{words.fault(kind)} {count}" for kind, count in ledger.faults.items()) or "–"
            found.append(BotSummary(words.player(view.names, seat), ledger.answers, average, bank, faults))
    return found


def remarks(view: GameView, timeline: Timeline, given: tuple[GivenAnswer, ...], words: Words) -> list[Remark]:
    """What players wrote, in the order of the game."""
    first_of: dict[int, int] = {}
    for position in timeline.positions:
        first_of.setdefault(position.version, position.n)
    return [
        Remark(first_of[answer.version], words.player(view.names, answer.seat), text)
        for answer in given
        if (text := words.remark(answer.comment or ""))
    ]


def panel(view: GameView, position: GamePosition, given: tuple[GivenAnswer, ...], words: Words) -> AnswerPanel | None:
    """What is known of the answer behind a position; None where the whole game has nothing to show."""
    if not any(view.meta.seats[answer.seat].kind or answer.comment for answer in given):
        return None
    answer = next((answer for answer in given if answer.version == position.version), None)
    if answer is None:
        return AnswerPanel()
    times = []
    if view.meta.seats[answer.seat].kind:
        if answer.elapsed_ms is not None:
            times.append(words._("answered in %(time)s", time=words.milliseconds(answer.elapsed_ms)))
        if answer.bank_left_ms is not None:
            times.append(words._("%(time)s left in the bank", time=words.milliseconds(answer.bank_left_ms)))
        if answer.refused:
            times.append(words._n("after %(num)s refused answer", "after %(num)s refused answers", answer.refused))
    return AnswerPanel(
        words.player(view.names, answer.seat),
        answer.seat,
        tuple(times),
        words.fault(answer.fault) if answer.fault else "",
        words.remark(answer.comment or ""),
    )
