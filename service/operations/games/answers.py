"""How the decisions of a game that is over were answered: the time taken, the bank, the fault, the comment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from service.operations.context import Context
from service.operations.games.document import GameMeta
from service.operations.games.log_entries import AnswerRefused, Entry, Settled, decode, seat_of
from service.operations.games.projection import GameView, SeatLedger


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A settled decision. `version` is the one that it made.

    `elapsed_ms`: None where no time was measured. `bank_left_ms`: after this answer; None in a casual game.
    """

    seat: int
    version: int
    elapsed_ms: int | None
    bank_left_ms: int | None
    fault: str | None
    comment: str | None
    refused: int = 0
    """How many answers to the same decision were refused before (PROTOCOL "Attempts")."""


def answers(ctx: Context, view: GameView) -> tuple[GivenAnswer, ...]:
    """Those of a whole game, in their order; none before the game is over. Raises Unavailable.

    A view of a game has no comments, so that nothing that is made from one can show them.
    """
    row = ctx.games.read(view.id, 0) if view.over else None
    return () if row is None else tuple(answers_in(view.meta, map(decode, row.entries)))


def answers_in(meta: GameMeta, entries: Iterable[Entry]) -> Iterator[GivenAnswer]:
    """Those of a log, read from its beginning."""
    terms = meta.match
    move_ms, bank_ms = (terms.move_ms, terms.bank_ms) if terms else (None, 0)
    ledgers = [SeatLedger()] * meta.players
    refused: Counter[str] = Counter()
    for version, entry in enumerate(entries, 1):
        if isinstance(entry, AnswerRefused):
            refused[entry.decision] += 1
        elif isinstance(entry, Settled):
            seat = seat_of(entry.decision)
            ledgers[seat] = ledgers[seat].after(entry, move_ms, bank_ms)
            bank_left_ms = ledgers[seat].bank_left_ms(bank_ms) if terms else None
            before = refused[entry.decision]
            yield GivenAnswer(seat, version, entry.elapsed_ms, bank_left_ms, entry.fault, entry.comment, before)
