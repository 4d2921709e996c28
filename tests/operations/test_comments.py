"""What a player writes with an answer is in the record once the game is over, and nowhere before that."""

from __future__ import annotations

import json

import pytest

from service.engine.errors import DamagedRecord
from service.engine.record import digest, verify
from service.operations.context import Context
from service.operations.games.act import MAX_COMMENT, Submission, act
from service.operations.games.asks import ask_of
from service.operations.games.change import load
from service.operations.games.log_entries import Settled, decode, encode
from service.operations.games.read import events, observe
from service.operations.games.records import import_record, record
from service.operations.games.seats import resign
from tests.operations.game_setup import Seated, begin, organiser

SECRET = "a word that is nowhere else"


def say(ctx: Context, seated: Seated, seat: int, comment: str | None) -> None:
    """Answers the open decision of a seat by its first legal action, with a comment."""
    decision = next(one.id for one in load(ctx, seated.game).game.decisions if one.seat == seat)
    act(ctx, seated.seats[seat], seated.game, Submission(decision, index=0, comment=comment))


def finished(ctx: Context, comments: dict[int, str]) -> Seated:
    """A game of two in which all cards of the first round are chosen, seat 1 first, and seat 0 then resigns."""
    seated = begin(ctx, 2)
    for seat in (1, 0):
        say(ctx, seated, seat, comments.get(seat))
    resign(ctx, seated.seats[0], seated.game)
    return seated


def test_comments_are_in_the_record_in_the_order_of_its_actions(ctx: Context) -> None:
    found = record(ctx, finished(ctx, {0: "first", 1: "second"}).game)
    told = [{"decision": "1.play.0.0", "comment": "first"}, {"decision": "1.play.1.0", "comment": "second"}]
    assert found["comments"] == told


def test_a_record_without_comments_has_no_such_member(ctx: Context) -> None:
    assert "comments" not in record(ctx, finished(ctx, {}).game)


def test_the_digest_does_not_cover_comments(ctx: Context) -> None:
    found = record(ctx, finished(ctx, {0: "first"}).game)
    verify(found)
    verify({name: value for name, value in found.items() if name != "comments"})
    verify(found | {"comments": []})


def test_comments_of_a_wrong_shape_are_a_damaged_record(ctx: Context) -> None:
    found = record(ctx, finished(ctx, {0: "first"}).game)
    for comments in ("first", [{"decision": "1.play.0.0"}], [{"decision": "1.play.0.0", "comment": 7}]):
        with pytest.raises(DamagedRecord, match="comment"):
            verify(found | {"comments": comments})


def test_a_comment_is_in_no_observation_ask_or_event(ctx: Context) -> None:
    seated = begin(ctx, 2)
    say(ctx, seated, 1, SECRET)
    view = load(ctx, seated.game)
    seen = [observe(ctx, caller, seated.game) for caller in seated.seats.values()]
    told = [seen, events(ctx, seated.game, 0), ask_of(ctx, view, 0)]
    assert SECRET not in json.dumps(told, default=str)


def test_a_long_comment_is_cut_and_control_characters_are_replaced(ctx: Context) -> None:
    found = record(ctx, finished(ctx, {0: "x" * 1000, 1: "red \x1b[31m\nnext"}).game)
    first, second = (told["comment"] for told in found["comments"])
    assert first == "x" * (MAX_COMMENT - 1) + "…"
    assert second == "red \ufffd[31m next"


def test_an_empty_comment_is_none(ctx: Context) -> None:
    assert "comments" not in record(ctx, finished(ctx, {0: ""}).game)


def test_a_record_with_comments_is_kept_whole_when_it_is_imported(ctx: Context) -> None:
    found = record(ctx, finished(ctx, {0: "first", 1: "second"}).game) | {"game": "elsewhere"}
    found["digest"] = digest(found)
    import_record(ctx, organiser(ctx), found)
    assert record(ctx, "elsewhere") == found


def test_a_settled_entry_keeps_its_comment_in_the_log() -> None:
    line = '["a",12,"1.play.0.0",[1,1],"p",null,3,"hello"]'
    entry = decode(line)
    assert isinstance(entry, Settled)
    assert entry.comment == "hello"
    assert encode(entry) == line
