"""Answers to decisions: who is first, what a repeat gets, what is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from service.engine.actions import Action
from service.engine.game import Game, Step
from service.errors import (
    DecisionClosed,
    GameOver,
    IllegalAction,
    InvalidRequest,
    NotFound,
    NotYourDecision,
    OperationError,
)
from service.operations.context import Context
from service.operations.games.act import Acted, Submission, act
from service.operations.games.change import Settlement, load, settle
from service.operations.games.projection import GameView
from service.operations.games.records import record
from tests.operations.game_setup import answer, at_random, begin, due, in_phase, legal_of, play


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each call returned or which refusal it raised, all of them made at the same moment."""
    ready = threading.Barrier(len(calls))
    found: list[Any] = [None] * len(calls)

    def run(number: int) -> None:
        ready.wait()
        try:
            found[number] = calls[number]()
        except OperationError as error:
            found[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_cards_that_all_seats_choose_at_once_are_all_accepted(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 4, seed="at once")
    for _ in range(5):
        view = play(ctx, seated, until=in_phase("play"))
        assert len(due(view)) == 4
        calls = [
            partial(act, (ctx, other)[seat % 2], seated.seats[seat], seated.game, Submission(decision, index=seat))
            for seat, decision in due(view).items()
        ]
        answers = at_once(*calls)
        assert all(isinstance(given, Acted) for given in answers), answers
        versions = sorted(given.version for given in answers)
        assert versions[:4] == list(range(view.version + 1, view.version + 5))
    found = record(ctx, play(ctx, seated).id)
    assert [entry["seat"] for entry in found["actions"] if entry["round"] == 1][:4] == [0, 1, 2, 3]


def test_of_two_answers_to_one_decision_the_first_counts(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 2)
    for number in range(8):
        view = play(ctx, seated, until=in_phase("play", number + 1))
        if view.over:
            break
        decision = due(view)[0]
        calls = [
            partial(act, place, seated.seats[0], seated.game, Submission(decision, index=index))
            for index, place in enumerate((ctx, other))
        ]
        found = at_once(*calls)
        won = [given for given in found if isinstance(given, Acted)]
        lost = [given for given in found if isinstance(given, DecisionClosed)]
        assert len(won) == len(lost) == 1, found
        assert lost[0].extra["settled"] == {"action": won[0].action, "by": "player", "fault": None}


def test_the_same_answer_again_gets_the_same_version_however_it_is_said(ctx: Context) -> None:
    seated = begin(ctx, 3)
    decision = due(load(ctx, seated.game))[1]
    caller = seated.seats[1]
    first = act(ctx, caller, seated.game, Submission(decision, index=7))
    play(ctx, seated, until=in_phase("play", 2))
    for again in (Submission(decision, index=7), Submission(decision, action=first.action)):
        repeated = act(ctx, caller, seated.game, again)
        assert (repeated.decision, repeated.action, repeated.version) == (decision, first.action, first.version)
        assert repeated.observation["version"] == load(ctx, seated.game).version, "the observation is the newest"


def test_a_repeated_load_is_judged_by_its_content_and_not_by_the_order_of_its_ships(ctx: Context) -> None:
    def splits(view: GameView) -> bool:
        decision = view.game.decisions[0].id
        counts = [len(action.get("ships", ())) for action in legal_of(view, decision)]
        return in_phase("load")(view) and 2 in counts and len(docked(view, decision)) > 2

    seated = begin(ctx, 4, seed="split")
    view = play(ctx, seated, until=splits)
    (seat, decision), *_ = due(view).items()
    action = next(action for action in legal_of(view, decision) if len(action["ships"]) == 2)
    empty = next(ship for ship in docked(view, decision) if ship not in action["ships"])
    said = {"type": "load", "ships": {empty: 0, **dict(reversed(action["ships"].items()))}}
    first = act(ctx, seated.seats[seat], seated.game, Submission(decision, action=said))
    assert first.action == action, "it is told in dock order, without zeros"
    again = act(ctx, seated.seats[seat], seated.game, Submission(decision, action=action))
    assert again.version == first.version


def docked(view: GameView, decision: str) -> list[str]:
    """Ids of the docked cargo ships on which barrels may be put."""
    return sorted({ship for action in legal_of(view, decision) for ship in action["ships"]})


def test_another_answer_to_a_closed_decision_is_told_what_was_settled(ctx: Context) -> None:
    seated = begin(ctx, 3)
    decision = due(load(ctx, seated.game))[0]
    first = act(ctx, seated.seats[0], seated.game, Submission(decision, index=3))
    others: list[Submission] = [
        Submission(decision, index=4),
        Submission(decision, action={"type": "play", "big": 5, "little": 5}),
    ]
    for later in (lambda: None, lambda: play(ctx, seated, until=in_phase("play", 2)), lambda: play(ctx, seated)):
        later()
        for wrong in others:
            with pytest.raises(DecisionClosed) as refused:
                act(ctx, seated.seats[0], seated.game, wrong)
            assert refused.value.extra["settled"] == {"action": first.action, "by": "player", "fault": None}
        assert act(ctx, seated.seats[0], seated.game, Submission(decision, index=3)).version == first.version


def test_after_a_default_action_even_the_same_answer_is_refused(ctx: Context) -> None:
    seated = begin(ctx, 3)
    decision = due(load(ctx, seated.game))[2]
    settle(ctx, seated.game, Settlement(decision, None, "late", 1000))
    with pytest.raises(DecisionClosed, match="by default") as refused:
        act(ctx, seated.seats[2], seated.game, Submission(decision, index=0))
    assert refused.value.extra["settled"]["fault"] == "late"


def test_a_decision_that_was_never_asked_of_the_seat_is_not_its_own(ctx: Context) -> None:
    seated = begin(ctx, 3)
    of_another = due(load(ctx, seated.game))[1]
    for stranger in (of_another, "9.load.0.0", "nonsense", "1.play.7.0", ""):
        with pytest.raises(NotYourDecision):
            act(ctx, seated.seats[0], seated.game, Submission(stranger, index=0))
    answer(ctx, seated, 1)
    with pytest.raises(NotYourDecision):
        act(ctx, seated.seats[0], seated.game, Submission(of_another, index=0))
    play(ctx, seated)
    for stranger in (of_another, "9.load.0.7", "nonsense"):
        with pytest.raises(GameOver):
            act(ctx, seated.seats[0], seated.game, Submission(stranger, index=0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": {"type": "play", "big": 6, "little": 1}},
        {"action": {"type": "play", "big": 1, "little": 1, "jack": 2}},
        {"action": {"type": "decline"}},
        {"action": {"type": "load", "ships": {"s01": 1}}},
        {"index": 25},
        {"index": -1},
        {"index": 10**30},
    ],
    ids=str,
)
def test_an_illegal_action_is_refused_with_what_is_legal_and_changes_nothing(
    ctx: Context, wrong: dict[str, Any]
) -> None:
    seated = begin(ctx, 2)
    before = load(ctx, seated.game)
    with pytest.raises(IllegalAction) as refused:
        act(ctx, seated.seats[0], seated.game, Submission(due(before)[0], **wrong))
    assert refused.value.detail
    assert refused.value.extra["legal_actions"] == legal_of(before, due(before)[0])
    assert load(ctx, seated.game).version == before.version
    assert answer(ctx, seated, 0).version == before.version + 1, "in a casual game it may answer again"


@pytest.mark.parametrize(
    ("action", "field"),
    [
        ({"type": "fly"}, "type"),
        ({"type": "play", "big": 1}, "little"),
        ({"type": "play", "big": "1", "little": 1}, "big"),
        ({"type": "play", "big": True, "little": 1}, "big"),
        ({"type": "play", "big": 1, "little": 1, "haste": 1}, "haste"),
        ({"type": "load", "ships": {"s01": -1}}, "ships"),
        ({"type": "load", "ships": []}, "ships"),
    ],
    ids=str,
)
def test_an_action_of_no_shape_is_refused_with_the_field(ctx: Context, action: dict[str, Any], field: str) -> None:
    seated = begin(ctx, 2)
    before = load(ctx, seated.game)
    with pytest.raises(InvalidRequest) as refused:
        act(ctx, seated.seats[0], seated.game, Submission(due(before)[0], action=action))
    assert field in refused.value.extra["errors"]["action"]
    assert load(ctx, seated.game).version == before.version


def test_nothing_can_be_done_in_a_game_that_does_not_exist(ctx: Context) -> None:
    seated = begin(ctx, 2)
    decision = due(load(ctx, seated.game))[0]
    ctx.games.remove(seated.game)
    with pytest.raises(NotFound):
        act(ctx, seated.seats[0], seated.game, Submission(decision, index=0))


@pytest.mark.parametrize("index", [99, 3], ids=["illegal", "legal"])
def test_an_answer_is_judged_by_the_game_as_it_stands_and_not_as_a_process_last_saw_it(
    ctx: Context, other: Context, index: int
) -> None:
    seated = begin(ctx, 3)
    decision = due(load(ctx, seated.game))[0]
    settle(other, seated.game, Settlement(decision, None, "late", 1000))
    expected = IllegalAction if index == 99 else DecisionClosed
    with pytest.raises(expected):
        act(other, seated.seats[0], seated.game, Submission(decision, index=index))
    with pytest.raises(expected):
        act(ctx, seated.seats[0], seated.game, Submission(decision, index=index))


def test_an_action_that_was_legal_when_a_process_last_saw_the_game_goes_on_from_where_it_is(
    ctx: Context, other: Context
) -> None:
    seated = begin(ctx, 4)
    decisions = due(load(ctx, seated.game))
    act(other, seated.seats[0], seated.game, Submission(decisions[0], index=0))
    given = act(ctx, seated.seats[1], seated.game, Submission(decisions[1], index=0))
    assert given.version == given.observation["version"] == load(other, seated.game).version
    assert [seat["chosen"] for seat in given.observation["seats"]] == [True, True, False, False]


def test_two_processes_agree_on_a_game_that_both_write_to(ctx: Context, other: Context) -> None:
    seated = begin(ctx, 3, seed="both")
    places = [ctx, other]
    while not (view := load(places[0], seated.game)).over:
        for seat, decision in due(view).items():
            index = at_random("both")(decision, legal_of(view, decision))
            act(places[0], seated.seats[seat], seated.game, Submission(decision, index=index))
            places.reverse()
    assert record(ctx, seated.game) == record(other, seated.game)
    alone = begin(ctx, 3, seed="both")
    play(ctx, alone, at_random("both"))
    assert record(ctx, alone.game)["actions"] == record(ctx, seated.game)["actions"]


def test_the_rules_run_once_for_an_action(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[str] = []
    apply = Game.apply

    def counted(game: Game, decision: str, action: Action) -> Step:
        applied.append(decision)
        return apply(game, decision, action)

    seated = begin(ctx, 3, seed="once")
    monkeypatch.setattr(Game, "apply", counted)
    played = play(ctx, seated, until=in_phase("play", 2))
    assert len(applied) == len(played.closed), "to judge, to fold and to tell of it"
    assert set(applied) == set(played.closed)
