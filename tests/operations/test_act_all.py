"""Many answers in one call: each is judged by itself, those of one game in their order."""

from __future__ import annotations

from functools import partial

from service.engine.actions import action_to_json
from service.errors import (
    DecisionClosed,
    Forbidden,
    IllegalAction,
    NotFound,
    NotYourDecision,
    Unauthorized,
    Unavailable,
)
from service.operations.access.tokens import ANONYMOUS
from service.operations.context import Context
from service.operations.games.act import Acted, Submission, act
from service.operations.games.act_all import CHUNK, Sent, act_all
from service.operations.games.change import load
from service.operations.games.log_entries import seat_of
from service.operations.games.records import record
from tests.operations.game_setup import Seated, at_random, begin, due, in_phase, legal_of, play, service
from tests.operations.test_acting import at_once

CARDS = {"type": "play", "big": 3, "little": 5}


def cards(seated: Seated, seat: int, **more: int) -> Sent:
    """The seat's cards of the first round."""
    return Sent(seated.seats[seat], seated.game, Submission(f"1.play.{seat}.0", {**CARDS, **more}))


def test_answers_to_many_games_are_all_accepted_in_their_order(ctx: Context) -> None:
    games = [begin(ctx, 3, seed=f"many {number}") for number in range(CHUNK)]
    sent = [cards(seated, seat) for seat in (2, 0, 1) for seated in games]
    found = act_all(ctx, sent)
    assert len(found) == 3 * CHUNK
    for one, acted in zip(sent, found, strict=True):
        assert isinstance(acted, Acted)
        assert (acted.view.id, acted.decision, acted.action) == (one.game, one.submission.decision, CARDS)
    # Seats 2, 0, 1 have answered in this order: three entries that joined, one that started the game.
    assert [acted.version for acted in found if isinstance(acted, Acted)] == [5] * CHUNK + [6] * CHUNK + [7] * CHUNK


def test_a_game_is_the_same_whether_answers_come_alone_or_together(ctx: Context) -> None:
    alone, together = begin(ctx, 4, seed="twins"), begin(ctx, 4, seed="twins")
    choose = at_random("twins")
    play(ctx, alone, choose)
    while not (view := load(ctx, together.game)).over:
        found = act_all(
            ctx,
            [
                Sent(together.seats[seat], together.game, Submission(one, index=choose(one, legal_of(view, one))))
                for seat, one in due(view).items()
            ],
        )
        assert all(isinstance(acted, Acted) for acted in found), found
    records = [record(ctx, seated.game) for seated in (alone, together)]
    assert records[0]["actions"] == records[1]["actions"]
    assert records[0]["result"] == records[1]["result"]


def test_a_decision_can_be_answered_that_an_earlier_answer_of_the_call_opens(ctx: Context) -> None:
    seated = begin(ctx, 2, seed="then")
    other = begin(ctx, 2, seed="then")
    play(ctx, other, at_random("then"), until=in_phase("play", 2))
    settled = load(ctx, other.game).closed
    sent = [
        Sent(seated.seats[seat_of(name)], seated.game, Submission(name, action_to_json(closed.action)))
        for name, closed in settled.items()
    ]
    found = act_all(ctx, sent)
    assert [getattr(acted, "version", acted) for acted in found] == [closed.version for closed in settled.values()]


def test_a_refused_answer_changes_nothing_for_the_others(ctx: Context) -> None:
    good, bad = begin(ctx, 2), begin(ctx, 2)
    sent = [
        cards(good, 0),
        cards(bad, 0, big=9),
        Sent(good.seats[1], bad.game, Submission("1.play.1.0", CARDS)),
        Sent(good.seats[1], "0123456789abcdef", Submission("1.play.1.0", CARDS)),
        Sent(ANONYMOUS, good.game, Submission("1.play.1.0", CARDS)),
        Sent(good.seats[1], good.game, Submission("1.play.0.0", CARDS)),
        cards(good, 1),
        cards(bad, 1),
    ]
    found = act_all(ctx, sent)
    kinds = [Acted, IllegalAction, Forbidden, NotFound, Unauthorized, NotYourDecision, Acted, Acted]
    assert [type(outcome) for outcome in found] == kinds
    assert load(ctx, bad.game).closed.keys() == {"1.play.1.0"}


def test_repeats_in_one_call_are_compared_with_the_first(ctx: Context) -> None:
    seated = begin(ctx, 2)
    legal = legal_of(load(ctx, seated.game), "1.play.0.0")
    index = Sent(seated.seats[0], seated.game, Submission("1.play.0.0", index=legal.index(CARDS)))
    found = act_all(ctx, [cards(seated, 0), index, cards(seated, 0, big=4), cards(seated, 1), index])
    assert [type(outcome) for outcome in found] == [Acted, Acted, DecisionClosed, Acted, Acted]
    assert [acted.version for acted in found if isinstance(acted, Acted)] == [4, 4, 5, 4]


def test_what_another_process_has_done_is_not_undone(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 2, seed="moved")
    play(ctx, seated, until=in_phase("play"))
    act(other, seated.seats[0], seated.game, Submission("1.play.0.0", CARDS))
    found = act_all(ctx, [cards(seated, 0, big=4), cards(seated, 1)])
    assert [type(outcome) for outcome in found] == [DecisionClosed, Acted]


def test_a_game_that_was_removed_since_is_not_found(ctx: Context, other: Context) -> None:
    gone, stays = begin(ctx, 2), begin(ctx, 2)
    other.games.remove(gone.game)
    found = act_all(ctx, [cards(gone, 0), cards(stays, 0)])
    assert [type(outcome) for outcome in found] == [NotFound, Acted]


def test_calls_that_meet_settle_each_decision_once(ctx: Context, other: Context) -> None:
    games = [begin(ctx, 4, seed=f"meet {number}") for number in range(8)]
    calls = [
        partial(act_all, (ctx, other)[seat % 2], [cards(seated, seat, big=seat + 1) for seated in games])
        for seat in range(4)
    ]
    for found in at_once(*calls):
        assert all(isinstance(outcome, Acted) for outcome in found), found
    for seated in games:
        view = load(ctx, seated.game)
        assert {closed.version for closed in view.closed.values()} >= {6, 7, 8, 9}


def test_answers_that_no_replica_has_confirmed_are_not_acknowledged(ctx: Context, redis_url: str) -> None:
    games = [begin(ctx, 2) for _ in range(2)]
    with service(redis_url, wait_replicas=1) as careful:
        found = act_all(careful, [cards(seated, 0) for seated in games])
    assert [type(outcome) for outcome in found] == [Unavailable, Unavailable]
    again = act_all(ctx, [cards(seated, 0) for seated in games])
    assert [acted.version for acted in again if isinstance(acted, Acted)] == [4, 4]
