"""Seats that give up, and games that are broken off."""

from __future__ import annotations

import json

import pytest

from service.engine.record import verify
from service.errors import DecisionClosed, Forbidden, GameOver, NotFound, WrongState
from service.operations.context import Context
from service.operations.games.act import Submission, act
from service.operations.games.change import load
from service.operations.games.change import resign as resign_seats
from service.operations.games.log_entries import Finished, Settled, decode
from service.operations.games.read import decision, events
from service.operations.games.records import record
from service.operations.games.seats import abort, resign
from tests.operations.game_setup import answer, at_random, begin, due, in_phase, organiser, play


def entries(ctx: Context, game: str) -> list[object]:
    row = ctx.games.read(game)
    assert row is not None
    return [decode(line) for line in row.entries]


def test_default_actions_are_played_for_a_seat_that_has_resigned(ctx: Context) -> None:
    seated = begin(ctx, 3, seed="gone")
    play(ctx, seated, until=in_phase("play", 2))
    resigned = resign(ctx, seated.seats[1], seated.game)
    assert resigned.observation["seats"][1]["resigned"]
    view = load(ctx, seated.game)
    assert 1 not in due(view), "its card is settled in the same step"
    found = record(ctx, play(ctx, seated).id)
    verify(found)
    later = [entry for entry in found["actions"] if entry["seat"] == 1 and entry["round"] >= 2]
    assert later and {entry["by"] for entry in later} == {"default"}
    assert {json.dumps(entry["action"]) for entry in later if ".play." in entry["decision"]} <= {
        '{"type": "play", "big": 1, "little": 1}',
        '{"type": "play", "big": 1, "little": 1, "jack": 2}',
    }
    assert {entry["fault"] for entry in later} == {None}, "nobody is to blame"
    assert found["result"]["places"][1] == 3, "it ranks behind all others"
    assert found["resignations"] == [{"seat": 1, "after": found["resignations"][0]["after"], "reason": "resigned"}]


@pytest.mark.parametrize("before_it_chose", [True, False])
def test_a_record_says_whether_a_seat_resigned_before_or_after_its_card_was_settled(
    ctx: Context, before_it_chose: bool
) -> None:
    seated = begin(ctx, 4, seed="cards")
    view = play(ctx, seated, until=in_phase("play", 2))
    settled = sum(isinstance(entry, Settled) for entry in entries(ctx, seated.game))
    answer(ctx, seated, 2)
    if not before_it_chose:
        answer(ctx, seated, 0, 6)
    resign(ctx, seated.seats[0], seated.game)
    found = record(ctx, play(ctx, seated).id)
    verify(found)
    assert found["resignations"][0]["after"] == settled + (0 if before_it_chose else 4)
    card = next(entry for entry in found["actions"] if entry["decision"] == f"{view.game.round}.play.0.0")
    assert card["by"] == ("default" if before_it_chose else "player")


def test_when_one_seat_is_left_the_game_ends_and_that_seat_is_first(ctx: Context) -> None:
    seated = begin(ctx, 3)
    play(ctx, seated, until=in_phase("play", 3))
    points = load(ctx, seated.game).game.points
    resign(ctx, seated.seats[2], seated.game)
    resign(ctx, seated.seats[0], seated.game)
    view = load(ctx, seated.game)
    assert view.status == "finished"
    found = record(ctx, seated.game)
    verify(found)
    assert found["result"]["ended"] == "resigned"
    assert found["result"]["places"][1] == 1
    assert found["result"]["points"] == list(points), "no ship is paid"


def test_when_all_seats_resign_at_once_they_rank_by_points(ctx: Context) -> None:
    seated = begin(ctx, 2, seed="all")
    play(ctx, seated, at_random("x"), until=in_phase("play", 4))
    view = resign_seats(ctx, seated.game, [1, 0, 1], "forfeit")
    found = record(ctx, seated.game)
    verify(found)
    one, other = view.game.points
    assert found["result"]["places"] == [1 + (other > one), 1 + (one > other)]


def test_resigning_again_changes_nothing_also_after_the_end(ctx: Context) -> None:
    seated = begin(ctx, 3)
    first = resign(ctx, seated.seats[0], seated.game)
    assert resign(ctx, seated.seats[0], seated.game).view.version == first.view.version
    over = play(ctx, seated)
    assert resign(ctx, seated.seats[0], seated.game).view.version == over.version
    with pytest.raises(GameOver):
        resign(ctx, seated.seats[1], seated.game)


def test_nobody_can_resign_from_a_game_that_has_not_begun(ctx: Context) -> None:
    seated = begin(ctx, 2, seats=["creator", "open"])
    with pytest.raises(WrongState):
        resign(ctx, seated.seats[0], seated.game)
    abort(ctx, seated.creator, seated.game)
    assert load(ctx, seated.game).status == "aborted"


def test_after_a_resignation_the_seats_answers_are_refused(ctx: Context) -> None:
    seated = begin(ctx, 3)
    asked = due(load(ctx, seated.game))[1]
    resign(ctx, seated.seats[1], seated.game)
    with pytest.raises(DecisionClosed, match="by default"):
        act(ctx, seated.seats[1], seated.game, Submission(asked, index=0))


def test_the_end_is_written_in_the_same_step_as_what_leads_to_it(ctx: Context) -> None:
    seated = begin(ctx, 2)
    play(ctx, seated)
    last_two = entries(ctx, seated.game)[-2:]
    assert isinstance(last_two[0], Settled)
    assert isinstance(last_two[1], Finished)
    assert events(ctx, seated.game, 0).events[-1]["type"] == "finished"
    with pytest.raises(GameOver):
        decision(ctx, seated.seats[0], seated.game, 0)


def test_an_aborted_game_has_points_and_no_places(ctx: Context) -> None:
    seated = begin(ctx, 2)
    play(ctx, seated, until=in_phase("play", 2))
    version = load(ctx, seated.game).version
    abort(ctx, seated.creator, seated.game)
    abort(ctx, seated.creator, seated.game)
    view = load(ctx, seated.game)
    assert (view.status, view.version) == ("aborted", version + 1), "repeating it changes nothing"
    found = record(ctx, seated.game)
    verify(found)
    assert found["result"]["ended"] == "aborted"
    assert found["result"]["places"] is None
    with pytest.raises(GameOver):
        act(ctx, seated.seats[0], seated.game, Submission("2.play.0.0", index=0))


def test_only_the_creator_or_an_organiser_may_break_a_game_off(ctx: Context) -> None:
    seated = begin(ctx, 2)
    with pytest.raises(Forbidden):
        abort(ctx, seated.seats[0], seated.game)
    with pytest.raises(Forbidden):
        abort(ctx, begin(ctx, 2).creator, seated.game)
    abort(ctx, organiser(ctx), seated.game)
    with pytest.raises(NotFound):
        abort(ctx, organiser(ctx), "nosuchgame")
    finished = begin(ctx, 2)
    play(ctx, finished)
    with pytest.raises(GameOver):
        abort(ctx, finished.creator, finished.game)
    verify(record(ctx, finished.game))
