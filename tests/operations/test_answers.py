"""How a game was answered: times, banks, faults and comments, told once it is over."""

from __future__ import annotations

from dataclasses import replace

from service.engine.actions import Play
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.answers import GivenAnswer, answers, answers_in
from service.operations.games.change import load
from service.operations.games.document import MatchTerms
from service.operations.games.log_entries import AnswerRefused, Entry, Joined, Settled, Started
from service.operations.games.seats import resign
from tests.operations.game_setup import begin
from tests.web.games import document

TERMS = MatchTerms("cup-0-0", "cup", 0, 0, move_ms=500, bank_ms=1_000, max_faults=3, policy="lenient", attempts=1)


def test_the_bank_goes_down_by_what_an_answer_took_beyond_its_time() -> None:
    settled: list[Entry] = [
        Settled(9, "1.play.0.0", Play(1, 2), "player", None, 700, "slow"),
        AnswerRefused(9, "1.play.1.0", "illegal", "That card is gone.", 10),
        Settled(9, "1.play.1.0", Play(1, 2), "player", None, 20),
        Settled(9, "2.play.0.0", Play(1, 2), "default", "late", None),
    ]
    entries = [Joined(0, 0, "a"), Joined(0, 1, "b"), Started(0), *settled]
    assert list(answers_in(replace(document(2), match=TERMS), entries)) == [
        GivenAnswer(0, 4, 700, 800, None, "slow"),
        GivenAnswer(1, 6, 20, 1_000, None, None, refused=1),
        GivenAnswer(0, 7, None, 0, "late", None),
    ]


def test_a_casual_game_has_no_bank() -> None:
    settled = Settled(9, "1.play.0.0", Play(1, 2), "player", None, 700)
    assert list(answers_in(document(2), [settled])) == [GivenAnswer(0, 1, 700, None, None, None)]


def test_nothing_is_told_before_a_game_is_over(ctx: Context) -> None:
    seated = begin(ctx, 2)
    act(ctx, seated.seats[1], seated.game, Submission("1.play.1.0", index=0, comment="a secret plan"))
    assert answers(ctx, load(ctx, seated.game)) == ()
    resign(ctx, seated.seats[0], seated.game)
    (only,) = answers(ctx, load(ctx, seated.game))
    assert (only.seat, only.comment) == (1, "a secret plan")
